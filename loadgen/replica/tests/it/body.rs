//! Bodies of every size and framing.

use loadgen_replica::Cause;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::client::{Post, read_reply};
use crate::running::Running;

const LIMIT: usize = 4 << 20;

fn padded(len: usize) -> Post {
    let post = Post::call("echo", json!({ "text": "hi" }));
    let mut body = post.body.clone();
    body.resize(len, b' ');
    post.body(body)
}

#[tokio::test]
async fn a_body_of_exactly_the_limit_is_served_and_one_byte_more_is_not() {
    let replica = Running::start().await;
    for chunk in [None, Some(65_536)] {
        let (mut fits, mut over) = (padded(LIMIT), padded(LIMIT + 1));
        (fits.chunk, over.chunk) = (chunk, chunk);
        assert_eq!(fits.send(&replica).await.text(), "hi");
        let reply = over.send(&replica).await;
        assert_eq!(
            (reply.status, reply.header("connection")),
            (413, Some("close"))
        );
    }
    assert_eq!(replica.replica.counters().refused_for(Cause::BodySize), 2);
}

#[tokio::test]
async fn clients_that_are_still_sending_get_to_read_the_refusal() {
    let replica = Running::start().await;
    for chunk in [None, Some(100_000)] {
        let mut post = padded(16 << 20);
        post.chunk = chunk;
        assert_eq!(post.send(&replica).await.status, 413);
        let mut early = post.header("accept", "text/html");
        early.chunk = chunk;
        assert_eq!(early.send(&replica).await.status, 406);
    }
}

#[tokio::test]
async fn a_client_that_waits_for_a_go_ahead_is_refused_before_it_sends() {
    let replica = Running::start().await;
    let mut stream = TcpStream::connect(replica.address).await.unwrap();
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\naccept: */*\r\ncontent-type: application/json\r\n\
                content-length: 9999999\r\nexpect: 100-continue\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    assert_eq!(read_reply(&mut stream).await.status, 413);
}

#[tokio::test]
async fn chunks_of_one_byte_make_the_same_request() {
    let replica = Running::start().await;
    let mut post = Post::call("echo", json!({ "text": "世界" }));
    post.chunk = Some(1);
    assert_eq!(post.send(&replica).await.text(), "世界");
}

#[tokio::test]
async fn requests_follow_each_other_on_one_connection_after_refusals_too() {
    let replica = Running::start().await;
    let mut stream = TcpStream::connect(replica.address).await.unwrap();
    let good = Post::call("echo", json!({ "text": "hi" }));
    let bad = good.clone().without("mcp-name");
    let silent = good.clone().header("accept", "text/html");
    for (post, status) in [(&good, 200), (&bad, 400), (&silent, 406), (&good, 200)] {
        stream.write_all(&post.bytes()).await.unwrap();
        assert_eq!(read_reply(&mut stream).await.status, status);
    }
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    let replica = Running::start().await;
    let mut stream = TcpStream::connect(replica.address).await.unwrap();
    let all: Vec<u8> = (0..20)
        .flat_map(|id| Post::rpc_with_id(&id.to_string(), "tools/list", json!({})).bytes())
        .collect();
    stream.write_all(&all).await.unwrap();
    for id in 0..20 {
        assert_eq!(read_reply(&mut stream).await.json()["id"], id);
    }
}

#[tokio::test]
async fn json_nested_beyond_reason_is_refused_and_the_replica_lives() {
    let replica = Running::start().await;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for body in [
        deep.clone(),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{deep}}}"#),
    ] {
        let status = Post::rpc("tools/list", json!({}))
            .body(body)
            .send(&replica)
            .await
            .status;
        assert_eq!(status, 400);
    }
    Post::rpc("tools/list", json!({}))
        .send(&replica)
        .await
        .result();
}
