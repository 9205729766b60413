//! `loadgen` with the official SDKs: their clients against our replicas, our load on their servers.

use std::collections::HashSet;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;

use serde_json::{Value, json};

use crate::fixtures::{Fleet, Peer, Replicas, Sdk, workspace};

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

/// The SDK's client against three of our replicas, in each reply form and with a state that it
/// cannot read and one that it can.
fn passes_in_each_form_under_each_kind_of_seal(client: Sdk) {
    let Some(client) = Peer::installed(client) else {
        return;
    };
    for (form, content_type) in [("json", "application/json"), ("sse", "text/event-stream")] {
        for algorithm in ["xaes-256-gcm", "hmac-sha256"] {
            let options = ["--replies", form, "--algorithm", algorithm];
            let replicas = Replicas::start(3, &options);
            assert_eq!(replicas.algorithms(), [algorithm; 3]);
            for url in replicas.urls() {
                let head = head_of_discovery(&url);
                let field = format!("\r\ncontent-type: {content_type}\r\n");
                assert!(head.contains(&field), "{options:?}: {head}");
            }
            client_passes(client, &replicas.urls());
        }
    }
}

/// The head, in lower case, of the reply to a `server/discover`.
fn head_of_discovery(url: &str) -> String {
    let address = url
        .strip_prefix("http://")
        .and_then(|rest| rest.strip_suffix("/mcp"))
        .expect("a replica's URL");
    let body = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "server/discover",
        "params": { "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        } },
    })
    .to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: server/discover\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(address).expect("the replica listens");
    stream
        .write_all((head + &body).as_bytes())
        .expect("the replica reads");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("a reply in text");
    let (head, _) = reply.split_once("\r\n\r\n").expect("a whole head");
    assert!(head.starts_with("HTTP/1.1 200 "), "{reply}");
    format!("{}\r\n", head.to_ascii_lowercase())
}

#[test]
fn python_client_passes_against_our_replicas() {
    passes_in_each_form_under_each_kind_of_seal(Sdk::Python);
}

#[test]
fn ts_client_passes_against_our_replicas() {
    passes_in_each_form_under_each_kind_of_seal(Sdk::TypeScript);
}

#[test]
fn a_python_fleet_is_loaded_across_its_replicas() {
    let Some(python) = Peer::installed(Sdk::Python) else {
        return;
    };
    all_ok_across_replicas(&Fleet::start(python, 3, &[]).urls());
}

#[test]
fn a_ts_fleet_is_loaded_across_its_replicas() {
    let Some(ts) = Peer::installed(Sdk::TypeScript) else {
        return;
    };
    all_ok_across_replicas(&Fleet::start(ts, 3, &[]).urls());
}

#[test]
fn replicas_with_keys_of_their_own_are_named() {
    let Some(python) = Peer::installed(Sdk::Python) else {
        return;
    };
    let alone = |key: &str| Fleet::start(python, 1, &[("REQUEST_STATE_KEY", key)]);
    let fleets = ["a", "b", "c"].map(|letter| alone(&letter.repeat(32)));
    let urls: Vec<String> = fleets.iter().flat_map(Fleet::urls).collect();

    let ran = run_wizard(&urls);
    assert_eq!(ran.exit, Some(3), "{}", ran.said);
    for cell in cells(&ran.result) {
        let own = cell["minted_by"] == cell["opened_by"];
        assert_eq!(cell["ok"] != 0, own, "{cell}");
        assert_eq!(cell["state_rejected"] == 0, own, "{cell}");
        assert_eq!(cell["other"], 0, "{cell}");
    }
    let findings = ran.result["findings"].as_array().expect("findings");
    let codes: Vec<&Value> = findings.iter().map(|finding| &finding["code"]).collect();
    assert!(
        codes.contains(&&Value::from("key_or_audience_not_shared")),
        "{codes:?}"
    );
    assert!(
        ran.said
            .contains("key or audience not shared between replicas"),
        "{}",
        ran.said
    );
}

/// A run of `scenarios/wizard.toml` that has ended.
struct Ran {
    exit: Option<i32>,
    /// Its stdout and stderr.
    said: String,
    /// Its `result.json`.
    result: Value,
}

fn run_wizard(urls: &[String]) -> Ran {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("result");
    let mut command = Command::new(env!("CARGO_BIN_EXE_loadgen"));
    command
        .current_dir(workspace())
        .args(["run", "scenarios/wizard.toml", "--out"])
        .arg(&out);
    for url in urls {
        command.args(["--target", url]);
    }
    let done = command.output().expect("loadgen can be run");
    let said = [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let said = said.concat();
    let result = std::fs::read(out.join("result.json"))
        .unwrap_or_else(|error| panic!("no result.json: {error}\n{said}"));
    Ran {
        exit: done.status.code(),
        said,
        result: serde_json::from_slice(&result).expect("result.json is JSON"),
    }
}

fn cells(result: &Value) -> &Vec<Value> {
    let cells = result["matrix"]["cells"].as_array().expect("a matrix");
    assert_eq!(cells.len(), 9);
    cells
}

fn all_ok_across_replicas(urls: &[String]) {
    let ran = run_wizard(urls);
    assert_eq!(ran.exit, Some(0), "{}", ran.said);
    let load = &ran.result["load"];
    assert_ne!(load["planned"], 0);
    assert_eq!(load["started"], load["planned"], "{load}");
    assert_eq!(load["outcomes"], json!({ "ok": load["planned"] }));
    for cell in cells(&ran.result) {
        assert_eq!(cell["state_rejected"], 0, "{cell}");
        assert_eq!(cell["other"], 0, "{cell}");
        if cell["minted_by"] != cell["opened_by"] {
            assert_ne!(cell["ok"], 0, "{cell}");
        }
    }
}
