//! The option of `loadgen replica` for the length of its lists.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::fixtures::Replicas;
use crate::program::{Desk, text};

#[test]
fn a_page_has_as_many_entries_as_asked_for() {
    let replicas = Replicas::start(1, &["--page-size", "3"]);
    let url = &replicas.urls()[0];
    let (mut cursor, mut pages) = (Value::Null, Vec::new());
    loop {
        let page = tools(url, &cursor);
        let names = page["tools"].as_array().expect("a list").len();
        pages.push(names);
        match page.get("nextCursor") {
            Some(next) => cursor = next.clone(),
            None => break,
        }
    }
    assert!(pages.len() > 1, "{pages:?}");
    let (last, others) = pages.split_last().expect("a page");
    assert!(
        others.iter().all(|n| *n == 3) && (1..=3).contains(last),
        "{pages:?}"
    );
}

#[test]
fn a_page_without_entries_is_refused() {
    let desk = Desk::new();
    let mut command = desk.loadgen(["replica", "--page-size", "0"]);
    let output = command.output().expect("loadgen can be run");
    assert_eq!(output.status.code(), Some(2));
    let told = text(&output.stderr);
    let want = "a whole number from 1 to 4294967295 is needed";
    assert!(
        told.contains("--page-size") && told.contains(want),
        "{told}"
    );
}

/// One page of the tools there are.
fn tools(url: &str, cursor: &Value) -> Value {
    let rest = url.strip_prefix("http://").expect("an http URL");
    let (address, path) = rest.split_at(rest.find('/').expect("a path"));
    let mut params = json!({ "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    } });
    if !cursor.is_null() {
        params["cursor"] = cursor.clone();
    }
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params });
    let body = body.to_string();
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n\
         mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/list\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .expect("it reads");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("it answers");
    let (_, body) = reply.split_once("\r\n\r\n").expect("a head");
    let mut body: Value = serde_json::from_str(body).expect("JSON");
    body["result"].take()
}
