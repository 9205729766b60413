//! The official conformance suite, run by `scripts/conformance`.

use std::process::{Command, Output};
use std::sync::OnceLock;

use crate::fixtures::{Peer, Sdk, skip, workspace};

/// The script, once it has installed the suite; skips the test and gives `None` where that cannot
/// be done.
fn script() -> Option<Command> {
    static SET_UP: OnceLock<Result<(), String>> = OnceLock::new();
    let script = || Command::new(workspace().join("scripts/conformance"));
    let set_up = || {
        let done = script()
            .arg("--setup")
            .output()
            .map_err(|error| format!("scripts/conformance cannot be run: {error}"))?;
        if done.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&done.stderr);
        Err(said.lines().last().unwrap_or("no reason given").to_owned())
    };
    match SET_UP.get_or_init(set_up) {
        Ok(()) => Some(script()),
        Err(reason) => {
            skip(reason);
            None
        }
    }
}

fn said(done: &Output) -> String {
    [&done.stdout, &done.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .concat()
}

/// The whole suite against our replica, in this reply form.
fn conforms(form: &str) {
    let Some(mut script) = script() else { return };
    let done = script
        .args([
            "--loadgen",
            env!("CARGO_BIN_EXE_loadgen"),
            "--replies",
            form,
        ])
        .output()
        .expect("the script ran before");
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
}

#[test]
fn a_replica_conforms() {
    conforms("auto");
}

#[test]
fn a_replica_conforms_with_every_reply_as_events() {
    conforms("sse");
}

#[test]
fn a_replica_conforms_with_every_reply_as_json() {
    conforms("json");
}

/// The client scenarios, with `loadgen run` as the client.
#[test]
fn the_generator_conforms_as_a_client() {
    let Some(mut script) = script() else { return };
    let done = script
        .args(["--client", "--loadgen", env!("CARGO_BIN_EXE_loadgen")])
        .output()
        .expect("the script ran before");
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    assert!(
        said(&done).contains("passes: 4 client scenarios"),
        "{}",
        said(&done)
    );
}

/// Shows that the script notices: the replica is told to leave something out.
#[test]
fn a_replica_without_result_types_does_not_conform() {
    let Some(mut script) = script() else { return };
    let done = script
        .args(["--loadgen", env!("CARGO_BIN_EXE_loadgen")])
        .args(["--replies", "auto", "--", "--fault"])
        .arg(r#"{"set":{"omit_result_type":true}}"#)
        .output()
        .expect("the script ran before");
    assert_eq!(done.status.code(), Some(1), "{}", said(&done));
    assert!(
        said(&done).contains("replies auto FAILS"),
        "{}",
        said(&done)
    );
}

/// Shows that the script counts right: a server that is known to conform.
#[test]
fn the_ts_sdk_conforms() {
    let (Some(mut script), Some(_ts)) = (script(), Peer::installed(Sdk::TypeScript)) else {
        return;
    };
    let done = script
        .args(["--peer", "ts"])
        .output()
        .expect("the script ran before");
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    assert!(
        said(&done).contains("passes: 37 scored and 3 pending scenarios, 152 checks passed"),
        "{}",
        said(&done)
    );
}
