//! The access log: one line for each request, and what it gives away.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use loadgen_replica::{AccessLog, Command, Config, Metrics};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::client::Post;
use crate::running::{NOW, Running};

/// A file in memory.
#[derive(Clone, Default)]
struct File(Arc<Mutex<Vec<u8>>>);

impl Write for File {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(text);
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A replica with an access log.
struct Logged {
    replica: Running,
    log: AccessLog,
    file: File,
}

impl Logged {
    async fn start() -> Self {
        Self::with(7, |_| ()).await
    }

    async fn with(key: u8, change: impl FnOnce(&mut Config)) -> Self {
        let file = File::default();
        let log = AccessLog::new(file.clone()).unwrap();
        let replica = Running::with(key, |config| {
            config.access_log = Some(log.clone());
            change(config);
        })
        .await;
        Self { replica, log, file }
    }

    /// The lines, after which no more are written.
    fn lines(&self) -> Vec<Value> {
        let closed = self.log.close(Duration::from_secs(600));
        let text = String::from_utf8(self.file.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!((closed.written, closed.lost), (lines.len() as u64, 0));
        lines
    }
}

fn delete(state: Option<&str>) -> Post {
    let mut params = json!({ "name": "confirm_delete", "arguments": { "path": "p" } });
    if let Some(state) = state {
        params["requestState"] = state.into();
        params["inputResponses"] =
            json!({ "confirm": { "action": "accept", "content": { "confirm": true } } });
    }
    Post::rpc_with_id("\"k\"", "tools/call", params)
}

#[tokio::test]
async fn each_request_has_its_line() {
    let logged = Logged::start().await;
    let replica = &logged.replica;
    let (_, state) = delete(None).send(replica).await.asked();
    let last = delete(Some(&state)).send(replica).await;
    Post::rpc("tools/list", json!({})).send(replica).await;
    let bye = r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#;
    delete(None).body(bye).send(replica).await;
    Post::call("nothing", json!({})).send(replica).await;
    delete(None).header("accept", "x").send(replica).await;
    delete(None).body("[").send(replica).await;

    let lines = logged.lines();
    let told = |keys: [&str; 7]| -> Vec<[Value; 7]> {
        lines
            .iter()
            .map(|line| keys.map(|key| line[key].clone()))
            .collect()
    };
    let keys = [
        "outcome", "status", "code", "cause", "method", "target", "id",
    ];
    let none = Value::Null;
    let (call, list) = (json!("tools/call"), json!("tools/list"));
    let delete = json!("confirm_delete");
    let row = |outcome: &str, status: u16| (json!(outcome), json!(status));
    let rows = [
        (row("asked", 200), &none, &none, &call, &delete, json!("k")),
        (
            row("completed", 200),
            &none,
            &none,
            &call,
            &delete,
            json!("k"),
        ),
        (row("listed", 200), &none, &none, &list, &none, json!(1)),
        (
            row("notified", 202),
            &none,
            &none,
            &none,
            &none,
            none.clone(),
        ),
        (
            row("refused", 400),
            &json!(-32602),
            &json!("target"),
            &call,
            &json!("nothing"),
            json!(1),
        ),
        (
            row("refused", 406),
            &none,
            &json!("accept"),
            &none,
            &none,
            none.clone(),
        ),
        (
            row("refused", 400),
            &json!(-32700),
            &json!("parse"),
            &none,
            &none,
            none.clone(),
        ),
    ];
    let want: Vec<[Value; 7]> = rows
        .into_iter()
        .map(|((outcome, status), code, cause, method, target, id)| {
            let (code, cause) = (code.clone(), cause.clone());
            [
                outcome,
                status,
                code,
                cause,
                method.clone(),
                target.clone(),
                id,
            ]
        })
        .collect();
    assert_eq!(told(keys), want);

    assert_eq!(
        (&lines[0]["round"], &lines[1]["round"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(
        (&lines[0]["state"], &lines[1]["state"]),
        (&none, &json!("opened"))
    );
    assert_eq!(lines[1]["response_bytes"], last.body.len());
    assert!(lines[1]["request_bytes"].as_u64() > lines[0]["request_bytes"].as_u64());
    for (line, parts) in lines.iter().zip([
        &["handle_us", "seal_us"][..],
        &["handle_us", "open_us"],
        &["handle_us"],
        &[],
        &["handle_us"],
        &[],
        &["handle_us"],
    ]) {
        let found: Vec<_> = line.as_object().unwrap().keys().collect();
        let found: Vec<_> = found
            .into_iter()
            .filter(|key| key.ends_with("_us") && *key != "duration_us")
            .collect();
        assert_eq!(found, parts, "{line}");
        let sum: f64 = parts.iter().map(|part| line[part].as_f64().unwrap()).sum();
        assert!(line["duration_us"].as_f64().unwrap() >= sum, "{line}");
    }
}

/// The wire answer to all of them is the same.
#[tokio::test]
async fn six_faults_of_a_state_have_their_causes_in_the_log_alone() {
    let logged = Logged::start().await;
    let replica = &logged.replica;
    let (_, state) = delete(None).send(replica).await.asked();
    let elsewhere = Running::with(7, |c| {
        let key = loadgen_seal::Key::new(loadgen_seal::KeyId(2), &[7; 32], None).unwrap();
        c.ring = loadgen_seal::KeyRing::single(key);
    })
    .await;
    let (_, foreign) = delete(None).send(&elsewhere).await.asked();
    let trimmed = &state[..state.len() - 1];
    let flipped = {
        let mut bytes = state.clone().into_bytes();
        bytes[20] = if bytes[20] == b'A' { b'B' } else { b'A' };
        String::from_utf8(bytes).unwrap()
    };
    let lined = format!("{state}\n");
    let encoded_again = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9".repeat(4);
    let mut said = Vec::new();
    for bad in [
        trimmed,
        &flipped,
        &lined,
        &encoded_again,
        "made-up",
        &foreign,
    ] {
        said.push(delete(Some(bad)).send(replica).await.body);
    }
    replica.advance(600);
    said.push(delete(Some(&state)).send(replica).await.body);
    said.dedup();
    assert_eq!(said.len(), 1, "the wire gives nothing away");
    let mut dropped = Post::call("confirm_delete", json!({ "path": "p" }));
    dropped.body = String::from_utf8(delete(Some("X")).body)
        .unwrap()
        .replace(r#","requestState":"X""#, "")
        .replace(r#""requestState":"X","#, "")
        .into_bytes();
    dropped.send(replica).await.asked();

    let lines = logged.lines();
    // Whether the rest of a trimmed text is canonical depends on its last bits.
    assert_eq!(lines[1]["state"], "changed");
    let causes: Vec<_> = lines[2..]
        .iter()
        .map(|line| (line["state"].as_str(), line["reason"].as_str()))
        .collect();
    assert_eq!(
        causes,
        [
            (Some("changed"), Some("tag")),
            (Some("changed"), Some("decode")),
            (Some("invented"), Some("algorithm")),
            (Some("invented"), Some("size")),
            (Some("foreign"), Some("unknown-key")),
            (Some("untimely"), Some("expired")),
            (Some("missing"), None),
        ]
    );
    for line in &lines[1..8] {
        assert_eq!(line["cause"], "state");
        assert_eq!(line["code"], -32602);
    }
}

/// A negative test can tell which rule refused.
#[tokio::test]
async fn a_bad_state_behind_a_bad_header_was_never_looked_at() {
    let logged = Logged::start().await;
    let post = delete(Some("made-up")).header("mcp-method", "tools/list");
    assert_eq!(post.send(&logged.replica).await.error(), (400, -32020));
    let [line] = &logged.lines()[..] else {
        panic!("one line");
    };
    assert_eq!(line["cause"], "header");
    assert_eq!((line.get("state"), line.get("reason")), (None, None));
}

#[tokio::test]
async fn one_state_is_known_by_one_token_on_every_replica() {
    let (one, other) = (Logged::start().await, Logged::start().await);
    let (_, state) = delete(None).send(&one.replica).await.asked();
    for replica in [&one.replica, &other.replica] {
        delete(Some(&state)).send(replica).await.text();
    }
    let (ones, others) = (one.lines(), other.lines());
    let token = ones[1]["token"].as_str().unwrap();
    assert_eq!(token.len(), 16);
    assert_eq!(others[0]["token"], token);
    assert_eq!(ones[0].get("token"), None);
}

#[tokio::test]
async fn neither_credentials_nor_states_nor_arguments_are_in_the_log() {
    let logged = Logged::start().await;
    let secret = delete(None).header("authorization", "Bearer correct-horse");
    let (_, state) = secret.send(&logged.replica).await.asked();
    let back = delete(Some(&state)).header("authorization", "Bearer correct-horse");
    back.send(&logged.replica).await.text();
    let lines = logged.lines();
    let text = json!(lines).to_string();
    for hidden in ["correct-horse", &state, "\"p\""] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
    assert_eq!(lines[0]["principal"], lines[1]["principal"]);
    assert!(
        lines[0]["principal"]
            .as_str()
            .unwrap()
            .starts_with("sha256:")
    );
}

#[tokio::test]
async fn the_metrics_tell_of_the_log_if_there_is_one() {
    let logged = Logged::start().await;
    for _ in 0..3 {
        Post::rpc("tools/list", json!({}))
            .send(&logged.replica)
            .await;
    }
    logged.lines();
    Post::rpc("tools/list", json!({}))
        .send(&logged.replica)
        .await;
    let text = |replica: &Running| {
        Metrics::new(replica.replica.clone(), replica.connections.clone()).text()
    };
    let page = text(&logged.replica);
    assert!(
        page.contains("\nloadgen_replica_access_log_lines_total 3\n"),
        "{page}"
    );
    assert!(
        page.contains("\nloadgen_replica_access_log_lines_lost_total 1\n"),
        "{page}"
    );
    let without = text(&Running::start().await);
    assert!(!without.contains("access_log"));
}

/// The clock that states are judged by may be wrong on purpose; the log's is the machine's.
#[tokio::test]
async fn times_are_the_machines_own() {
    let logged = Logged::start().await;
    Post::rpc("tools/list", json!({}))
        .send(&logged.replica)
        .await;
    let lines = logged.lines();
    let time: jiff::Timestamp = lines[0]["time"].as_str().unwrap().parse().unwrap();
    assert!(time <= jiff::Timestamp::now());
    assert_ne!(u64::try_from(time.as_second()).unwrap(), NOW);
}

#[tokio::test]
async fn a_connection_that_was_cut_has_no_status() {
    for (fault, outcome) in [
        ("close_before_rate", "fault"),
        ("close_after_rate", "completed"),
    ] {
        let logged = Logged::start().await;
        let set = json!({ "set": { fault: 1 } });
        let command = Command::parse(&set.to_string()).unwrap();
        logged.replica.replica.obey(command).unwrap();
        let echo = Post::call("echo", json!({ "text": "x" }));
        let mut stream = TcpStream::connect(logged.replica.address).await.unwrap();
        stream.write_all(&echo.bytes()).await.unwrap();
        assert_eq!(stream.read(&mut [0]).await.unwrap_or(0), 0, "{fault}");
        let [line] = &logged.lines()[..] else {
            panic!("one line");
        };
        assert_eq!(line["outcome"], outcome);
        assert_eq!(
            (line.get("status"), &line["response_bytes"]),
            (None, &json!(0))
        );
    }
}

#[tokio::test]
async fn a_call_that_was_made_to_fail_has_its_round() {
    let logged = Logged::start().await;
    let set = json!({ "set": { "tool_error_every": 1 } });
    let command = Command::parse(&set.to_string()).unwrap();
    logged.replica.replica.obey(command).unwrap();
    delete(None).send(&logged.replica).await;
    let lines = logged.lines();
    assert_eq!(
        (&lines[0]["outcome"], &lines[0]["round"]),
        (&json!("failed"), &json!(0))
    );
}
