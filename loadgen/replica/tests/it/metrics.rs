//! The page for Prometheus: what it says after a known sequence of requests.

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame};
use loadgen_replica::{Config, LimitConfig, Metrics, MetricsServer, Ticks};
use loadgen_seal::{Key, KeyId, KeyRing};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::client::{Post, Reply, read_reply};
use crate::running::Running;

/// The page's samples, asked for over HTTP.
struct Page(String);

impl Page {
    async fn of(server: &MetricsServer) -> Self {
        let reply = request(server, "GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
        assert_eq!(reply.status, 200);
        assert_eq!(
            reply.header("content-type"),
            Some("text/plain; version=0.0.4; charset=utf-8")
        );
        Self(String::from_utf8(reply.body).unwrap())
    }

    /// The value of the sample of exactly this name and these labels.
    fn value(&self, sample: &str) -> f64 {
        let found = self
            .0
            .lines()
            .find_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
        found
            .unwrap_or_else(|| panic!("no {sample} in {}", self.0))
            .parse()
            .unwrap()
    }

    /// The sum over all samples of a family.
    fn sum(&self, family: &str) -> f64 {
        let samples = self.0.lines().filter_map(|line| line.split_once(' '));
        samples
            .filter(|(name, _)| name.split('{').next() == Some(family))
            .map(|(_, value)| value.parse::<f64>().unwrap())
            .sum()
    }
}

async fn request(server: &MetricsServer, text: &str) -> Reply {
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    read_reply(&mut stream).await
}

fn observe(replica: &Running) -> MetricsServer {
    let metrics = Metrics::new(replica.replica.clone(), replica.connections.clone());
    MetricsServer::start(([127, 0, 0, 1], 0).into(), metrics).unwrap()
}

#[tokio::test]
async fn connections_that_ask_for_nothing_keep_no_scrape_waiting() {
    let replica = Running::start().await;
    let server = observe(&replica);
    let mut idle = Vec::new();
    for _ in 0..20 {
        idle.push(TcpStream::connect(server.address()).await.unwrap());
    }
    Page::of(&server).await;
    // The oldest has made room.
    let mut end = [0];
    assert_eq!(idle[0].read(&mut end).await.unwrap_or(0), 0);
}

#[tokio::test]
async fn counts_are_those_of_the_requests_made() {
    let replica = Running::start().await;
    let server = observe(&replica);
    let before = Page::of(&server).await;
    assert!(before.sum("loadgen_replica_replies_total").abs() < 0.5);

    let echo = Post::call("echo", json!({ "text": "x" }));
    for _ in 0..3 {
        echo.send(&replica).await.text();
    }
    Post::call("echo", json!({ "text": 5 }))
        .send(&replica)
        .await;
    Post::rpc("tools/list", json!({})).send(&replica).await;
    let bye = r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#;
    assert_eq!(echo.clone().body(bye).send(&replica).await.status, 202);
    assert_eq!(
        echo.clone()
            .header("accept", "x")
            .send(&replica)
            .await
            .status,
        406
    );
    let params = json!({ "name": "confirm_delete", "arguments": { "path": "p" } });
    let (_, state) = Post::rpc("tools/call", params.clone())
        .send(&replica)
        .await
        .asked();
    let back = |state: &str| {
        let mut params = params.clone();
        params["requestState"] = state.into();
        params["inputResponses"] =
            json!({ "confirm": { "action": "accept", "content": { "confirm": true } } });
        Post::rpc("tools/call", params)
    };
    back(&state).send(&replica).await.text();
    back("invented").send(&replica).await;
    let other_end = if state.ends_with('A') { 'B' } else { 'A' };
    back(&format!("{}{other_end}", &state[..state.len() - 1]))
        .send(&replica)
        .await;

    let page = Page::of(&server).await;
    let counters = replica.replica.counters();
    for (outcome, count) in [
        ("completed", 4),
        ("failed", 1),
        ("asked", 1),
        ("listed", 1),
        ("notified", 1),
        ("refused", 3),
    ] {
        let sample = format!("loadgen_replica_replies_total{{outcome=\"{outcome}\"}}");
        assert_eq!(page.value(&sample) as u64, count, "{sample}");
    }
    for (cause, count) in counters.refused {
        let sample = format!(
            "loadgen_replica_refusals_total{{cause=\"{}\"}}",
            cause.name()
        );
        assert_eq!(page.value(&sample) as u64, count, "{sample}");
    }
    for (reason, count) in counters.state.refused {
        let sample = format!("loadgen_replica_state_refusals_total{{reason=\"{reason}\"}}");
        assert_eq!(page.value(&sample) as u64, count, "{sample}");
    }
    assert_eq!(page.sum("loadgen_replica_state_refusals_total") as u64, 2);
    for what in ["minted", "opened"] {
        let sample = format!("loadgen_replica_states_{what}_total{{key=\"1\"}}");
        assert_eq!(page.value(&sample) as u64, 1);
    }
    let requests = |what: &str| page.value(&format!("loadgen_replica_requests{what}")) as u64;
    assert_eq!(requests("_total"), 11);
    assert_eq!(requests("_cancelled_total"), 0);
    assert_eq!(requests("_in_flight"), 0);
    // Each request had a connection of its own.
    assert_eq!(
        page.value("loadgen_replica_connections_accepted_total") as u64,
        11
    );
    let used = |version: u8| {
        page.value(&format!(
            "loadgen_replica_connections_used_total{{version=\"{version}\"}}"
        )) as u64
    };
    assert_eq!((used(1), used(2)), (11, 0));
    assert_eq!(
        page.sum("loadgen_replica_connections_closed_total") as u64,
        0
    );
    for (item, [started, ended, executed]) in [
        (r#"{kind="tool",name="echo"}"#, [4, 4, 4]),
        (r#"{kind="tool",name="confirm_delete"}"#, [2, 2, 1]),
        (r#"{kind="resource",name="memo"}"#, [0, 0, 0]),
    ] {
        let value = |name: &str| page.value(&format!("loadgen_replica_{name}_total{item}")) as u64;
        assert_eq!(value("handler_starts"), started, "{item}");
        assert_eq!(value("handler_completions"), ended, "{item}");
        assert_eq!(value("executions"), executed, "{item}");
    }
    // Two heads were refused, or notified, before anything was timed.
    for (part, requests) in [
        ("open", 3),
        ("limit", 0),
        ("store", 0),
        ("handle", 9),
        ("seal", 1),
    ] {
        let value = |name: &str| {
            page.value(&format!(
                "loadgen_replica_part_{name}_total{{part=\"{part}\"}}"
            ))
        };
        assert_eq!(value("requests") as u64, requests, "{part}");
        assert_eq!(value("seconds") > 0.0, requests > 0, "{part}");
    }
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        page.value(&format!("loadgen_build_info{{version=\"{version}\"}}")) as u64,
        1
    );
}

/// A body that never comes.
struct Never;

impl Body for Never {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Pending
    }
}

#[tokio::test]
async fn a_request_that_loses_its_client_is_cancelled_and_nothing_else() {
    let running = Running::start().await;
    let echo = Post::call("echo", json!({ "text": "x" }));
    let mut request = http::Request::post("/mcp");
    for (name, value) in &echo.headers {
        request = request.header(*name, value.as_slice());
    }
    let mut reply = Box::pin(running.replica.reply(request.body(Never).unwrap()));
    assert!(polled_once(&mut reply).await.is_none());
    let counters = running.replica.counters();
    assert_eq!((counters.in_flight(), counters.cancelled), (1, 0));
    drop(reply);
    let counters = running.replica.counters();
    assert_eq!((counters.in_flight(), counters.cancelled), (0, 1));
    assert_eq!((counters.begun, counters.answered), (1, 0));
    assert!(counters.refused.iter().all(|(_, count)| *count == 0));
}

/// What a future gives when it is polled once.
async fn polled_once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    poll_fn(|cx| {
        Poll::Ready(match Pin::new(&mut *future).poll(cx) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        })
    })
    .await
}

/// An operator drops an old key when the count of states that it opens stands still.
#[tokio::test]
async fn states_are_counted_by_the_key_that_sealed_them() {
    let key = |id, byte: u8| Key::new(KeyId(id), &[byte; 32], None).unwrap();
    let old = Running::with(7, |c| c.ring = KeyRing::single(key(1, 7))).await;
    let new = Running::with(7, |c| {
        let mut ring = KeyRing::single(key(1, 7));
        ring.accept(key(2, 8)).unwrap();
        ring.mint_with(KeyId(2)).unwrap();
        c.ring = ring;
    })
    .await;
    let server = observe(&new);
    let ask = Post::call("confirm_delete", json!({ "path": "p" }));
    for (minter, count) in [(&old, 2), (&new, 3)] {
        for _ in 0..count {
            let (_, state) = ask.send(minter).await.asked();
            let back = json!({
                "name": "confirm_delete", "arguments": { "path": "p" }, "requestState": state,
                "inputResponses": { "confirm": { "action": "decline" } },
            });
            Post::rpc("tools/call", back).send(&new).await.result();
        }
    }
    let page = Page::of(&server).await;
    let count = |what: &str, key: u8| {
        page.value(&format!(
            "loadgen_replica_states_{what}_total{{key=\"{key}\"}}"
        )) as u64
    };
    assert_eq!((count("opened", 1), count("opened", 2)), (2, 3));
    assert_eq!((count("minted", 1), count("minted", 2)), (0, 3));
}

/// What `promtool check metrics` asks of names, and text format 0.0.4 of the order of lines.
#[tokio::test]
async fn names_and_lines_follow_the_conventions() {
    let replica = Running::start().await;
    let text = Page::of(&observe(&replica)).await.0;
    assert!(text.ends_with('\n'));
    let mut lines = text.lines().peekable();
    let mut families = std::collections::HashSet::new();
    while let Some(help) = lines.next() {
        let (name, help) = help
            .strip_prefix("# HELP ")
            .and_then(|rest| rest.split_once(' '))
            .unwrap_or_else(|| panic!("a family starts with its help, not with {help}"));
        assert!(!help.trim().is_empty(), "{name}");
        assert!(families.insert(name), "{name} comes twice");
        assert!(
            name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'),
            "{name}"
        );
        let kind = lines
            .next()
            .and_then(|line| line.strip_prefix(&format!("# TYPE {name} ")))
            .unwrap_or_else(|| panic!("{name} has no type"));
        assert_eq!(kind == "counter", name.ends_with("_total"), "{name}");
        let units = ["milliseconds", "ms", "us", "ns", "kib", "percent"];
        assert!(
            !name.split('_').any(|word| units.contains(&word)),
            "{name} is in no base unit"
        );
        let mut samples = 0;
        while let Some(line) = lines.next_if(|line| !line.starts_with('#')) {
            assert_eq!(line.split(['{', ' ']).next(), Some(name), "{line}");
            samples += 1;
        }
        assert!(samples > 0, "{name} has no sample");
    }
    if cfg!(target_os = "linux") {
        for name in [
            "process_cpu_seconds_total",
            "process_resident_memory_bytes",
            "process_open_fds",
            "process_max_fds",
            "process_start_time_seconds",
        ] {
            assert!(families.contains(name), "{name} is missing");
        }
    }
}

#[tokio::test]
async fn everything_else_is_not_found() {
    let replica = Running::start().await;
    let server = observe(&replica);
    assert_eq!(server.url(), format!("http://{}/metrics", server.address()));
    for line in [
        "GET /",
        "GET /metrics/",
        "GET /mcp",
        "POST /metrics",
        "DELETE /metrics",
    ] {
        let text = format!("{line} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n");
        assert_eq!(request(&server, &text).await.status, 404, "{line}");
    }
    Page::of(&server).await;
}

#[tokio::test]
async fn a_dropped_listener_is_gone() {
    let replica = Running::start().await;
    let server = observe(&replica);
    let address = server.address();
    // Even while somebody holds a connection and says nothing.
    let _silent = TcpStream::connect(address).await.unwrap();
    drop(server);
    assert!(TcpStream::connect(address).await.is_err());
}

/// The replica keeps no record of what was used: the same state works twice, and that shows.
#[tokio::test]
async fn a_state_that_is_executed_twice_is_counted() {
    let watching = |c: &mut Config| c.watch_tokens_of = vec!["confirm_delete".to_owned()];
    let replica = Running::with(7, watching).await;
    let server = observe(&replica);
    let ask = Post::call("confirm_delete", json!({ "path": "p" }));
    let back = |state: &str| {
        let params = json!({
            "name": "confirm_delete", "arguments": { "path": "p" }, "requestState": state,
            "inputResponses": { "confirm": { "action": "decline" } },
        });
        Post::rpc("tools/call", params)
    };
    for uses in [1, 3] {
        let (_, state) = ask.send(&replica).await.asked();
        for _ in 0..uses {
            back(&state).send(&replica).await.result();
        }
    }
    let page = Page::of(&server).await;
    let count = |name: &str| page.value(&format!("loadgen_replica_{name}_total")) as u64;
    assert_eq!(count("token_executions"), 4);
    assert_eq!(count("tokens_executed"), 2);
    assert_eq!(count("tokens_executed_again"), 1);
    assert_eq!(count("tokens_forgotten"), 0);
    assert_eq!(page.sum("loadgen_replica_token_most_executions") as u64, 3);

    let unwatched = Running::start().await;
    assert!(
        !Page::of(&observe(&unwatched))
            .await
            .0
            .contains("token_executions")
    );
}

#[tokio::test]
async fn limits_are_told_by_principal() {
    let replica = Running::with(7, |c| {
        let mut limit = LimitConfig::new("1/h".parse().unwrap());
        limit.burst = 2.try_into().unwrap();
        limit.ticks = Some(Ticks::from_fn(|| Duration::from_secs(7)));
        c.limit = Some(limit);
    })
    .await;
    let server = observe(&replica);
    let echo = Post::call("echo", json!({ "text": "x" }));
    for _ in 0..3 {
        echo.send_unchecked(&replica).await;
    }
    echo.also("authorization", "Bearer b").send(&replica).await;
    let page = Page::of(&server).await;
    let decided = |decision: &str| {
        page.value(&format!(
            "loadgen_replica_limit_decisions_total{{decision=\"{decision}\"}}"
        )) as u64
    };
    assert_eq!((decided("admitted"), decided("limited")), (3, 1));
    assert_eq!((decided("failed-open"), decided("failed-closed")), (0, 0));
    let anonymous = |what: &str| {
        page.value(&format!(
            "loadgen_replica_principal_{what}_total{{principal=\"anonymous\"}}"
        )) as u64
    };
    assert_eq!((anonymous("admitted"), anonymous("limited")), (2, 1));
    assert_eq!(
        page.sum("loadgen_replica_principal_admitted_total") as u64,
        3
    );
    assert!(!page.0.contains("Bearer"), "{}", page.0);
    let limit = r#"loadgen_replica_part_requests_total{part="limit"}"#;
    assert_eq!(page.value(limit) as u64, 4);
}
