//! Runs against the replica's tools for load, and against its queue.

use serde_json::Value;

use crate::fixtures::Replicas;
use crate::program::{Desk, number};

/// A run of ten workflows of this tool in half a second.
fn ten(tool: &str, arguments: &str, cap: u32) -> String {
    format!(
        r#"
[load]
rate_per_s = 20
duration_s = 0.5
round_cap = {cap}

[[workflow]]
tool = "{tool}"
arguments = {arguments}
"#
    )
}

fn outcomes(result: &Value) -> &Value {
    &result["load"]["outcomes"]
}

#[test]
fn a_tool_that_never_stops_asking_is_left_at_the_cap() {
    let replicas = Replicas::start(1, &[]);
    let ran = Desk::new().run(&ten("nag", "{}", 4), &replicas.urls());
    assert_eq!(number(&outcomes(&ran.result)["round_cap"]), 10);
    assert_eq!(ran.books_balance(), 10);
    assert_eq!(number(&ran.result["load"]["rounds"]), 50, "five sends each");
}

#[test]
fn nine_rounds_fit_under_a_cap_of_eight_retries_and_ten_do_not() {
    let replicas = Replicas::start(2, &[]);
    for (questions, outcome) in [(8, "ok"), (9, "round_cap")] {
        let arguments = format!("{{ rounds = {questions}, bytes_per_round = 100 }}");
        let ran = Desk::new().run(&ten("grow", &arguments, 8), &replicas.urls());
        assert_eq!(number(&outcomes(&ran.result)[outcome]), 10, "{outcome}");
    }
}

#[test]
fn nothing_is_faster_than_the_service_time_of_the_queue() {
    let replicas = Replicas::start(1, &["--fifo", "const:5ms"]);
    let ran = Desk::new().run(&ten("echo", "{}", 10), &replicas.urls());
    assert_eq!(number(&outcomes(&ran.result)["ok"]), 10);
    let least = &ran.result["all"]["workflows"]["ok"]["service"]["min_ns"];
    assert!(number(least) >= 5_000_000, "{least}");
}

#[test]
fn a_service_time_that_cannot_be_read_is_a_usage_error() {
    let desk = Desk::new();
    for options in [
        &["--fifo", "uniform:1ms"][..],
        &["--fifo", "const:0us"],
        &["--fifo-seed", "2"],
    ] {
        let mut command = desk.loadgen(["replica"]);
        let output = command.args(options).output().expect("loadgen can be run");
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        assert!(output.stdout.is_empty());
    }
}
