//! The `loadgen` program: how the tests call it, and what they ask of its results.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

use crate::fixtures::workspace;

/// A folder for one test, and what is made in it.
#[derive(Debug)]
pub(crate) struct Desk(TempDir);

impl Desk {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file and gives its path.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).expect("the temporary folder can be written");
        path
    }

    /// A command that runs here, whatever the environment of the tests says about colours.
    pub(crate) fn loadgen<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loadgen"));
        command
            .current_dir(self.0.path())
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .args(args);
        command
    }

    /// Runs a command that has to fail in one line, before anything is printed on stdout. Gives
    /// that line.
    pub(crate) fn refused<A: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = A>,
        exit: i32,
    ) -> String {
        one_line(self.loadgen(args), exit)
    }

    /// Runs a scenario against these targets (none: its own fleet) until it ends. The result is in
    /// the folder `out`.
    pub(crate) fn run(&self, scenario: &str, targets: &[String]) -> Ran {
        self.run_with(scenario, targets, &[])
    }

    pub(crate) fn run_with(&self, scenario: &str, targets: &[String], more: &[&str]) -> Ran {
        let output = self
            .run_command(scenario, targets)
            .args(more)
            .output()
            .expect("loadgen can be run");
        self.ran(&output)
    }

    /// The command of [`Desk::run`].
    pub(crate) fn run_command(&self, scenario: &str, targets: &[String]) -> Command {
        self.file("scenario.toml", scenario);
        let mut command = self.loadgen(["run", "scenario.toml", "--out", "out"]);
        for target in targets {
            command.args(["--target", target]);
        }
        command
    }

    /// What a run has left.
    pub(crate) fn ran(&self, output: &Output) -> Ran {
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        let exit = output.status.code();
        let json = std::fs::read_to_string(self.path("out/result.json"))
            .unwrap_or_else(|error| panic!("no result.json: {error}\nexit {exit:?}\n{stderr}"));
        Ran {
            exit,
            stdout,
            stderr,
            result: valid(&json),
            json,
        }
    }
}

/// A run that has ended and left a valid result.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) exit: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// Its `result.json`, as text and read.
    pub(crate) json: String,
    pub(crate) result: Value,
}

impl Ran {
    /// Checks the exit code. A machine too busy to send in time makes a run invalid, which no test
    /// here is about; then that has to be what the result says.
    pub(crate) fn exits_with(&self, expected: i32) {
        let busy = self.result["generator"]["bound_by"] == "generator";
        let expected = if busy { 5 } else { expected };
        assert_eq!(self.exit, Some(expected), "{}{}", self.stdout, self.stderr);
    }

    /// planned = started + not started, and every started workflow has ended somehow. Gives the
    /// number of planned ones.
    pub(crate) fn books_balance(&self) -> u64 {
        let load = &self.result["load"];
        let planned = number(&load["planned"]);
        let started = number(&load["started"]);
        assert_eq!(planned, started + total(&load["not_started"]), "{load}");
        assert_eq!(started, total(&load["outcomes"]), "{load}");
        planned
    }

    pub(crate) fn cells(&self) -> &[Value] {
        list(&self.result["matrix"]["cells"])
    }

    pub(crate) fn replica(&self, index: usize) -> &Value {
        &self.result["replicas"][index]
    }

    pub(crate) fn has_finding(&self, code: &str) -> bool {
        list(&self.result["findings"])
            .iter()
            .any(|finding| finding["code"] == code)
    }
}

/// Runs a command that has to fail with this exit code, one line on stderr and nothing on stdout.
pub(crate) fn one_line(mut command: Command, exit: i32) -> String {
    let output = command.output().expect("loadgen can be run");
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(exit), "{stdout}{stderr}");
    assert_eq!(stdout, "");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.ends_with('\n'), "{stderr:?}");
    let named = ["loadgen: ", "loadgen replica: "];
    assert!(named.iter().any(|n| stderr.starts_with(n)), "{stderr}");
    assert!(!stderr.contains('\u{1b}'), "{stderr:?}");
    stderr
}

/// Reads a result and checks it against the committed schema.
pub(crate) fn valid(json: &str) -> Value {
    static SCHEMA: OnceLock<jsonschema::Validator> = OnceLock::new();
    let schema = SCHEMA.get_or_init(|| {
        let path = workspace().join("loadgen/measure/schema/result-v1.schema.json");
        let schema = read_json(&path);
        jsonschema::validator_for(&schema).expect("the committed schema is one")
    });
    let result = serde_json::from_str(json).expect("result.json is JSON");
    let problems: Vec<String> = schema.iter_errors(&result).map(|e| e.to_string()).collect();
    assert_eq!(problems, [""; 0]);
    result
}

pub(crate) fn read_json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("{} cannot be read: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("loadgen prints UTF-8")
}

pub(crate) fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("no count: {value}"))
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

/// The sum of counts by name.
pub(crate) fn total(counts: &Value) -> u64 {
    let counts = counts.as_object().expect("counts by name");
    counts.values().map(number).sum()
}

/// The names of counts.
pub(crate) fn names(counts: &Value) -> Vec<&str> {
    let counts = counts.as_object().expect("counts by name");
    counts.keys().map(String::as_str).collect()
}
