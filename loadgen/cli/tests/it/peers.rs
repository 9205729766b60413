//! Clients on the official SDKs pass against fleets, and change replica with every request.

use std::collections::HashSet;

use serde_json::Value;

use crate::fixtures::{Fleet, Peer, Sdk};

/// Runs the SDK's client against `urls`: every call must pass, and every multi-round call must
/// have met another replica in each of its rounds.
fn client_passes(client: Peer, urls: &[String]) {
    let done = client.client(urls).output().expect("the client can be run");
    let said = String::from_utf8_lossy(&done.stdout);
    let calls: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).expect("one JSON object a line"))
        .collect();
    let stderr = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}{stderr}");
    let names: Vec<&str> = calls
        .iter()
        .filter_map(|call| call["call"].as_str())
        .collect();
    let expected = [
        "echo",
        "confirm_delete",
        "wizard",
        "prompt:briefing",
        "resource:memo",
    ];
    assert_eq!(names, expected);
    for call in &calls {
        assert_eq!(call["ok"], true, "{call}");
        let ports = call["ports"].as_array().expect("the ports it posted to");
        for pair in ports.windows(2) {
            assert_ne!(
                pair[0], pair[1],
                "two requests in a row went to one replica: {call}"
            );
        }
    }
    let wizard = calls[2]["ports"]
        .as_array()
        .expect("the ports it posted to");
    assert_eq!(
        wizard.len(),
        4,
        "three questions take four rounds: {wizard:?}"
    );
    assert_eq!(wizard.iter().collect::<HashSet<_>>().len(), urls.len());
}

#[test]
fn python_client_passes_against_a_ts_fleet() {
    let (Some(python), Some(ts)) = (
        Peer::installed(Sdk::Python),
        Peer::installed(Sdk::TypeScript),
    ) else {
        return;
    };
    let fleet = Fleet::start(ts, 3, &[]);
    client_passes(python, &fleet.urls());
}

#[test]
fn ts_client_passes_against_a_python_fleet() {
    let (Some(python), Some(ts)) = (
        Peer::installed(Sdk::Python),
        Peer::installed(Sdk::TypeScript),
    ) else {
        return;
    };
    let fleet = Fleet::start(python, 3, &[]);
    client_passes(ts, &fleet.urls());
}
