//! The options of `loadgen replica` for what it admits, and what a run makes of its refusals.

use crate::fixtures::Replicas;
use crate::metrics::get;
use crate::program::{Desk, names, number};

#[test]
fn options_that_need_each_other_are_refused_alone() {
    let desk = Desk::new();
    let keys = desk.file(
        "keys",
        "1:mint:bG9hZGdlbi10ZXN0LWtleS1ub3QtYS1zZWNyZXQtMDE\n",
    );
    let keys = keys.to_str().expect("a path in UTF-8");
    let limit = ["--limit", "30/min"];
    for (options, message) in [
        (
            &["--limit-mode", "shared"][..],
            "--limit-mode shared needs --redis URL",
        ),
        (
            &["--limit-mode", "divided"],
            "--limit-mode divided needs --fleet-size N",
        ),
        (
            &["--fleet-size", "3"],
            "--fleet-size is of use with --limit-mode divided alone",
        ),
        (
            &["--redis", "redis://127.0.0.1/"],
            "--redis is of use with --limit-mode shared or --store redis alone",
        ),
        (&["--store", "redis"], "--store redis needs --redis URL"),
        (
            &["--limit-mode", "divided", "--fleet-size", "31"],
            "--limit, --limit-burst: a burst of 30 cannot be divided among 31 replicas; give a burst of 31 or more",
        ),
        (
            &["--limit-burst", "2000000"],
            "--limit, --limit-burst: a burst of 2000000 at 30/min takes more than 30 days to refill; make it smaller",
        ),
        (
            &["--limit-mode", "shared", "--redis", "somewhere"],
            "--redis: the Redis URL cannot be used; one is redis://HOST:PORT/DB: Redis URL did not parse - InvalidClientConfig",
        ),
    ] {
        let args = [&["replica", "--key-file", keys][..], &limit, options].concat();
        assert_eq!(
            desk.refused(args, 2),
            format!("loadgen replica: {message}\n")
        );
    }
}

#[test]
fn options_of_a_limit_are_refused_without_one() {
    for option in [
        ["--limit-burst", "1"],
        ["--limit-scope", "item"],
        ["--limit-mode", "local"],
        ["--fleet-size", "2"],
        ["--limit-signal", "rpc"],
    ] {
        let desk = Desk::new();
        let mut command = desk.loadgen([&["replica"][..], &option].concat());
        let output = command.output().expect("loadgen can be run");
        assert_eq!(output.status.code(), Some(2), "{option:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("--limit <RATE>"), "{said}");
    }
}

/// Calls that ask nothing, so that each workflow is one request.
const SCENARIO: &str = r#"
[load]
rate_per_s = 40
duration_s = 1

[[workflow]]
tool = "echo"
arguments = { text = "a" }
"#;

#[test]
fn a_run_sees_refusals_as_throttled_however_they_look() {
    for signal in [
        "retry-after",
        "toolhive-core",
        "is-error",
        "text",
        "everyinfra",
    ] {
        let options = [
            "--limit",
            "1/h",
            "--limit-burst",
            "20",
            "--limit-signal",
            signal,
        ];
        let replicas = Replicas::start(1, &options);
        let ran = Desk::new().run(SCENARIO, &replicas.urls());
        ran.books_balance();
        let outcomes = &ran.result["load"]["outcomes"];
        let throttled = number(&outcomes["throttled"]);
        assert!(throttled > 0, "{signal}: {outcomes}");
        assert!(number(&outcomes["ok"]) <= 20, "{signal}: {outcomes}");
        let seen = names(outcomes);
        assert!(
            seen.iter().all(|name| ["ok", "throttled"].contains(name)),
            "{signal}: {seen:?}"
        );
    }
}

#[test]
fn a_replica_records_used_states_where_it_is_told_to() {
    let redeem = r#"
[load]
rate_per_s = 20
duration_s = 1

[[workflow]]
tool = "redeem"
arguments = { code = "a" }
"#;
    for (store, records) in [("none", false), ("memory", true)] {
        let replicas = Replicas::start(1, &["--store", store, "--metrics", "0"]);
        let ran = Desk::new().run(redeem, &replicas.urls());
        assert!(number(&ran.result["load"]["outcomes"]["ok"]) > 0);
        let page = get(&replicas.metrics()[0]);
        let count = |answer: &str| {
            let sample = format!("loadgen_replica_store_answers_total{{answer=\"{answer}\"}} ");
            let count = page.lines().find_map(|line| line.strip_prefix(&sample));
            let count: u64 = count.expect("the sample").parse().expect("a number");
            count
        };
        assert_eq!(count("first") > 0, records, "{page}");
        assert_eq!(count("again"), 0, "{page}");
    }
}
