//! The options of `loadgen replica` for what it admits, and what a run makes of its refusals.

use crate::fixtures::{Replicas, workspace};
use crate::metrics::get;
use crate::program::{Desk, list, names, number, text};

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

/// Presets, the signal that a client names, and what a client on an official SDK sees of it.
const PRESETS: [(&str, &str, &str); 17] = [
    ("agentgateway", "x_rate_limit_reset", "hidden"),
    ("buildkite", "rate_limit_reset", "hidden"),
    ("cloudflare", "retry_after_seconds", "hidden"),
    ("cloudflare-edge", "retry_after_seconds", "hidden"),
    ("contextforge", "json_rpc_error", "in_part"),
    ("everyinfra", "is_error_text", "seen"),
    ("firezone", "retry_after_seconds", "in_part"),
    ("gitlab", "retry_after_seconds", "hidden"),
    ("gitlab-api", "is_error_structured", "seen"),
    ("meraki", "result_text", "as_success"),
    ("sep-2678", "json_rpc_error", "in_part"),
    ("sep-3304", "retry_after_seconds", "in_part"),
    ("toolhive", "retry_after_seconds", "in_part"),
    ("toolhive-core", "json_rpc_error", "seen"),
    ("toolhive-legacy", "is_error_text", "seen"),
    ("tyk", "json_rpc_error", "in_part"),
    ("ucp", "json_rpc_error", "in_part"),
];

/// Words that no preset has.
const WORDS: [(&str, &str, &str); 9] = [
    ("text,retry-after=date", "retry_after_date", "hidden"),
    ("text,ratelimit", "rate_limit", "hidden"),
    (
        "text,ratelimit-trio,reset=epoch",
        "rate_limit_reset",
        "hidden",
    ),
    (
        "text,x-ratelimit,reset=epoch",
        "x_rate_limit_reset",
        "hidden",
    ),
    ("text,retry-after=soon", "http_status", "hidden"),
    ("problem", "problem", "hidden"),
    ("html", "http_status", "hidden"),
    ("result-error", "result_type_error", "as_success"),
    (
        "text,status=503,retry-after",
        "retry_after_seconds",
        "hidden",
    ),
];

#[test]
fn every_preset_of_the_documentation_is_tried() {
    let page = std::fs::read_to_string(workspace().join("docs/rate-limit-signals.md"));
    let page = page.expect("the page is there");
    let (_, table) = page.split_once("| preset | words |").expect("a table");
    let rows = table.lines().filter_map(|row| row.strip_prefix("| `"));
    let presets: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
    let tried: Vec<&str> = PRESETS.iter().map(|(preset, _, _)| *preset).collect();
    assert_eq!(presets, tried);
}

#[test]
fn a_run_names_every_preset() {
    PRESETS.iter().for_each(is_named);
}

#[test]
fn a_run_names_every_other_word() {
    WORDS.iter().for_each(is_named);
}

/// Runs against a replica that refuses in this way: all refusals are throttled, and named.
fn is_named((words, signal, sdk): &(&str, &str, &str)) {
    let options = ["--limit", "1/h", "--limit-burst", "10"];
    let replicas = Replicas::start(1, &[&options[..], &["--limit-signal", words]].concat());
    let scenario = format!("{SCENARIO}[throttle]\nresult_text = [\"Rate limit exceeded\"]\n");
    let ran = Desk::new().run(&scenario, &replicas.urls());
    ran.books_balance();
    let outcomes = &ran.result["load"]["outcomes"];
    let throttled = number(&outcomes["throttled"]);
    assert!(throttled > 0, "{words}: {outcomes}");
    let seen = names(outcomes);
    assert!(
        seen.iter().all(|name| ["ok", "throttled"].contains(name)),
        "{words}: {seen:?}"
    );
    let [said] = list(&ran.result["throttle"]["signals"]) else {
        panic!("{words}: {}", ran.result["throttle"]);
    };
    assert_eq!(said["signal"], *signal, "{words}");
    assert_eq!(number(&said["count"]), throttled, "{words}");
    assert_eq!(number(&said["sdk"][sdk]), throttled, "{words}: {said}");
    assert!(ran.has_finding("throttled"), "{words}");
    let guessed = ["is_error_text", "result_text"].contains(signal);
    let guesses = if guessed { throttled } else { 0 };
    assert_eq!(number(&said["guessed"]), guesses, "{words}");
}

#[test]
fn a_run_that_honours_waits_gets_everything_through() {
    let replicas = Replicas::start(1, &["--limit", "20/s", "--limit-burst", "5"]);
    let throttle =
        "[throttle]\non = \"honour\"\nmax_attempts = 100\njitter_s = 0.5\nlimit_per_s = 20\n";
    let ran = Desk::new().run(&format!("{SCENARIO}{throttle}"), &replicas.urls());
    let planned = ran.books_balance();
    assert_eq!(number(&ran.result["load"]["outcomes"]["ok"]), planned);
    let throttle = &ran.result["throttle"];
    let refused = number(&throttle["refused"]);
    assert!(refused > 0);
    assert_eq!(number(&throttle["new_attempts"]), refused);
    assert_eq!(number(&throttle["wasted_attempts"]), refused);
    assert_eq!(number(&throttle["waited"]["count"]), refused);
    // Retry-After is in whole seconds, so nobody comes back before one is over.
    assert!(number(&throttle["waited"]["min_ns"]) >= 1_000_000_000);
    assert!(ran.stdout.contains("Rate limits: "), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("in response times, in no service time"),
        "{}",
        ran.stdout
    );
}

#[test]
fn check_says_what_happens_at_a_limit() {
    let desk = Desk::new();
    let throttle = "[throttle]\non = \"probe\"\nretry_on = [\"5xx\"]\nbudget = {}\n\
                    limit_per_s = 2.5\nresult_text = [\"Slow down\"]\n";
    let file = desk.file("scenario.toml", &format!("{SCENARIO}{throttle}"));
    let output = desk.loadgen(["check".as_ref(), file.as_os_str()]).output();
    let said = text(&output.expect("loadgen can be run").stdout);
    for line in [
        "limits one workflow tests a replica that throttles, the others hold back at most 60 s",
        "limits rounds are attempted again after 5xx, up to 3 attempts",
        "limits the retry budget lets 16.7 % of attempts fail in the long run",
        "limits the target is meant to admit 2.5 requests/s",
        "limits a success that says `Slow down` is a refusal",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let tokens = "[client]\ntokens_command = [\"./tokens\"]\n";
    let file = desk.file("scenario.toml", &format!("{SCENARIO}{throttle}{tokens}"));
    let output = desk.loadgen(["check".as_ref(), file.as_os_str()]).output();
    let said = text(&output.expect("loadgen can be run").stdout);
    for line in [
        "tokens as ./tokens will print them, one a workflow",
        "limits one workflow tests a replica that throttles its token",
        "limits the retry budget of each token lets 16.7 %",
    ] {
        assert!(said.contains(line), "{line}: {said}");
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
