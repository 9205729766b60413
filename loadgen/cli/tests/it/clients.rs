//! What clients do to servers: faults of theirs, and answers other than yes.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::fixtures::Replicas;
use crate::program::Desk;

/// What the replica's log says of the states of the rounds that were not answered well, and how often.
fn states(log: &str) -> BTreeMap<String, u64> {
    let mut states = BTreeMap::new();
    for line in log.lines() {
        let line: Value = serde_json::from_str(line).expect("whole lines");
        if let Some(state) = line["state"].as_str() {
            *states.entry(state.to_owned()).or_insert(0) += 1;
        }
    }
    states
}

#[test]
fn each_way_to_break_a_state_is_named_by_the_replica() {
    for (fault, named) in [
        ("cut", "changed"),
        ("newline", "changed"),
        ("percent-encoded", "invented"),
        ("base64", "invented"),
        ("omitted", "missing"),
        ("invented", "invented"),
    ] {
        let desk = Desk::new();
        let log = desk.path("access.jsonl");
        let replicas = Replicas::start(1, &["--access-log", log.to_str().expect("a plain path")]);
        let scenario = format!(
            "thresholds = []\n[load]\nrate_per_s = 10\nduration_s = 1\nround_cap = 1\n\
             [[workflow]]\ntool = \"confirm_delete\"\narguments = {{ path = \"a\" }}\n\
             break_state = \"{fault}\"\n"
        );
        desk.run(&scenario, &replicas.urls());
        drop(replicas);
        let states = states(&std::fs::read_to_string(&log).expect("the log"));
        // The probe's own state is a good one.
        assert_eq!(states.get("opened"), Some(&1), "{fault}: {states:?}");
        assert_eq!(states.get(named), Some(&10), "{fault}: {states:?}");
    }
}
