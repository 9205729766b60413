//! `loadgen history`, over results that were stored once.

use std::process::Command;

use serde_json::{Value, json};

use crate::fixtures::workspace;
use crate::program::{Desk, one_line, text};

/// A command that sees no repository around the desk.
fn history(desk: &Desk, args: &[&str]) -> Command {
    let mut command = desk.loadgen(["history"]);
    command
        .args(args)
        .env("GIT_CEILING_DIRECTORIES", desk.path("."));
    command
}

fn said(desk: &Desk, args: &[&str]) -> String {
    let done = history(desk, args).output().expect("loadgen can be run");
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    text(&done.stdout)
}

/// A stored run on that day, with this median response time of workflows in nanoseconds.
fn result(desk: &Desk, day: u32, p50_ns: u64) {
    let path = workspace().join("loadgen/history/tests/result.json");
    let stored = std::fs::read(path).expect("a file of the repository");
    let mut result: Value = serde_json::from_slice(&stored).expect("JSON");
    result["clock"]["started_at"] = json!(format!(
        "2027-{:02}-{:02}T08:00:00Z",
        1 + day / 28,
        1 + day % 28
    ));
    result.as_object_mut().expect("an object").remove("steady");
    result["all"]["workflows"]["ok"]["response"]["p50_ns"] = json!(p50_ns);
    desk.file("result.json", &result.to_string());
}

#[test]
fn a_run_is_kept_listed_and_shown() {
    let desk = Desk::new();
    result(&desk, 0, 5_000_000);
    let first = said(&desk, &["add", "result.json"]);
    assert_eq!(
        first,
        "run 1 of an unknown commit is kept in results/history.sqlite\n"
    );
    let again = said(&desk, &["add", "result.json", "--commit", "abcdef1"]);
    assert!(
        again.starts_with("it is kept already, as run 1 in "),
        "{again}"
    );
    result(&desk, 1, 5_000_000);
    said(&desk, &["add", ".", "--commit", "ABCDEF1-dirty"]);
    let list = said(&desk, &["list"]);
    assert_eq!(list.lines().count(), 2, "{list}");
    assert!(
        list.contains("unknown") && list.contains("abcdef1-dirt"),
        "{list}"
    );
    assert_eq!(said(&desk, &["list", "--scenario", "another"]), "");
    let shown = said(&desk, &["show", "2"]);
    assert!(
        shown.contains("wizard") && shown.contains("40 of 40 started workflows ok"),
        "{shown}"
    );
}

#[test]
fn a_commit_is_read_from_git() {
    let desk = Desk::new();
    let git = |args: &[&str]| {
        let done = Command::new("git")
            .current_dir(desk.path("."))
            .args(["-c", "user.name=x", "-c", "user.email=x@example.org"])
            .args(args)
            .output()
            .expect("git is there where this repository is");
        assert!(done.status.success(), "{}", text(&done.stderr));
        text(&done.stdout).trim().to_owned()
    };
    git(&["init", "-q"]);
    desk.file("a", "1");
    git(&["add", "a"]);
    git(&["commit", "-q", "-m", "x", "--no-gpg-sign"]);
    let head = git(&["rev-parse", "HEAD"]);
    result(&desk, 0, 1);
    assert!(said(&desk, &["add", "result.json"]).contains(&format!("of commit {head} is kept")));
    desk.file("a", "2");
    result(&desk, 1, 1);
    let dirty = said(&desk, &["add", "result.json"]);
    assert!(
        dirty.contains(&format!("of commit {head}-dirty is kept")),
        "{dirty}"
    );
}

#[test]
fn a_step_is_found_printed_and_drawn() {
    let desk = Desk::new();
    for day in 0..16 {
        let level = if day < 8 { 10_000_000 } else { 13_000_000 };
        result(&desk, day, level + 50_000 * u64::from(day * 7 % 5));
        said(
            &desk,
            &[
                "add",
                "result.json",
                "--commit",
                &format!("{:07x}", 0xabc_0000 + day),
            ],
        );
    }
    let trend = ["trend", "workflow.p50_ms"];
    let printed = said(&desk, &[&trend[..], &["--svg", "trend.svg"]].concat());
    assert!(
        printed.contains("at abc0008 (run 9): regressed, +29."),
        "{printed}"
    );
    let svg = std::fs::read_to_string(desk.path("trend.svg")).expect("it was drawn");
    assert!(svg.contains("abc0008 +29."));
    let told = said(&desk, &[&trend[..], &["--format", "json"]].concat());
    let told: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(told["points"].as_array().map(Vec::len), Some(16));
    assert_eq!(told["changes"][0]["index"], 8);
    assert_eq!(told["changes"].as_array().map(Vec::len), Some(1));
}

#[test]
fn counts_have_a_trend_of_their_own() {
    let desk = Desk::new();
    for n in 0..12 {
        let value = if n < 11 { 1_000_000 + n % 3 } else { 1_100_000 };
        let commit = format!("{:07x}", 0xabc_0000 + n);
        let args = ["add-count", "seal", &value.to_string(), "--commit", &commit];
        said(&desk, &args);
    }
    let printed = said(&desk, &["trend", "--count", "seal"]);
    assert!(
        printed.contains("at abc000b (count 12): regressed, +10.0 %, more than"),
        "{printed}"
    );
    let refused = history(&desk, &["add-count", "seal", "5"]);
    let refused = one_line(refused, 2);
    assert!(refused.contains("name it with --commit SHA"), "{refused}");
}

#[test]
fn what_cannot_be_used_is_named() {
    let desk = Desk::new();
    let refused = |args: &[&str]| one_line(history(&desk, args), 2);
    assert!(refused(&["list"]).contains("there is no history yet"));
    assert!(refused(&["add", "nowhere"]).contains("cannot read nowhere: "));
    desk.file("foreign", &"no database".repeat(200));
    assert!(refused(&["list", "--db", "foreign"]).contains("it is no history of loadgen"));
    result(&desk, 0, 1);
    said(&desk, &["add", "result.json"]);
    assert!(refused(&["show", "9"]).contains("there is no run 9"));
    assert!(refused(&["trend", "speed"]).contains("no such figure: `speed`"));
    assert!(refused(&["trend", "fairness"]).contains("none of the 1 runs of wizard has"));
    assert!(refused(&["trend", "ok.rate", "--scenario", "x"]).contains("no run of the scenario x"));
    assert!(refused(&["trend", "--count", "x"]).contains("there is no count x of this machine"));
    let done = history(&desk, &["add", "result.json", "--commit", "main"]).output();
    let done = done.expect("loadgen can be run");
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("7 to 64 hexadecimal digits"));
}

#[test]
fn instruction_counts_of_benchmarks_are_kept_by_their_names() {
    let desk = Desk::new();
    let stored = workspace().join("loadgen/measure/tests/bench/gungraun-b");
    let folder = stored.display().to_string();
    let kept = said(&desk, &["add-bench", &folder, "--commit", "abc0001"]);
    assert!(kept.lines().count() > 1, "{kept}");
    assert!(
        kept.lines()
            .all(|line| line.contains(" of commit abc0001 is kept in ")),
        "{kept}"
    );
    let (name, _) = kept.split_once(": count").expect("a name");
    let trend = said(&desk, &["trend", "--count", name, "--format", "json"]);
    let trend: Value = serde_json::from_str(&trend).expect("JSON");
    assert_eq!(trend["points"].as_array().map(Vec::len), Some(1));
    let none = history(&desk, &["add-bench", ".", "--commit", "abc0001"]);
    assert!(one_line(none, 2).contains("no summary.json of gungraun"));
}
