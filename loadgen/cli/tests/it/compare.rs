//! `loadgen compare` on stored results.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::fixtures::workspace;
use crate::program::{Desk, read_json, text};

fn golden(side: &str) -> PathBuf {
    let name = format!("loadgen/measure/tests/golden/result-v1-{side}.json");
    workspace().join(name)
}

/// Two results on a desk, the second one changed.
fn results(change: impl Fn(&mut Value)) -> Desk {
    let desk = Desk::new();
    let mut result = read_json(&golden("a"));
    desk.file("a.json", &result.to_string());
    change(&mut result);
    std::fs::create_dir(desk.path("b")).expect("a writable folder");
    desk.file("b/result.json", &result.to_string());
    desk
}

/// Makes every interval of a p50, and the p50, twice as large.
fn double(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                match value {
                    Value::Number(ns) if key == "p50_ns" => {
                        *value = (2 * ns.as_u64().expect("whole")).into();
                    }
                    Value::Array(ends) if key == "p50_ns" => {
                        for end in ends {
                            *end = (2 * end.as_u64().expect("whole")).into();
                        }
                    }
                    value => double(value),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(double),
        _ => {}
    }
}

fn compared(desk: &Desk, more: &[&str], exit: i32) -> String {
    let mut command = desk.loadgen(["compare", "a.json", "b"]);
    let output = command.args(more).output().expect("loadgen can be run");
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(exit), "{stdout}{stderr}");
    assert_eq!(stderr, "");
    stdout
}

#[test]
fn a_regression_is_exit_3_in_every_format() {
    let desk = results(double);
    let said = compared(&desk, &[], 3);
    assert!(said.starts_with("REGRESSED  golden: of "), "{said}");
    assert!(said.contains("+100 %"), "{said}");
    assert!(said.contains("loadgen pairs"), "{said}");
    assert!(
        said.lines().all(|line| line.chars().count() <= 100),
        "{said}"
    );
    assert!(!said.contains("request mean"), "it did not change: {said}");
    assert!(compared(&desk, &["--all"], 3).contains("request mean"));
    let markdown = compared(&desk, &["--format", "markdown"], 3);
    assert!(
        markdown.contains("| workflows | response p50 | "),
        "{markdown}"
    );
    assert!(markdown.contains(" | **regressed** |"), "{markdown}");
    assert_eq!(compared(&desk, &["--format", "quiet"], 3), "");
    let json: Value =
        serde_json::from_str(&compared(&desk, &["--format", "json"], 3)).expect("JSON");
    assert_eq!(json["judgement"], "regressed");
    assert_eq!(json["obstacles"], json!([]));
    // What matters least is set by who asks.
    let said = compared(&desk, &["--min-change", "3"], 0);
    assert!(!said.starts_with("REGRESSED"), "{said}");
}

#[test]
fn undecided_is_0_and_strictly_3() {
    let desk = Desk::new();
    desk.file("a.json", &read_json(&golden("a")).to_string());
    let mut short = read_json(&golden("a"));
    // Without intervals, seconds and sizes nothing can be judged.
    strip(&mut short);
    std::fs::create_dir(desk.path("b")).expect("a writable folder");
    desk.file("b/result.json", &short.to_string());
    let said = compared(&desk, &[], 0);
    assert!(
        said.starts_with("UNDECIDED  golden: no figure could be judged"),
        "{said}"
    );
    assert!(said.contains("at least 20 s of load"), "{said}");
    compared(&desk, &["--strict"], 3);
}

/// Takes intervals, sizes and seconds away.
fn strip(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for key in ["payload", "intervals_95", "request", "state_received"] {
                map.remove(key);
            }
            if map
                .get("response")
                .is_some_and(|sizes| sizes.get("mean_bytes").is_some())
            {
                map.remove("response");
            }
            if map.contains_key("seconds") {
                map.insert("seconds".to_owned(), json!([]));
            }
            map.values_mut().for_each(strip);
        }
        Value::Array(list) => list.iter_mut().for_each(strip),
        _ => {}
    }
}

#[test]
fn what_differs_is_refused_with_every_reason_unless_forced() {
    let desk = results(|b| {
        let other = b["scenario"]["text"].as_str().expect("text");
        let other = other.replace("rate_per_s = 20", "rate_per_s = 30");
        b["scenario"]["text"] = other.into();
        b["scenario"]["sha256"] = "11".repeat(32).into();
        b["seed"] = 4.into();
        b["environment"]["fingerprint"] = "another machine".into();
        b["partial"] = true.into();
    });
    let said = desk.refused(["compare", "a.json", "b"], 2);
    for reason in [
        "a.json (A) and b (B) ought not to be compared: ",
        "first in line 8: `rate_per_s = 20` and `rate_per_s = 30`",
        "the seeds differ: 3 and 4",
        "`another machine`",
        "B is a checkpoint of a run that had not ended",
        "--force compares them all the same",
    ] {
        assert!(said.contains(reason), "{reason}: {said}");
    }
    let said = compared(&desk, &["--force"], 0);
    assert!(
        said.contains("compared all the same (--force): the seeds differ"),
        "{said}"
    );
    let said = compared(&desk, &["--force", "--format", "json"], 0);
    let json: Value = serde_json::from_str(&said).expect("JSON");
    let codes = json["obstacles"].as_array().expect("a list").iter();
    let codes: Vec<&Value> = codes.map(|one| &one["code"]).collect();
    assert_eq!(codes, ["scenario", "seed", "machine", "partial"]);
}

#[test]
fn what_is_no_result_is_named() {
    let desk = Desk::new();
    let whole = std::fs::read_to_string(golden("a")).expect("it is committed");
    desk.file("a.json", &whole);
    std::fs::create_dir(desk.path("empty")).expect("a writable folder");
    let said = desk.refused(["compare", "a.json", "empty"], 2);
    assert!(said.contains("cannot read empty/result.json: "), "{said}");
    let said = desk.refused(["compare", "nowhere", "a.json"], 2);
    assert!(said.contains("cannot read nowhere: "), "{said}");
    let version = |version: u64| json!({"schema_version": version}).to_string();
    let mut without = read_json(&golden("a"));
    without["load"]
        .as_object_mut()
        .expect("a table")
        .remove("planned");
    for (content, told) in [
        ("", "bad.json: not a result file: "),
        ("hello", "bad.json: not a result file: "),
        (&whole[..whole.len() / 2], "bad.json: not a result file: "),
        (
            &version(0),
            "schema_version is 0, this program reads version 1",
        ),
        (
            &version(2),
            "schema_version is 2, this program reads version 1",
        ),
        (&without.to_string(), "load: missing field `planned`"),
    ] {
        desk.file("bad.json", content);
        let said = desk.refused(["compare", "a.json", "bad.json"], 2);
        assert!(said.contains(told), "{told}: {said}");
        let said = desk.refused(["compare", "--force", "bad.json", "a.json"], 2);
        assert!(said.contains(told), "{told}: {said}");
    }
}

#[test]
fn null_figures_are_nothing_and_not_zero() {
    let desk = results(|b| b["load"]["throughput_per_s"] = Value::Null);
    let said = compared(&desk, &["--all"], 0);
    let line = said.lines().find(|line| line.contains("throughput ok"));
    let line = line.expect("A has it");
    assert!(line.contains("n/a") && line.contains("only in A"), "{line}");
}
