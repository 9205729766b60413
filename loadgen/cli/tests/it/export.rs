//! `loadgen export`, and what the consumers of its forms make of them.

use std::process::Command;

use crate::fixtures::{skip, workspace};
use crate::program::{Desk, text};
use crate::scripted::{Scripted, complete, discovered, result};

const SCENARIO: &str = r#"
thresholds = ["ok.rate >= 0.5", "state_bytes.max <= 10"]

[load]
rate_per_s = 50
duration_s = 2

[[workflow]]
tool = "echo"
"#;

fn ran(desk: &Desk) {
    let server = Scripted::start(|request| {
        discovered(request).unwrap_or_else(|| result(request, &complete()))
    });
    // A size of states that there are none of misses its threshold.
    desk.run(SCENARIO, &[server.url()]).exits_with(3);
}

/// Installs the readers; skips the test and gives `false` where that cannot be done.
fn readers() -> bool {
    let done = Command::new(workspace().join("scripts/exports-check"))
        .arg("--setup")
        .output();
    let reason = match done {
        Ok(done) if done.status.success() => return true,
        Ok(done) => {
            let said = text(&done.stderr);
            said.lines().last().unwrap_or("no reason given").to_owned()
        }
        Err(error) => format!("scripts/exports-check cannot be run: {error}"),
    };
    skip(&reason);
    false
}

#[test]
fn every_form_is_read_by_its_consumer() {
    if !readers() {
        return;
    }
    let desk = Desk::new();
    ran(&desk);
    let done = Command::new(workspace().join("scripts/exports-check"))
        .arg(desk.path("out"))
        .env("LOADGEN", env!("CARGO_BIN_EXE_loadgen"))
        .output()
        .expect("the script ran before");
    let said = text(&done.stdout);
    assert_eq!(done.status.code(), Some(0), "{said}{}", text(&done.stderr));
    assert_eq!(said.lines().count(), 9, "{said}");
}

#[test]
fn an_export_goes_to_stdout_or_into_a_file() {
    let desk = Desk::new();
    ran(&desk);
    let done = desk.loadgen(["export", "out", "bencher"]).output();
    let done = done.expect("loadgen can be run");
    assert_eq!(
        (done.status.code(), text(&done.stderr).as_str()),
        (Some(0), "")
    );
    let done = desk
        .loadgen(["export", "out/result.json", "bencher", "--out", "x.json"])
        .output()
        .expect("loadgen can be run");
    assert_eq!(text(&done.stdout), "");
    let file = std::fs::read_to_string(desk.path("x.json")).expect("it was written");
    let again = desk.loadgen(["export", "out", "bencher"]).output();
    assert_eq!(file, text(&again.expect("loadgen can be run").stdout));
    assert!(file.contains("workflow.p99_ms"), "{file}");
}

#[test]
fn what_cannot_be_exported_is_named() {
    let desk = Desk::new();
    let said = desk.refused(["export", "nowhere", "csv"], 2);
    assert!(said.contains("cannot read nowhere: "), "{said}");
    let done = desk.loadgen(["export", "nowhere", "pdf"]).output();
    let done = done.expect("loadgen can be run");
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("possible values: junit"));
}
