//! What a misled replica does to its connections.

use loadgen_protocol::SseParser;
use loadgen_replica::{Fault, ReplyForm};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::client::{Reply, meta, read_reply};
use crate::faults::{count, echo, misled, tell};
use crate::h2_client::Client;
use crate::running::Running;

async fn connect(to: &Running) -> TcpStream {
    TcpStream::connect(to.address).await.unwrap()
}

async fn ask(stream: &mut TcpStream) -> Reply {
    stream.write_all(&echo().bytes()).await.unwrap();
    read_reply(stream).await
}

/// Whether the connection is closed without a byte of a reply.
async fn is_cut(stream: &mut TcpStream) -> bool {
    matches!(stream.read(&mut [0; 1]).await, Ok(0) | Err(_))
}

#[tokio::test]
async fn a_connection_is_cut_before_or_after_its_request_is_executed() {
    for (set, fault, executed) in [
        ("close_before_rate", Fault::CloseBefore, 0),
        ("close_after_rate", Fault::CloseAfter, 1),
    ] {
        let replica = misled(json!({ set: 1 })).await;
        let mut stream = connect(&replica).await;
        stream.write_all(&echo().bytes()).await.unwrap();
        assert!(is_cut(&mut stream).await, "{set}");
        assert_eq!(replica.replica.counters().completed, executed, "{set}");

        // Over HTTP/2 only the stream ends; the connection goes on.
        let mut client = Client::connect(&replica).await;
        let reset = client.post(&echo()).await.unwrap_err();
        assert!(reset.is_reset(), "{reset}");
        tell(&replica, json!({ "clear": true }));
        assert_eq!(client.post(&echo()).await.unwrap().text(), "x");
        assert_eq!(count(&replica, fault), 2);
        assert_eq!(
            replica.replica.counters().completed,
            2 * executed + 1,
            "{set}"
        );
    }
}

#[tokio::test]
async fn a_stream_is_executed_to_its_end_before_it_is_cut() {
    let replica = Running::with(7, |config| config.conformance = true).await;
    tell(&replica, json!({ "set": { "close_after_rate": 1 } }));
    let mut about = meta();
    about["progressToken"] = "p".into();
    let tool = json!({ "name": "test_tool_with_progress", "_meta": about });
    let post = crate::client::Post::rpc("tools/call", tool);
    let mut stream = connect(&replica).await;
    stream.write_all(&post.bytes()).await.unwrap();
    assert!(is_cut(&mut stream).await);
    assert_eq!(replica.replica.counters().completed, 1);
}

#[tokio::test(start_paused = true)]
async fn connection_limits_hold_while_they_are_set() {
    let replica = misled(json!({
        "goaway_every": 2, "accept_limit": 1, "accept_over": "close",
    }))
    .await;
    let mut stream = connect(&replica).await;
    assert_eq!(ask(&mut stream).await.header("connection"), None);
    assert!(is_cut(&mut connect(&replica).await).await, "over the limit");
    assert_eq!(ask(&mut stream).await.header("connection"), Some("close"));
    assert!(is_cut(&mut stream).await);

    tell(&replica, json!({ "clear": true }));
    let (mut one, mut two) = (connect(&replica).await, connect(&replica).await);
    for _ in 0..3 {
        assert_eq!(ask(&mut one).await.header("connection"), None);
        assert_eq!(ask(&mut two).await.text(), "x");
    }
    tell(&replica, json!({ "set": { "close_idle_ms": 500 } }));
    assert!(is_cut(&mut one).await && is_cut(&mut two).await);
    assert_eq!(replica.connections.read().closed_idle, 2);
}

#[tokio::test]
async fn a_stream_drips_byte_by_byte_with_any_line_end() {
    for end in [json!(null), json!("cr"), json!("crlf"), json!("mixed")] {
        let replica = Running::with(7, |config| config.replies = ReplyForm::Sse).await;
        let set = json!({ "drip": { "bytes": 1, "every_ms": 0 }, "sse_line_end": end });
        tell(&replica, json!({ "set": set }));
        let post = crate::client::Post::call("echo", json!({ "text": "世界" }));
        let reply = post.send_unchecked(&replica).await;
        let (mut parser, mut events) = (SseParser::new(), Vec::new());
        parser.push(&reply.body, &mut events);
        let message: serde_json::Value = serde_json::from_slice(&events[0].data).unwrap();
        assert_eq!(message["result"]["content"][0]["text"], "世界", "{end}");
        assert_eq!((events.len(), count(&replica, Fault::Drip)), (1, 1));
    }
}
