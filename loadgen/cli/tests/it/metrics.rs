//! The page for Prometheus as Prometheus' own parser reads it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;

use serde_json::Value;

use crate::fixtures::{Peer, Replicas, Sdk};

#[test]
fn the_official_parser_reads_what_a_client_did() {
    let Some(python) = Peer::installed(Sdk::Python) else {
        return;
    };
    let replicas = Replicas::start(1, &["--metrics", "0"]);
    let done = python.client(&replicas.urls()).output().expect("runs");
    assert!(done.status.success(), "{done:?}");

    let page = get(&replicas.metrics()[0]);
    let families = parsed(python, &page);
    let value = |name: &str, label: &str, of: &str| {
        families
            .iter()
            .flat_map(|family| family["samples"].as_array().expect("samples"))
            .find(|sample| sample["name"] == name && sample["labels"][label] == of)
            .and_then(|sample| sample["value"].as_f64())
            .unwrap_or_else(|| panic!("no {name} with {label}={of} in {page}"))
    };
    let replies = |outcome| value("loadgen_replica_replies_total", "outcome", outcome) as u64;
    // Five calls, of which four ask: the wizard three times, the others once.
    assert_eq!(replies("completed"), 5);
    assert_eq!(replies("asked"), 6);
    assert_eq!(replies("failed") + replies("refused"), 0);
    assert_eq!(
        value("loadgen_replica_states_minted_total", "key", "1") as u64,
        6
    );
    assert_eq!(
        value("loadgen_replica_states_opened_total", "key", "1") as u64,
        6
    );
    for family in &families {
        assert_ne!(family["type"], "unknown", "{family}");
        assert_ne!(family["help"], "", "{family}");
    }
}

/// One GET; the page.
pub(crate) fn get(url: &str) -> String {
    let rest = url.strip_prefix("http://").expect("an http URL");
    let (address, path) = rest.split_at(rest.find('/').expect("a path"));
    let mut stream = TcpStream::connect(address).expect("the metrics listener");
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\n\r\n").expect("it reads");
    let mut reply = String::new();
    stream
        .read_to_string(&mut reply)
        .expect("it answers and closes");
    let (head, body) = reply.split_once("\r\n\r\n").expect("a head");
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    body.to_owned()
}

/// The page's families.
fn parsed(python: Peer, page: &str) -> Vec<Value> {
    let mut parser = python
        .python_program("metrics.py")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python runs");
    let mut stdin = parser.stdin.take().expect("stdin is piped");
    stdin.write_all(page.as_bytes()).expect("it reads");
    drop(stdin);
    let said = parser.wait_with_output().expect("it ends");
    assert!(said.status.success(), "the parser refuses {page}");
    serde_json::from_slice(&said.stdout).expect("JSON")
}
