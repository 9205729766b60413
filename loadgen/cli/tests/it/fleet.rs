//! Runs that start their own replicas.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::program::{Desk, list, number};

const SCENARIO: &str = r#"
name = "short"
thresholds = ["ok.rate >= 0.99"]

[fleet]
replicas = 3

[load]
rate_per_s = 40
duration_s = 1

[[workflow]]
tool = "wizard"
arguments = { rounds = 3, pad_bytes = 128 }

[[workflow]]
tool = "echo"
arguments = { text = "hello" }
"#;

#[test]
fn a_fleet_of_three_shares_its_states() {
    let desk = Desk::new();
    let ran = desk.run(SCENARIO, &[]);
    ran.exits_with(0);
    assert_eq!(ran.books_balance(), 40);
    assert_eq!(
        ran.result["load"]["outcomes"],
        serde_json::json!({"ok": 40})
    );
    assert_eq!(ran.cells().len(), 9);
    for cell in ran.cells() {
        assert!(number(&cell["ok"]) > 0, "{cell}");
        assert_eq!(cell["state_rejected"], 0, "{cell}");
        assert_eq!(cell["other"], 0, "{cell}");
    }
    grows_by_round(&ran.result["kinds"][0]);
    for replica in list(&ran.result["replicas"]) {
        assert_eq!(replica["started_by_run"], true);
        assert!(replica["died"].is_null(), "{replica}");
    }
    let threshold = &ran.result["thresholds"][0];
    assert_eq!(threshold["name"], "ok.rate");
    assert_eq!(threshold["limit"], 0.99);
    assert_eq!(threshold["value"], 1.0);
    assert_eq!(threshold["pass"], true);
    files_are_there(&desk);

    // A stored result prints as the run did.
    for path in ["out", "out/result.json"] {
        let shown = desk.loadgen(["report", path]).output();
        let shown = shown.expect("loadgen can be run");
        assert_eq!(shown.status.code(), Some(0));
        assert_eq!(String::from_utf8_lossy(&shown.stdout), ran.stdout);
    }
}

/// The generator answers a field of every kind and every kind of question.
#[test]
fn every_kind_of_question_is_answered() {
    let ran = Desk::new().run(
        r#"
name = "kinds"
thresholds = ["ok.rate >= 1"]

[fleet]
replicas = 2

[load]
rate_per_s = 20
duration_s = 1

[[workflow]]
tool = "survey"

[[workflow]]
tool = "interview"
"#,
        &[],
    );
    ran.exits_with(0);
    assert_eq!(
        ran.result["load"]["outcomes"],
        serde_json::json!({"ok": 20})
    );
    for kind in list(&ran.result["kinds"]) {
        assert_eq!(list(&kind["rounds"]).len(), 2, "{kind}");
    }
}

/// State bytes of the wizard grow from round to round.
fn grows_by_round(kind: &Value) {
    assert_eq!(kind["name"], "wizard");
    let received = |round: &Value| round["state_received"]["min_bytes"].as_u64();
    let sizes: Vec<Option<u64>> = list(&kind["rounds"]).iter().map(received).collect();
    assert_eq!(sizes.len(), 4);
    // The last answer carries none.
    assert_eq!(sizes[3], None);
    for pair in sizes[..3].windows(2) {
        let grown = pair[1].zip(pair[0]).map(|(later, earlier)| later - earlier);
        assert!(grown > Some(128), "less than the padding: {sizes:?}");
    }
}

fn files_are_there(desk: &Desk) {
    let entries = std::fs::read_dir(desk.path("out")).expect("the result folder");
    let files: BTreeSet<String> = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    for name in [
        "result.json",
        "rounds.hlog",
        "latency-by-quantile.svg",
        "payload-by-round.svg",
        "time-by-round.svg",
    ] {
        assert!(files.contains(name), "{name} is not among {files:?}");
    }
    assert!(
        files.iter().all(|name| !name.starts_with('.')),
        "leftovers: {files:?}"
    );
    for name in files.iter().filter(|name| name.ends_with(".svg")) {
        let svg = std::fs::read_to_string(desk.path("out").join(name)).expect("a text file");
        assert!(
            svg.trim_start().starts_with('<') && svg.contains("</svg>"),
            "{name}"
        );
    }
    let hlog = std::fs::read_to_string(desk.path("out/rounds.hlog")).expect("a text file");
    assert!(hlog.contains("#[Histogram log format version"), "{hlog}");
}

#[test]
fn keys_of_their_own_are_named_as_the_cause() {
    let scenario = SCENARIO.replace("replicas = 3", "replicas = 3\nkeys = \"own\"");
    let ran = Desk::new().run(&scenario, &[]);
    ran.exits_with(3);
    ran.books_balance();
    assert!(
        ran.has_finding("key_or_audience_not_shared"),
        "{}",
        ran.stdout
    );
    let summary = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        summary.contains("key or audience not shared between replicas"),
        "{summary}"
    );
    assert_eq!(ran.cells().len(), 9);
    for cell in ran.cells() {
        let own = cell["minted_by"] == cell["opened_by"];
        assert_eq!(number(&cell["ok"]) > 0, own, "{cell}");
        assert_eq!(number(&cell["state_rejected"]) > 0, !own, "{cell}");
        assert_eq!(cell["other"], 0, "{cell}");
    }
}

#[test]
fn a_missed_threshold_fails() {
    let scenario = SCENARIO.replace("ok.rate >= 0.99", "ok.rate > 1");
    let ran = Desk::new().run(&scenario, &[]);
    ran.exits_with(3);
    let threshold = &ran.result["thresholds"][0];
    assert_eq!(threshold["limit"], 1.0);
    assert_eq!(threshold["value"], 1.0);
    assert_eq!(threshold["pass"], false);
}

#[test]
fn json_is_exactly_the_result() {
    let ran = Desk::new().run_with(SCENARIO, &[], &["--format", "json"]);
    ran.exits_with(0);
    assert!(!ran.json.is_empty());
    assert_eq!(ran.stdout, ran.json);
}

#[test]
fn quiet_is_quiet() {
    let ran = Desk::new().run_with(SCENARIO, &[], &["--format", "quiet"]);
    ran.exits_with(0);
    assert_eq!(ran.stdout, "");
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_seed_on_the_command_line_is_kept() {
    let ran = Desk::new().run_with(SCENARIO, &[], &["--seed", "99"]);
    ran.exits_with(0);
    assert_eq!(ran.result["seed"], 99);
    assert_eq!(ran.result["options"]["seed"], 99);
}

#[test]
fn a_closed_workload_is_labelled_as_one() {
    let scenario = SCENARIO
        .replace("rate_per_s = 40", "concurrency = 2")
        .replace("tool = \"wizard\"", "tool = \"wizard\"\nthink_s = 0.1");
    let scenario = scenario.split("[[workflow]]\ntool = \"echo\"").next();
    let ran = Desk::new().run(scenario.expect("a split gives something"), &[]);
    ran.exits_with(0);
    assert!(ran.books_balance() > 0);
    let workload = &ran.result["load"]["workload"];
    assert_eq!(workload["label"], "closed");
    assert_eq!(workload["concurrency"], 2);
    assert!(
        ran.stdout.contains("closed workload, 2 in flight"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_replica_that_leaks_with_every_request_is_named_and_no_other() {
    let ran = Desk::new().run(
        r#"
name = "leak"
thresholds = ["ok.rate >= 0.99"]

[fleet]
replicas = 2

[[fleet.replica]]
number = 1
faults = { leak_bytes = 38912 }

[load]
rate_per_s = 400
duration_s = 6
spread = "next"
connections = 4 # each costs the replica memory, and a busy machine would make many

[[workflow]]
tool = "echo"
"#,
        &[],
    );
    ran.exits_with(0);
    let slope = |replica: usize| {
        let slope = &ran.replica(replica)["rss_slope_bytes_per_request"];
        slope.as_f64().expect("there were 600 requests")
    };
    // Memory that is written to is resident; the looks and the counts are not of one moment.
    assert!((30_000.0..48_000.0).contains(&slope(1)), "{}", slope(1));
    assert!(slope(0) < 1024.0, "{}", slope(0));
    let grows = list(&ran.result["findings"]).iter();
    let grows: Vec<&Value> = grows.filter(|f| f["code"] == "replica_grows").collect();
    assert_eq!(grows.len(), 1, "{grows:?}");
    assert_eq!(grows[0]["replicas"], serde_json::json!([1]));
}

#[test]
fn a_fixed_answer_that_nobody_asks_for_is_named() {
    let ran = Desk::new().run(
        r#"
name = "answers"
thresholds = ["ok.rate >= 1"]

[fleet]
replicas = 1

[load]
rate_per_s = 20
duration_s = 0.5

[[workflow]]
tool = "wizard"
arguments = { rounds = 2 }

[workflow.answers]
fields = { step1.answer = "one", answer = "any", step9.answer = "never", skipper = "Mara" }
"#,
        &[],
    );
    ran.exits_with(0);
    assert_eq!(
        ran.result["unused_answers"],
        serde_json::json!({ "wizard": ["skipper", "step9.answer"] })
    );
    assert!(ran.has_finding("unused_answers"), "{}", ran.stdout);
}
