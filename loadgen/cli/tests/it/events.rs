//! What a scenario lets happen to its own replicas during the load.

use serde_json::{Value, json};

use crate::program::{Desk, list, number};

/// A fleet of two, 40 workflows/s for 2 s, and these events.
fn scenario(fleet: &str, events: &str) -> String {
    format!(
        "name = \"events\"\nthresholds = []\n[fleet]\nreplicas = 2\n{fleet}\n[load]\nrate_per_s = 40\n\
         duration_s = 2\n{events}\n[[workflow]]\ntool = \"wizard\"\narguments = {{ rounds = 1 }}\n"
    )
}

fn event(at_s: f64, act: &str) -> String {
    format!("[[event]]\nat_s = {at_s}\nact = \"{act}\"\n")
}

fn happened(result: &Value) {
    for event in list(&result["events"]) {
        assert!(event.get("errors").is_none(), "{event}");
        assert!(
            event["begun_s"].as_f64() >= event["at_s"].as_f64(),
            "{event}"
        );
        assert!(
            event["done_s"].as_f64() >= event["begun_s"].as_f64(),
            "{event}"
        );
    }
}

#[test]
fn a_killed_replica_fails_until_it_is_started_again() {
    let events =
        event(0.5, "kill") + "replicas = [1]\n" + &event(1.0, "start") + "replicas = [1]\n";
    let ran = Desk::new().run(&scenario("", &events), &[]);
    ran.exits_with(0);
    let result = &ran.result;
    happened(result);
    let replica = &result["replicas"][1];
    assert!(replica.get("died").is_none(), "it was told to: {replica}");
    assert_eq!(replica["restarts"], 1);
    let phases: Vec<&Value> = list(&result["phases"]).iter().collect();
    let names: Vec<&Value> = phases.iter().map(|phase| &phase["name"]).collect();
    assert_eq!(
        names,
        [
            "load",
            "load, from kill replica 1",
            "load, from start replica 1"
        ]
    );
    let started = |phase: &Value| number(&phase["work"]["started"]);
    assert_eq!(phases.iter().map(|p| started(p)).sum::<u64>(), 80);
    assert_eq!(phases[0]["work"]["workflows"]["ok"]["count"], 20);
    // Half of the rounds go to a closed port: of 20 workflows none of which fails is one in 10^12.
    let failed =
        |phase: &Value| started(phase) - number(&phase["work"]["workflows"]["ok"]["count"]);
    assert!(failed(phases[1]) > 0, "{result}");
    assert!(failed(phases[1]) > failed(phases[2]), "{result}");
}

#[test]
fn keys_turn_without_a_refusal_in_the_right_order() {
    let turn = |at: f64, act: &str, key: u8| event(at, act) + &format!("key = {key}\n");
    let events = turn(0.5, "accept-key", 2) + &turn(1.0, "mint-key", 2) + &turn(1.5, "drop-key", 1);
    let ran = Desk::new().run(&scenario("", &events), &[]);
    ran.exits_with(0);
    happened(&ran.result);
    let outcomes = &ran.result["load"]["outcomes"];
    // A state of key 1 can be under way when the key is dropped; before that none is refused.
    for phase in &list(&ran.result["phases"])[..3] {
        assert!(
            phase["work"]["workflows"].get("state_rejected").is_none(),
            "{outcomes}"
        );
    }
}

#[test]
fn a_restarted_replica_keeps_its_keys_and_a_rolling_restart_goes_one_by_one() {
    let events = event(0.2, "accept-key")
        + "key = 2\n"
        + &event(0.4, "mint-key")
        + "key = 2\n"
        + &event(0.8, "restart");
    let ran = Desk::new().run(&scenario("", &events), &[]);
    ran.exits_with(0);
    happened(&ran.result);
    for replica in list(&ran.result["replicas"]) {
        assert_eq!(replica["restarts"], 1);
        assert!(replica["cpu_s"].as_f64() > Some(0.0), "{replica}");
    }
    assert!(
        ran.result["load"]["outcomes"]
            .get("state_rejected")
            .is_none()
    );
}

#[test]
fn faults_are_set_from_the_start_and_later_for_all_or_one() {
    let fleet = "faults = { latency_ms = 60 }\n[[fleet.replica]]\nnumber = 1\n\
                 faults = { latency_ms = false }\noptions = [\"--page-size\", \"3\"]";
    let events = event(1.0, "set") + "faults = { error_rate = 1.0 }\nreplicas = [0]\n";
    let ran = Desk::new().run(&scenario(fleet, &events), &[]);
    ran.exits_with(0);
    happened(&ran.result);
    // Of many rounds the shortest shows whether all wait.
    let shortest = |replica: usize| number(&ran.result["replicas"][replica]["service"]["min_ns"]);
    assert!(shortest(0) >= 60_000_000);
    assert!(shortest(1) < 60_000_000);
    let failed = |phase: usize| {
        let work = &ran.result["phases"][phase]["work"];
        number(&work["started"]) - number(&work["workflows"]["ok"]["count"])
    };
    // A workflow of the first phase can still be under way at the change.
    assert!(failed(1) > failed(0), "{}", ran.result["phases"]);
}

#[test]
fn an_event_that_cannot_be_done_makes_the_run_invalid() {
    let desk = Desk::new();
    let events =
        event(0.5, "start") + "replicas = [0]\n" + &event(1.0, "kill") + &event(1.5, "kill");
    let ran = desk.run(&scenario("", &events), &[]);
    ran.exits_with(5);
    let reasons = json!(ran.result["verdict"]["reasons"]).to_string();
    assert!(
        reasons.contains("event start replica 0: replica 0: it has not ended"),
        "{reasons}"
    );
    assert!(reasons.contains("it has ended already"), "{reasons}");
}

#[test]
fn events_need_a_fleet_of_the_run() {
    let desk = Desk::new();
    let text = scenario("", &event(0.5, "kill"));
    desk.file("s.toml", &text);
    let line = desk.refused(["run", "s.toml", "--target", "http://127.0.0.1:9/mcp"], 2);
    assert!(line.contains("leave out --target"), "{line}");
    for (from, to, want) in [
        (
            "replicas = 2\n",
            "replicas = 2\noptions = [\"--listen=1\"]\n",
            "`--listen` cannot be given here",
        ),
        ("act = \"kill\"", "act = \"stop\"", "act must be \"kill\""),
        (
            "act = \"kill\"",
            "act = \"freeze\"",
            "`freeze` needs `for_s`",
        ),
        (
            "act = \"kill\"",
            "act = \"kill\"\nfor_s = 1",
            "`kill` has no `for_s`",
        ),
        (
            "act = \"kill\"",
            "act = \"kill\"\nreplicas = [2]",
            "the last one is 1",
        ),
        ("act = \"kill\"", "act = \"set\"", "`set` needs `faults`"),
        ("at_s = 0.5", "at_s = 2", "at_s must be below 2"),
        ("[fleet]\nreplicas = 2\n", "", "needs a [fleet]"),
    ] {
        desk.file("s.toml", &text.replace(from, to));
        let line = desk.refused(["check", "s.toml"], 2);
        assert!(line.contains(want), "{to}: {line}");
    }
}

#[test]
fn what_a_replica_does_not_take_is_an_error_of_the_scenario() {
    let desk = Desk::new();
    for (fleet, want) in [
        (
            "options = [\"--nonsense\"]",
            "unexpected argument '--nonsense'",
        ),
        ("options = [\"--limit\", \"20/d\"]", "'20/d'"),
    ] {
        desk.file("s.toml", &scenario(fleet, ""));
        // Found before anything is started.
        for command in ["check", "run"] {
            let line = desk.refused([command, "s.toml"], 2);
            let said = "s.toml: replica 0 does not take what [fleet] gives it: ";
            assert!(line.contains(said) && line.contains(want), "{line}");
        }
    }
    // Faults are known to the replica alone.
    desk.file("s.toml", &scenario("faults = { latncy_ms = 1 }", ""));
    let line = desk.refused(["run", "s.toml"], 2);
    for said in [
        "it does not take what [fleet] gives it",
        "set.latncy_ms: no such key",
    ] {
        assert!(line.contains(said), "{line}");
    }
}

#[test]
fn events_of_one_moment_happen_in_their_order() {
    let events = event(0.5, "set")
        + "faults = { latency_ms = 1 }\n"
        + &event(0.5, "accept-key")
        + "key = 2\n"
        + &event(0.5, "mint-key")
        + "key = 2\n"
        + &event(0.5, "clear")
        + &event(0.5, "drop-key")
        + "key = 1\n";
    let ran = Desk::new().run(&scenario("", &events), &[]);
    let result = &ran.result;
    happened(result);
    assert_eq!(list(&result["events"]).len(), 5);
    assert!(
        list(&result["findings"])
            .iter()
            .all(|finding| finding["code"] != "event_failed")
    );
}

#[test]
fn a_key_that_is_turned_too_early_is_named_with_the_moment_that_would_do() {
    let events = event(0.3, "accept-key")
        + "key = 2\n"
        + &event(0.5, "mint-key")
        + "key = 2\n"
        + &event(1.2, "drop-key")
        + "key = 1\n";
    let ran = Desk::new().run(&scenario("ttl_s = 3", &events), &[]);
    let result = &ran.result;
    happened(result);
    let turns: Vec<&Value> = list(&result["events"])
        .iter()
        .filter_map(|event| event.get("key"))
        .collect();
    let from = |turn: &Value| turn["harmless_from_s"].as_f64().unwrap();
    assert_eq!(turns.len(), 2, "accepting harms nobody");
    assert_eq!((&turns[0]["key"], &turns[1]["key"]), (&json!(2), &json!(1)));
    assert!(from(turns[0]) >= 0.3 && from(turns[1]) >= 3.5, "{turns:?}");
    let named = list(&result["findings"]).iter().any(|finding| {
        let said = finding["sentence"].as_str().unwrap();
        finding["code"] == "key_turned_too_early" && said.starts_with("key 1 was dropped at 1.")
    });
    assert!(named, "{}", result["findings"]);
}
