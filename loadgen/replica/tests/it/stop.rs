//! Stopping while requests are under way.

use loadgen_replica::Stopped;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::client::{Post, read_reply};
use crate::running::Running;

#[tokio::test]
async fn a_request_that_has_begun_is_answered_and_nothing_new_is_accepted() {
    let replica = Running::start().await;
    let address = replica.address;
    let counted = std::sync::Arc::clone(&replica.replica);
    let mut idle = TcpStream::connect(address).await.unwrap();
    let mut busy = TcpStream::connect(address).await.unwrap();
    // A whole round trip on each, so that the server has surely taken both connections.
    let list = Post::rpc("tools/list", json!({})).bytes();
    for stream in [&mut idle, &mut busy] {
        stream.write_all(&list).await.unwrap();
        assert_eq!(read_reply(stream).await.status, 200);
    }
    let call = Post::call("echo", json!({ "text": "hi" }));
    let bytes = call.bytes();
    let (front, rest) = bytes.split_at(bytes.len() - 10);
    busy.write_all(front).await.unwrap();
    // Another connection's round trip lets the server see the half request before it is stopped.
    let mut witness = TcpStream::connect(address).await.unwrap();
    witness.write_all(&list).await.unwrap();
    assert_eq!(read_reply(&mut witness).await.status, 200);

    let task = replica.begin_stop();
    // The idle connection is closed, which shows that the stop has begun.
    assert_eq!(idle.read(&mut [0; 1]).await.unwrap(), 0);
    busy.write_all(rest).await.unwrap();
    assert_eq!(read_reply(&mut busy).await.text(), "hi");
    assert_eq!(task.await.unwrap(), Stopped::Drained);
    assert!(TcpStream::connect(address).await.is_err());
    assert_eq!(counted.counters().completed, 1);
}
