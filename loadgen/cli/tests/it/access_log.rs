//! `--access-log` of `loadgen replica`.

use serde_json::Value;

use crate::fixtures::Replicas;
use crate::program::Desk;

const SCENARIO: &str = r#"
[load]
rate_per_s = 50
duration_s = 1

[[workflow]]
tool = "confirm_delete"
arguments = { path = "a" }
"#;

#[test]
fn a_run_finds_each_of_its_requests_in_the_logs_of_its_targets() {
    let desk = Desk::new();
    let log = desk.path("access.jsonl");
    // What was there before stays.
    std::fs::write(&log, "{\"outcome\":\"before\"}\n").expect("a temporary folder");
    let option = log.to_str().expect("a plain path");
    let replicas = Replicas::start(2, &["--access-log", option]);
    let ran = desk.run(SCENARIO, &replicas.urls());
    ran.exits_with(0);
    drop(replicas);

    let text = std::fs::read_to_string(&log).expect("the log");
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("whole lines, also from two writers"))
        .collect();
    let count = |outcome: &str| {
        lines
            .iter()
            .filter(|line| line["outcome"] == outcome)
            .count()
    };
    assert_eq!(count("before"), 1);
    assert!(count("asked") >= 50 && count("completed") >= 50, "{text}");
    assert_eq!(count("asked"), count("completed"));
}

#[test]
fn a_log_that_cannot_be_written_is_a_usage_error() {
    let desk = Desk::new();
    desk.file(
        "keys",
        "1:mint:bG9hZGdlbi10ZXN0LWtleS1ub3QtYS1zZWNyZXQtMDE\n",
    );
    let options = ["--key-file", "keys", "--access-log", "no/such/folder"];
    let said = desk.refused(["replica"].iter().chain(&options), 2);
    assert!(said.contains("--access-log no/such/folder"), "{said}");
}
