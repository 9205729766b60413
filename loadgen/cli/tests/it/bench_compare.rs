//! `loadgen bench-compare` on stored results of benchmarks.

use std::path::PathBuf;

use serde_json::Value;

use crate::fixtures::workspace;
use crate::program::{Desk, text};

fn stored(name: &str) -> PathBuf {
    workspace().join("loadgen/measure/tests/bench").join(name)
}

fn compared(folders: &[&str], more: &[&str], exit: i32) -> String {
    let desk = Desk::new();
    let mut command = desk.loadgen(["bench-compare"]);
    command.args(folders.iter().map(|name| stored(name)));
    let output = command.args(more).output().expect("loadgen can be run");
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(exit), "{stdout}{stderr}");
    assert_eq!(stderr, "");
    stdout
}

const BASELINES: [&str; 4] = ["--baseline", "first", "--baseline", "new"];

#[test]
fn a_slower_benchmark_is_exit_3_in_every_format() {
    let with = |more: &[&str], exit| compared(&["criterion"], &[&BASELINES, more].concat(), exit);
    let said = with(&[], 3);
    assert!(
        said.starts_with("REGRESSED  of 2 benchmarks 1 regressed, 1 equal\n"),
        "{said}"
    );
    assert!(
        said.contains("criterion: regressed, mean +38.5 %"),
        "{said}"
    );
    let markdown = with(&["--format", "markdown"], 3);
    assert!(markdown.contains("| wire/request/256 | "), "{markdown}");
    assert_eq!(with(&["--format", "quiet"], 3), "");
    let json: Value = serde_json::from_str(&with(&["--format", "json"], 3)).expect("JSON");
    assert_eq!(json["judgement"], "regressed");
    assert_eq!(with(&["--min-change", "0.6", "--format", "quiet"], 0), "");
}

#[test]
fn two_folders_of_counts_are_compared() {
    let said = compared(&["gungraun-a", "gungraun-b"], &["--all"], 0);
    assert!(
        said.starts_with("EQUAL  of 2 benchmarks 2 equal\n"),
        "{said}"
    );
}

#[test]
fn folders_without_a_common_benchmark_are_undecided() {
    compared(&["criterion", "gungraun-b"], &[], 0);
    compared(&["criterion", "gungraun-b"], &["--strict"], 3);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let desk = Desk::new();
    let criterion = stored("criterion");
    let folder = criterion.to_str().expect("a plain path");
    let refused = |more: &[&str]| {
        let args = [&["bench-compare", folder], more].concat();
        desk.refused(args, 2)
    };
    for (more, words) in [
        (&[][..], "one folder has to have two results"),
        (
            &["--baseline", "new"],
            "--baseline is given 1 times; give it twice",
        ),
        (
            &["--baseline", "new", "--baseline", "new"],
            "--baseline new twice",
        ),
        (
            &["--baseline", "../x", "--baseline", "new"],
            "no baseline can have that name",
        ),
        (
            &["--baseline", "old", "--baseline", "new"],
            "no baseline `old` of criterion",
        ),
        (&["nowhere"], "cannot read nowhere: "),
    ] {
        let said = refused(more);
        assert!(said.contains(words), "{words}: {said}");
    }
}
