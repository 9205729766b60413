//! `loadgen calibrate`. What it measures depends on the machine, so that only counts are looked at.

use serde_json::Value;

use crate::program::{Desk, list, text};

#[test]
fn every_request_of_a_case_is_answered_and_the_exit_code_is_the_judgement() {
    let desk = Desk::new();
    let args = [
        "calibrate",
        "--only",
        "fixed",
        "--only",
        "slow",
        "--seconds",
        "4",
    ];
    let output = desk
        .loadgen(args)
        .args(["--format", "json", "--connections", "16"])
        .output()
        .expect("loadgen can be run");
    let told: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}{}", text(&output.stdout), text(&output.stderr)));
    let exit = match told["judgement"].as_str().expect("a judgement") {
        "good" => 0,
        "wrong" => 1,
        "generator-bound" => 5,
        other => panic!("{other}"),
    };
    assert_eq!(output.status.code(), Some(exit));
    let [sitting] = list(&told["sittings"]) else {
        panic!("one sitting: {told}");
    };
    assert_eq!(sitting["connections"], 16);
    assert!(sitting["base_ms"]["p50"].as_f64() > Some(0.0), "{sitting}");
    let cases = list(&sitting["cases"]);
    assert_eq!(cases.len(), 2);
    for case in cases {
        let rows = list(&case["rows"]);
        let row = |figure: &str| {
            let found = rows.iter().find(|row| row["figure"] == figure);
            found.unwrap_or_else(|| panic!("no {figure}: {case}"))
        };
        assert_eq!(row("answered")["within"], true, "{case}");
        if case["case"] == "fixed" {
            // The replica's own time is no matter of the machine's speed either.
            assert_eq!(row("below 0.3 ms")["within"], true, "{case}");
        }
        let all = rows.iter().all(|row| row["within"] == true);
        assert_eq!(case["within"], all);
    }
}

#[test]
fn a_case_or_time_that_is_none_is_a_usage_error() {
    for args in [
        ["--only", "everything"],
        ["--seconds", "3"],
        ["--connections", "0"],
        ["--threads", "65"],
    ] {
        let desk = Desk::new();
        let mut command = desk.loadgen(["calibrate"]);
        let output = command.args(args).output().expect("loadgen can be run");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty());
    }
}
