//! Where results go, and places that cannot take them.

use std::fs::OpenOptions;
use std::process::Command;

use crate::program::{Desk, one_line, text};
use crate::scripted::{Scripted, complete, discovered, result};

const SCENARIO: &str = r#"
[load]
rate_per_s = 20
duration_s = 1

[[workflow]]
tool = "echo"
"#;

fn server() -> Scripted {
    Scripted::start(|request| discovered(request).unwrap_or_else(|| result(request, &complete())))
}

#[test]
fn a_folder_that_cannot_be_made_is_known_before_the_load() {
    let (desk, server) = (Desk::new(), server());
    desk.file("x.toml", SCENARIO);
    desk.file("file", "");
    let url = server.url();
    for folder in ["file", "file/below", "/proc/nowhere"] {
        let said = desk.refused(["run", "x.toml", "--target", &url, "--out", folder], 2);
        assert!(said.contains(folder), "{said}");
    }
    assert_eq!(server.requests(), 0);
}

#[test]
fn a_disk_that_fails_late_costs_no_summary() {
    let (desk, server) = (Desk::new(), server());
    // A folder with this name takes no file in its place.
    std::fs::create_dir_all(desk.path("out/result.json/x")).expect("a writable folder");
    let done = desk.run_command(SCENARIO, &[server.url()]).output();
    let done = done.expect("loadgen can be run");
    assert_eq!(done.status.code(), Some(1));
    assert!(text(&done.stdout).contains("20 of 20 started workflows ok"));
    let stderr = text(&done.stderr);
    let last = stderr.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("loadgen: cannot write out/result.json: "),
        "{stderr}"
    );
    // What can be written is.
    assert!(desk.path("out/rounds.hlog").exists());
    assert!(desk.path("out/latency-by-quantile.svg").exists());
}

#[test]
fn a_full_stdout_is_no_success() {
    let (desk, server) = (Desk::new(), server());
    let full = || OpenOptions::new().write(true).open("/dev/full");
    for format in ["text", "json"] {
        let mut run = desk.run_command(SCENARIO, &[server.url()]);
        run.args(["--format", format])
            .stdout(full().expect("/dev/full"));
        let done = run.output().expect("loadgen can be run");
        let stderr = text(&done.stderr);
        assert_eq!(done.status.code(), Some(1), "{stderr}");
        let last = stderr.lines().last().unwrap_or_default();
        assert!(
            last.starts_with("loadgen: cannot write to standard output: "),
            "{stderr}"
        );
        assert!(
            desk.path("out/result.json").exists(),
            "the files are there all the same"
        );
    }
    for args in [["report", "out"], ["check", "scenario.toml"]] {
        let mut command = desk.loadgen(args);
        command.stdout(full().expect("/dev/full"));
        let said = one_line(command, 1);
        assert!(said.contains("cannot write to standard output: "), "{said}");
    }
}

#[test]
fn a_reader_that_went_away_is_no_fault() {
    let desk = Desk::new();
    desk.file("x.toml", SCENARIO);
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let done = desk.loadgen(["check", "x.toml"]).stdout(writer).output();
    let done = done.expect("loadgen can be run");
    assert_eq!(text(&done.stderr), "");
    assert_eq!(done.status.code(), Some(0));
}

#[test]
fn a_run_outlives_the_reader_of_its_messages() {
    let (desk, server) = (Desk::new(), server());
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let done = desk
        .run_command(SCENARIO, &[server.url()])
        .stderr(writer)
        .output();
    let ran = desk.ran(&done.expect("loadgen can be run"));
    ran.exits_with(0);
    assert!(ran.stdout.contains("20 of 20 started workflows ok"));
}

#[test]
fn too_few_open_files_are_named_before_the_load() {
    let (desk, server) = (Desk::new(), server());
    desk.file("x.toml", SCENARIO);
    let mut limited = Command::new("sh");
    limited
        .current_dir(desk.path("."))
        .args(["-c", "ulimit -n 128 && exec \"$@\"", "sh"])
        .arg(env!("CARGO_BIN_EXE_loadgen"))
        .args(["run", "x.toml", "--out", "out", "--target", &server.url()]);
    let said = one_line(limited, 1);
    assert!(said.contains("320 open files"), "{said}");
    assert!(said.contains("is 128"), "{said}");
    assert!(
        said.contains("lower `connections` or raise `ulimit -n`"),
        "{said}"
    );
}

#[test]
fn colours_are_for_terminals_and_for_those_who_ask() {
    let (desk, server) = (Desk::new(), server());
    let ran = desk.run(SCENARIO, &[server.url()]);
    assert!(!ran.stdout.contains('\u{1b}'), "{:?}", ran.stdout);
    assert!(!ran.stderr.contains('\u{1b}'), "{:?}", ran.stderr);
    let shown = |no_color: &str| {
        let mut report = desk.loadgen(["report", "out"]);
        report.env("CLICOLOR_FORCE", "1").env("NO_COLOR", no_color);
        text(&report.output().expect("loadgen can be run").stdout)
    };
    assert!(shown("").contains('\u{1b}'), "asked for");
    assert!(!shown("1").contains('\u{1b}'), "and forbidden");
}
