//! A replica that is told things by whoever started it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::program::Desk;

const KEY: &str = "bG9hZGdlbi10ZXN0LWtleS1ub3QtYS1zZWNyZXQtMDE";

/// A replica that a test has started, with the pipes to it.
struct Told {
    child: Child,
    stdout: BufReader<ChildStdout>,
    address: String,
}

impl Told {
    /// Starts one, hands it what it reads first and waits for its ready line.
    fn start(desk: &Desk, options: &[&str], first: &str) -> Self {
        let mut child = desk
            .loadgen([&["replica"], options].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("loadgen can be run");
        let mut told = Self {
            stdout: BufReader::new(child.stdout.take().expect("stdout is piped")),
            child,
            address: String::new(),
        };
        told.write(first);
        let ready = told.line();
        let url = ready["url"].as_str().expect("a ready line");
        let address = url
            .strip_prefix("http://")
            .and_then(|u| u.split('/').next());
        told.address = address.expect("an http URL").to_owned();
        told
    }

    fn write(&mut self, text: &str) {
        let stdin = self.child.stdin.as_mut().expect("stdin is piped");
        stdin.write_all(text.as_bytes()).expect("it reads");
    }

    fn line(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("it writes");
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line}"))
    }

    /// One line and its answer.
    fn tell(&mut self, line: &str) -> Value {
        self.write(&format!("{line}\n"));
        self.line()
    }

    /// The status of one request, whose content does not matter.
    fn status(&self) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
                    accept: application/json, text/event-stream\r\n\
                    content-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
        stream.write_all(head.as_bytes()).expect("it reads");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("it answers");
        reply.split(' ').nth(1).expect("a status").to_owned()
    }

    /// Closes its standard input; its exit code and what it wrote on standard error.
    fn end(mut self) -> (Option<i32>, String) {
        drop(self.child.stdin.take());
        let output = self.child.wait_with_output().expect("it ends");
        let said = String::from_utf8(output.stderr).expect("text");
        (output.status.code(), said)
    }
}

#[test]
fn lines_after_the_keys_take_effect_and_are_answered_in_order() {
    let desk = Desk::new();
    let keys = format!("1:mint:{KEY}\n\n");
    let mut replica = Told::start(&desk, &["--keys-from-stdin"], &keys);
    assert_eq!(replica.status(), "400");
    let set = replica.tell(r#"{"set":{"error_rate":1,"error_kind":"http-503"}}"#);
    assert_eq!((&set["ok"], &set["line"]), (&json!(true), &json!(1)));
    assert_eq!(set["faults"]["error_rate"], 1);
    assert_eq!(set["keys"], json!([{ "id": 1, "role": "mint" }]));
    assert_eq!(replica.status(), "503");

    // An empty line is counted and nothing else.
    replica.write("\n");
    let wrong = replica.tell(r#"{"set":{"eror_rate":1}}"#);
    let error = "set.eror_rate: no such key; the nearest is error_rate";
    assert_eq!(wrong, json!({ "ok": false, "line": 3, "error": error }));
    assert_eq!(replica.status(), "503");

    let cleared = replica.tell(r#"{"clear":true}"#);
    assert_eq!(cleared["applied"]["error_rate"], 2);
    assert_eq!(replica.status(), "400");
    let (exit, said) = replica.end();
    assert_eq!(exit, Some(0));
    let line = format!("loadgen replica: line 3 of standard input: {error}\n");
    assert_eq!(said, line);
}

#[test]
fn faults_hold_from_the_start_and_no_secret_is_repeated() {
    let desk = Desk::new();
    let file = desk.file("keys", &format!("1:mint:{KEY}\n"));
    let file = file.to_str().expect("a path in UTF-8");
    let html = r#"{"set":{"html_rate":1}}"#;
    let accept = format!(r#"{{"keys":{{"accept":"2:accept:{KEY}"}}}}"#);
    let options = ["--parent-stdin", "--key-file", file];
    let more = ["--fault", html, "--fault", &accept];
    let mut replica = Told::start(&desk, &[&options[..], &more].concat(), "");
    assert_eq!(replica.status(), "502");
    let again = replica.tell(&accept);
    assert_eq!(again["error"], "keys: key id 2 is in the ring already");
    let shown = replica.tell(r#"{"show":true}"#);
    assert_eq!(shown["faults"], json!({ "html_rate": 1 }));
    assert_eq!(shown["keys"].as_array().map(Vec::len), Some(2));
    let (exit, said) = replica.end();
    assert_eq!(exit, Some(0));
    assert!(!said.contains(KEY) && !shown.to_string().contains(KEY));
}

#[test]
fn a_key_that_is_too_short_is_said_once() {
    let desk = Desk::new();
    let file = desk.file("keys", "1:mint:YWJj\n");
    let file = file.to_str().expect("a path in UTF-8");
    assert_eq!(
        desk.refused(["replica", "--key-file", file], 2),
        format!(
            "loadgen replica: --key-file {file}: key line 1: a key needs at least 32 random bytes, not 3\n"
        )
    );
}

#[test]
fn a_fault_that_cannot_be_is_a_usage_error() {
    let desk = Desk::new();
    let file = desk.file("keys", &format!("1:mint:{KEY}\n"));
    let file = file.to_str().expect("a path in UTF-8");
    for (fault, says) in [
        ("latency", "--fault 1: a line must be one JSON object"),
        (
            r#"{"set":{"latency_rate":0.5}}"#,
            "--fault 1: set.latency_rate does nothing without latency_ms",
        ),
        (
            r#"{"keys":{"drop":1}}"#,
            "--fault 1: keys: key 1 mints: let another key mint before retiring it\n",
        ),
    ] {
        let said = desk.refused(["replica", "--key-file", file, "--fault", fault], 2);
        assert!(said.contains(says), "{said}");
    }
}
