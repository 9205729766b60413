//! `loadgen pairs`. What is judged here differs so much that no machine can hide it.

use std::io::{BufRead as _, BufReader};
use std::process::{Output, Stdio};

use rustix::process::Signal;
use serde_json::Value;

use crate::fixtures::workspace;
use crate::processes::{is_alive, tell, wait_for};
use crate::program::{Desk, list, number, read_json, text, valid};

const LOADGEN: &str = env!("CARGO_BIN_EXE_loadgen");

/// A fleet of one, and a tool that computes for so long.
fn scenario(cpu_us: u64) -> String {
    format!(
        r#"
name = "work"
thresholds = ["ok.rate >= 0.5"]
[fleet]
replicas = 1
[load]
rate_per_s = 20
duration_s = 0.3
[[workflow]]
tool = "work"
arguments = {{ cpu_us = {cpu_us} }}
"#
    )
}

/// The same without a fleet.
fn homeless() -> String {
    scenario(100).replace("[fleet]\nreplicas = 1\n", "")
}

/// What a command said, and the `pairs.json` that it left, checked against the committed schema.
fn compared(desk: &Desk, args: &[&str]) -> (Output, Value) {
    let mut command = desk.loadgen(["pairs", "--out", "out"]);
    let output = command.args(args).output().expect("loadgen can be run");
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    let file = desk.path("out/pairs.json");
    assert!(file.exists(), "{stdout}{stderr}");
    let path = workspace().join("loadgen/measure/schema/pairs-v1.schema.json");
    let schema = jsonschema::validator_for(&read_json(&path)).expect("it is a schema");
    let result = read_json(&file);
    let problems = schema.iter_errors(&result).map(|e| e.to_string());
    assert_eq!(problems.collect::<Vec<_>>(), [""; 0]);
    (output, result)
}

/// How many runs the machine was too busy for.
fn busy(result: &Value) -> usize {
    let runs = list(&result["runs"]);
    runs.iter().filter(|run| run["status"] == "invalid").count()
}

#[test]
fn a_tool_that_takes_much_longer_has_regressed() {
    let desk = Desk::new();
    desk.file("a.toml", &scenario(100));
    desk.file("b.toml", &scenario(20_000));
    let (output, result) = compared(
        &desk,
        &[
            "a.toml",
            "--b-scenario",
            "b.toml",
            "--figure",
            "workflow.p50_ms",
        ],
    );
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    if result["ended"] == "failed" {
        assert!(busy(&result) >= 4, "{stdout}");
        assert_eq!(output.status.code(), Some(5));
        return;
    }
    assert_eq!(output.status.code(), Some(3), "{stdout}{stderr}");
    assert!(
        stdout.starts_with("REGRESSED  work: 1 regressed after "),
        "{stdout}"
    );
    assert!(
        stdout.lines().all(|line| line.chars().count() <= 100),
        "{stdout}"
    );
    assert!(stderr.contains("loadgen: pair 1, "), "{stderr}");
    let figure = &list(&result["figures"])[0];
    assert_eq!(figure["judgement"], "regressed");
    // All on one side: 2/0.05 for one figure.
    assert_eq!(number(&figure["decided_after"]), 8);
    assert_eq!(result["ended"], "decided");
    assert!(result["b"]["scenario_sha256"].is_string());
    for name in ["pairs.svg", "report.md"] {
        assert!(desk.path("out").join(name).exists(), "{name}");
    }
    let comment = std::fs::read_to_string(desk.path("out/report.md")).expect("it is there");
    assert!(comment.starts_with("**regressed** work: "), "{comment}");
}

#[test]
fn sides_are_run_there_and_back_with_one_schedule_a_turn() {
    let desk = Desk::new();
    desk.file("a.toml", &scenario(100));
    let (output, result) = compared(
        &desk,
        &["a.toml", "--pairs", "2", "--seed", "7", "--format", "json"],
    );
    assert_eq!(
        read_json(&desk.path("out/pairs.json")),
        serde_json::from_slice::<Value>(&output.stdout).expect("JSON")
    );
    let runs = list(&result["runs"]);
    assert!(runs.len() >= 4, "{runs:?}");
    let sides: Vec<&str> = runs[..4]
        .iter()
        .map(|run| run["side"].as_str().expect("a side"))
        .collect();
    assert!(
        sides == ["a", "b", "b", "a"] || sides == ["b", "a", "a", "b"],
        "{sides:?}"
    );
    for run in runs {
        assert_eq!(number(&run["seed"]), 7 + number(&run["turn"]));
        let path = run["result"].as_str().expect("a path");
        let kept = std::fs::read_to_string(desk.path("out").join(path)).expect("it was kept");
        assert_eq!(valid(&kept)["seed"], run["seed"]);
    }
    // Two pairs are too few for a word, which is an undecided one: 0, and strictly 3.
    if busy(&result) == 0 {
        assert_eq!(result["ended"], "complete");
        assert_eq!(output.status.code(), Some(0));
        let (strict, _) = compared(
            &desk,
            &["a.toml", "--pairs", "1", "--strict", "--format", "quiet"],
        );
        assert_eq!(strict.status.code(), Some(3));
        assert!(strict.stdout.is_empty() && strict.stderr.is_empty());
    }
}

#[test]
fn loadgen_programs_are_compared_by_their_results() {
    let desk = Desk::new();
    desk.file("a.toml", &scenario(100));
    let (output, result) = compared(
        &desk,
        &["a.toml", "--pairs", "1", "--a", LOADGEN, "--b", LOADGEN],
    );
    assert_eq!(result["a"]["kind"], "program");
    assert!(list(&result["runs"]).len() >= 2);
    let said = text(&output.stdout);
    assert!(said.contains("each program drove its own load"), "{said}");
    let seconds = desk.refused(
        [
            "pairs",
            "a.toml",
            "--seconds",
            "1",
            "--a",
            LOADGEN,
            "--b",
            LOADGEN,
        ],
        2,
    );
    assert!(seconds.contains("change its duration_s"), "{seconds}");
    let none = desk.refused(["pairs", "a.toml", "--a", "false", "--b", "false"], 1);
    assert!(
        none.contains("`false run` ended without a result"),
        "{none}"
    );
}

#[test]
fn servers_are_started_for_each_run_and_ended_after_it() {
    let desk = Desk::new();
    desk.file("a.toml", &homeless());
    let server = format!("'{LOADGEN}' replica --listen {{port}}");
    let (output, result) = compared(
        &desk,
        &["a.toml", "--pairs", "1", "--a", &server, "--b", &server],
    );
    assert_eq!(result["a"]["kind"], "server", "{}", text(&output.stderr));
    let mut pids = Vec::new();
    for run in list(&result["runs"]) {
        assert!(run["status"].is_string(), "{run}");
        let file = desk
            .path("out")
            .join(run["result"].as_str().expect("a path"));
        let log = std::fs::read_to_string(file.with_file_name("server-0.log")).expect("a log");
        let ready = log
            .lines()
            .find(|line| line.starts_with('{'))
            .expect("it was ready");
        let ready: Value = serde_json::from_str(ready).expect("JSON");
        pids.push(u32::try_from(number(&ready["pid"])).expect("a process"));
    }
    assert!(pids.len() >= 2);
    assert!(pids.iter().all(|pid| !is_alive(*pid)), "{pids:?}");
    let unique: std::collections::BTreeSet<&u32> = pids.iter().collect();
    assert_eq!(unique.len(), pids.len());
}

#[test]
fn what_cannot_be_run_is_one_line_that_says_why() {
    let desk = Desk::new();
    desk.file("with.toml", &scenario(100));
    desk.file("without.toml", &homeless());
    let server = format!("'{LOADGEN}' replica --listen {{port}}");
    let url = "http://127.0.0.1:9/mcp";
    for (args, exit, said) in [
        (
            vec!["without.toml"],
            2,
            "has no [fleet] that could be started",
        ),
        (
            vec!["with.toml", "--a", &server],
            2,
            "give both sides in one form",
        ),
        (
            vec!["with.toml", "--a", &server, "--b-target", url],
            2,
            "give both sides in one form",
        ),
        (
            vec!["with.toml", "--a", "'x {port}", "--b", &server],
            2,
            "quotation mark",
        ),
        (
            vec!["with.toml", "--a", &server, "--b", &server, "--url", url],
            2,
            "has no {port}",
        ),
        (
            vec![
                "with.toml",
                "--a",
                "no-such-server {port}",
                "--b",
                "no-such-server {port}",
            ],
            2,
            "cannot start `no-such-server`",
        ),
        (
            vec!["with.toml", "--a", "false {port}", "--b", "false {port}"],
            4,
            "`false {port}` ended at once",
        ),
        (
            vec!["with.toml", "--a-target", url, "--b-target", url],
            4,
            "http://127.0.0.1:9/mcp",
        ),
        (
            vec!["with.toml", "--b-scenario", "none.toml"],
            2,
            "none.toml",
        ),
        (
            vec![
                "with.toml",
                "--figure",
                "retry.p50_ratio",
                "--format",
                "quiet",
            ],
            2,
            "none of the figures that are to be judged: retry.p50_ratio",
        ),
    ] {
        let line = desk.refused(["pairs"].into_iter().chain(args.clone()), exit);
        assert!(line.contains(said), "{args:?}: {line}");
    }
    for (args, said) in [
        (["--pairs", "3", "--max-time", "5"], "cannot be used with"),
        (
            ["--figure", "workflow.p50", "--seed", "1"],
            "a time needs a unit",
        ),
        (["--alpha", "0.5", "--seed", "1"], "below 0.5"),
        (
            ["--max-time", "-1", "--seed", "1"],
            "it must be 0.1 to 604800 seconds",
        ),
    ] {
        let mut command = desk.loadgen(["pairs", "with.toml"]);
        let output = command.args(args).output().expect("loadgen can be run");
        assert_eq!(output.status.code(), Some(2));
        assert!(
            text(&output.stderr).contains(said),
            "{}",
            text(&output.stderr)
        );
    }
}

#[test]
fn an_interrupt_ends_it_with_what_was_measured() {
    let desk = Desk::new();
    desk.file("a.toml", &scenario(100));
    let mut child = desk
        .loadgen(["pairs", "a.toml", "--pairs", "500", "--out", "out"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("loadgen can be run");
    let mut lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
    let first = lines.next().expect("more will come").expect("it is text");
    assert!(first.starts_with("loadgen: pair 1, "), "{first}");
    tell(child.id(), Signal::INT);
    for line in lines {
        line.expect("it is text");
    }
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let result = read_json(&desk.path("out/pairs.json"));
    assert_eq!(result["ended"], "interrupted");
    assert!(list(&result["runs"]).len() >= 2);
    assert!(text(&output.stdout).contains("(interrupted)"));
}

#[test]
fn a_program_that_ignores_interrupts_is_killed_at_the_third() {
    let desk = Desk::new();
    desk.file("a.toml", &scenario(100));
    let deaf = desk.file(
        "deaf",
        "#!/bin/sh\ntrap '' INT\necho $$ > pid\nwhile :; do sleep 0.05; done\n",
    );
    let deaf = format!("sh '{}'", deaf.display());
    let mut child = desk
        .loadgen([
            "pairs", "a.toml", "--out", "out", "--a", &deaf, "--b", &deaf,
        ])
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("loadgen can be run");
    let pid: u32 = wait_for("the program's number", || {
        let text = std::fs::read_to_string(desk.path("pid")).ok()?;
        text.trim().parse().ok()
    });
    let end = wait_for("its end", || {
        tell(child.id(), Signal::INT);
        child.try_wait().expect("it can be waited for")
    });
    assert_eq!(end.code(), Some(130));
    assert!(!is_alive(pid));
}
