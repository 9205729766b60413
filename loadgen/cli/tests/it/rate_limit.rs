//! What a run says of the limit of its own replicas, and how it changes that.

use crate::program::{Desk, list, number};

/// Two replicas that each admit both tokens this many requests and refill next to nothing, and these
/// events.
fn scenario(limit: &str, events: &str) -> String {
    format!(
        "name = \"limited\"\nthresholds = []\n[client]\ntokens_file = \"tokens\"\n[fleet]\nreplicas = 2\n\
         options = [{limit}]\n[load]\nrate_per_s = 200\nduration_s = 2\n{events}\n[[workflow]]\n\
         tool = \"echo\"\n"
    )
}

const LIMIT: &str = "\"--limit\", \"6/h\"";

fn event(at_s: f64, act: &str) -> String {
    format!("[[event]]\nat_s = {at_s}\nact = {act}\n")
}

fn desk() -> Desk {
    let desk = Desk::new();
    desk.file("tokens", "one\ntwo\n");
    desk
}

#[test]
fn replicas_that_count_alone_are_named_with_what_they_admitted() {
    let desk = desk();
    let ran = desk.run(&scenario(LIMIT, ""), &[]);
    ran.exits_with(0);
    // Four quotas: two replicas, two tokens. Of 400 requests one of them gets fewer than six once in
    // 10^30. On each replica the probe has spent one of the first token.
    assert_eq!(number(&ran.result["load"]["outcomes"]["ok"]), 22);
    let limit = &ran.result["replicas"][1]["limit"];
    assert_eq!(limit["mode"], "local");
    assert_eq!(
        (&limit["burst"], &limit["by_item"]),
        (&6.into(), &false.into())
    );
    let rates = &ran.result["rate_limit"];
    assert_eq!(
        (&rates["principals"], &rates["replicas"]),
        (&2.into(), &2.into())
    );
    let whole = rates["limits"][0]["limit_per_s"].as_f64().expect("a limit");
    assert!((whole - 12.0 / 3600.0).abs() < 1e-12, "{whole}");
    // Jain's index of 10 and 12.
    let fairness = rates["fairness"].as_f64().expect("two principals");
    assert!((fairness - 484.0 / 488.0).abs() < 1e-12, "{fairness}");
    let attempts = number(&ran.result["load"]["attempts"]) as f64;
    assert_eq!(
        rates["wasted_share"].as_f64(),
        Some((attempts - 22.0) / attempts)
    );
    assert_eq!(rates["exceeded"], true, "{rates}");
    assert!(
        ran.stdout
            .contains("Limit and admitted rate (replicas say: local)")
    );
    assert!(desk.path("out/rate-limit-over-time.svg").exists());
}

#[test]
fn a_limit_is_changed_and_lifted_and_kept_over_a_restart() {
    let events =
        event(1.0, "\"limit\"\nlimit = \"4/h\"") + &event(1.3, "\"restart\"\nreplicas = [0]");
    let ran = desk().run(&scenario(LIMIT, &events), &[]);
    ran.exits_with(0);
    for event in list(&ran.result["events"]) {
        assert!(event.get("errors").is_none(), "{event}");
    }
    // 24 as above, 16 after the change, and of a new process 8 at most, were it not for which it would
    // be 12.
    let ok = number(&ran.result["load"]["outcomes"]["ok"]);
    assert!((40..=48).contains(&ok), "{ok}");
    let limits = list(&ran.result["rate_limit"]["limits"]);
    assert_eq!(limits.len(), 2, "{limits:?}");
    assert_eq!(limits[1]["from_s"].as_f64(), Some(1.0));
    let names: Vec<&str> = list(&ran.result["rate_limit"]["phases"])
        .iter()
        .filter_map(|phase| phase["name"].as_str())
        .collect();
    assert_eq!(names[1], "load, from limit 4/h all");

    let lifted = event(1.0, "\"limit\"\nlimit = \"none\"");
    let ran = desk().run(&scenario(LIMIT, &lifted), &[]);
    ran.exits_with(0);
    let rates = &ran.result["rate_limit"];
    assert!(rates["limits"][1]["limit_per_s"].is_null(), "{rates}");
    assert!(rates.get("limit_per_s").is_none(), "there was none in part");
    // Replies that were under way at the change count in the phase in which they came.
    let refused = |phase: usize| rates["phases"][phase]["refused_per_s"].as_f64();
    assert!(refused(1) < refused(0), "{rates}");
}

#[test]
fn a_limit_that_cannot_be_changed_is_an_error_of_the_scenario() {
    let desk = desk();
    let change = event(1.0, "\"limit\"\nlimit = \"4/h\"");
    for (limit, events, want) in [
        (
            "",
            change.clone(),
            "replica 0 is started without a limit to change",
        ),
        (
            LIMIT,
            event(1.0, "\"limit\""),
            "`limit` needs `limit`, a rate",
        ),
        (
            LIMIT,
            change.replace("4/h", "4/d"),
            "limit must be a rate as in",
        ),
        (
            LIMIT,
            event(1.0, "\"kill\"\nlimit = \"4/h\""),
            "`kill` has no `limit`",
        ),
    ] {
        desk.file("s.toml", &scenario(limit, &events));
        let line = desk.refused(["check", "s.toml"], 2);
        assert!(line.contains(want), "{want}: {line}");
    }
}
