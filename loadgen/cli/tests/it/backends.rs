//! `loadgen backends`. Which is faster depends on the machine, so that no test asks.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use rustix::process::Signal;
use serde_json::Value;

use crate::fixtures::workspace;
use crate::processes::tell;
use crate::program::{Desk, list, number, read_json, text, valid};

const SCENARIO: &str = r#"
name = "tiny"
thresholds = ["ok.rate >= 0.99"]

[fleet]
replicas = 2

[load]
rate_per_s = 40
duration_s = 30

[[workflow]]
tool = "wizard"
arguments = { rounds = 2, pad_bytes = 512 }
"#;

/// Reads a comparison and checks it against the committed schema.
fn comparison(json: &str) -> Value {
    let path = workspace().join("loadgen/measure/schema/backends-v1.schema.json");
    let schema = jsonschema::validator_for(&read_json(&path)).expect("it is a schema");
    let compared = serde_json::from_str(json).expect("it is JSON");
    let problems: Vec<String> = schema
        .iter_errors(&compared)
        .map(|e| e.to_string())
        .collect();
    assert_eq!(problems, [""; 0]);
    compared
}

#[test]
fn two_backends_are_run_there_and_back() {
    let desk = Desk::new();
    let scenario = desk.file("tiny.toml", SCENARIO);
    let output = desk
        .loadgen(["backends", "--backend", "ring", "--backend", "rustcrypto"])
        .args([
            "--turns",
            "2",
            "--seconds",
            "0.5",
            "--out",
            "out",
            "--format",
            "json",
        ])
        .arg(scenario)
        .output()
        .expect("loadgen can be run");
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    let compared = comparison(&stdout);
    let file = std::fs::read_to_string(desk.path("out/backends.json")).expect("it was written");
    assert_eq!(stdout, file);
    assert_eq!(stderr.lines().count(), 4, "a line for each run: {stderr}");

    let backends = list(&compared["contenders"]);
    assert_eq!(backends[0]["backend"], "ring");
    assert_eq!(backends[1]["algorithm"], "xaes-256-gcm");
    let runs = list(&compared["runs"]);
    let order: Vec<u64> = runs.iter().map(|run| number(&run["contender"])).collect();
    assert_eq!(order, [0, 1, 1, 0]);
    let mut busy = false;
    for run in runs {
        let path = run["result"].as_str().expect("a path");
        let json = std::fs::read_to_string(desk.path("out").join(path)).expect("it was kept");
        let result = valid(&json);
        assert_eq!(result["seed"], run["seed"]);
        assert_eq!(number(&run["seed"]), 1 + number(&run["turn"]));
        let contender = &backends[number(&run["contender"]) as usize];
        assert_eq!(result["aead"]["key_use"]["backend"], contender["backend"]);
        assert_eq!(
            run["figures"]["open_and_seal_p50"].as_f64(),
            result["aead"]["open_and_seal"]["p50_ns"].as_f64()
        );
        assert_eq!(
            result["load"]["planned"], 20,
            "half a second of 40 a second"
        );
        busy |= run["status"] == "invalid";
    }
    // Two turns are too few to say anything, which must be said.
    let told = list(&compared["findings"]);
    let unranked = |one: &Value| {
        one.as_str()
            .is_some_and(|s| s.starts_with("nothing is ranked"))
    };
    assert!(busy || told.iter().any(unranked), "{told:?}");
    let code = output.status.code();
    assert_eq!(code, Some(if busy { 5 } else { 0 }), "{stderr}");
    assert!(busy || desk.path("out/backends.svg").exists());
}

#[test]
fn what_cannot_be_compared_is_a_usage_error_that_says_why() {
    let desk = Desk::new();
    let with = desk.file("with.toml", SCENARIO);
    let without = SCENARIO.replace("[fleet]\nreplicas = 2", "");
    let without = desk.file("without.toml", &without);
    let stages = SCENARIO.replace(
        "rate_per_s = 40\nduration_s = 30",
        "[[load.stage]]\nname = \"a\"\nrate_per_s = 4\nduration_s = 3",
    );
    let stages = desk.file("stages.toml", &stages);
    let (with, without) = (with.display().to_string(), without.display().to_string());
    let stages = stages.display().to_string();
    let url = "http://127.0.0.1:9/mcp";
    for (args, said) in [
        (vec![&*without], "has no [fleet]"),
        (vec![&*with, "--target", url], "--target cannot be given"),
        (vec![&*with, "--backend", "ring"], "nothing to compare"),
        (vec![&*stages, "--seconds", "1"], "stages"),
        (
            vec![
                &*with,
                "--algorithm",
                "aes-256-gcm-siv",
                "--backend",
                "graviola",
            ],
            "backend graviola has no aes-256-gcm-siv here",
        ),
    ] {
        let line = desk.refused(["backends"].into_iter().chain(args), 2);
        assert!(line.contains(said), "{line}");
    }
}

#[test]
fn what_does_not_start_is_named_and_left_out() {
    let desk = Desk::new();
    let options = SCENARIO.replace("replicas = 2", "replicas = 2\nfaults = { no_such = 1 }");
    let scenario = desk.file("options.toml", &options);
    let output = desk
        .loadgen([
            "backends",
            "--backend",
            "ring",
            "--backend",
            "rustcrypto",
            "--out",
            "out",
        ])
        .arg(scenario)
        .output()
        .expect("loadgen can be run");
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(2), "{stdout}{stderr}");
    for name in ["ring", "rustcrypto"] {
        assert!(stderr.contains(&format!("loadgen: {name} xaes-256-gcm is left out: ")));
        assert!(
            stdout.contains(&format!("{name} was left out: ")),
            "{stdout}"
        );
    }
    assert!(stdout.contains("there is nothing to compare"), "{stdout}");
    let file = std::fs::read_to_string(desk.path("out/backends.json")).expect("it was written");
    assert_eq!(comparison(&file)["base"], Value::Null);
}

#[test]
fn an_interrupt_ends_it_with_what_was_measured() {
    let desk = Desk::new();
    let scenario = desk.file("tiny.toml", SCENARIO);
    let mut child = desk
        .loadgen(["backends", "--backend", "ring", "--backend", "rustcrypto"])
        .args(["--turns", "500", "--seconds", "0.3", "--out", "out"])
        .arg(scenario)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("loadgen can be run");
    let mut lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
    let mut read = || lines.next().expect("more will come").expect("it is text");
    let (first, second) = (read(), read());
    assert!(first.starts_with("loadgen: turn 1 of 500: ring"), "{first}");
    assert!(
        second.starts_with("loadgen: turn 1 of 500: rust"),
        "{second}"
    );
    tell(child.id(), Signal::INT);
    for line in lines {
        line.expect("it is text");
    }
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let file = std::fs::read_to_string(desk.path("out/backends.json")).expect("it was written");
    let compared = comparison(&file);
    assert_eq!(compared["interrupted"], true);
    assert_eq!(compared["partial"], false);
    assert!(list(&compared["runs"]).len() >= 2, "{compared}");
    assert!(text(&output.stdout).contains(", interrupted"));
}
