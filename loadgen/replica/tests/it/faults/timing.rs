//! When a misled replica answers. Time is paused, and requests go in without a socket.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame};
use loadgen_replica::{Command, Fault, Replica};
use serde_json::{Value, json};
use tokio::time::{Instant, Sleep, advance, sleep};

use crate::client::Post;
use crate::faults::echo;
use crate::running;

fn replica() -> Arc<Replica> {
    Arc::new(Replica::new(running::config(7).0).unwrap())
}

fn tell(replica: &Replica, line: Value) {
    replica
        .obey(Command::parse(&line.to_string()).unwrap())
        .unwrap();
}

/// A body that takes its time.
struct Late {
    after: Pin<Box<Sleep>>,
    bytes: Option<Bytes>,
}

impl Body for Late {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.bytes.is_some() {
            ready!(self.after.as_mut().poll(cx));
        }
        Poll::Ready(self.bytes.take().map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// How long the replica takes to answer, in milliseconds.
async fn took(replica: &Arc<Replica>, post: Post) -> u128 {
    took_late(replica, post, 0).await
}

/// The same when the body comes that much later.
async fn took_late(replica: &Arc<Replica>, post: Post, late_ms: u64) -> u128 {
    let mut request = http::Request::post(post.path);
    for (name, value) in &post.headers {
        request = request.header(*name, &value[..]);
    }
    let body = Late {
        after: Box::pin(sleep(Duration::from_millis(late_ms))),
        bytes: Some(post.body.into()),
    };
    let request = request.body(body).unwrap();
    let start = Instant::now();
    let reply = replica.reply(request).await;
    assert_eq!(reply.status(), 200);
    start.elapsed().as_millis()
}

#[tokio::test(start_paused = true)]
async fn latency_is_added_to_every_request_or_to_a_share() {
    let replica = replica();
    assert_eq!(took(&replica, echo()).await, 0);
    tell(&replica, json!({ "set": { "latency_ms": 250 } }));
    assert_eq!(took(&replica, echo()).await, 250);
    tell(&replica, json!({ "set": { "latency_rate": 0.5 } }));
    let mut slow = 0;
    for _ in 0..100 {
        slow += took(&replica, echo()).await / 250;
    }
    // Three standard deviations of a fair coin thrown 100 times.
    assert!((35..=65).contains(&slow), "{slow}");
    assert_eq!(
        u128::from(replica.fault_counts().of(Fault::Latency)),
        slow + 1
    );
}

#[tokio::test(start_paused = true)]
async fn a_freeze_holds_old_requests_and_new_ones() {
    let replica = replica();
    let freeze = async {
        sleep(Duration::from_millis(10)).await;
        tell(&replica, json!({ "freeze_ms": 2000 }));
        sleep(Duration::from_millis(500)).await;
        took(&replica, echo()).await
    };
    let (old, new) = tokio::join!(took_late(&replica, echo(), 100), freeze);
    assert_eq!((old, new), (2010, 1500));
    assert_eq!(took(&replica, echo()).await, 0);
    assert_eq!(replica.fault_counts().of(Fault::Freeze), 2);
}

#[tokio::test(start_paused = true)]
async fn a_freeze_ends_with_a_clear() {
    let replica = replica();
    tell(&replica, json!({ "freeze_ms": 3_600_000 }));
    let thaw = async {
        sleep(Duration::from_millis(70)).await;
        tell(&replica, json!({ "clear": true }));
    };
    let (took, ()) = tokio::join!(took(&replica, echo()), thaw);
    assert_eq!(took, 70);
}

#[tokio::test(start_paused = true)]
async fn a_stall_comes_back_each_period() {
    let replica = replica();
    tell(
        &replica,
        json!({ "set": { "stall": { "for_ms": 200, "every_ms": 2000, "offset_ms": 1000 } } }),
    );
    for round in 0..3 {
        assert_eq!(took(&replica, echo()).await, 0, "{round}");
        advance(Duration::from_millis(1050)).await;
        assert_eq!(took(&replica, echo()).await, 150, "{round}");
        advance(Duration::from_millis(800)).await;
    }
    assert_eq!(replica.fault_counts().of(Fault::Stall), 3);
}
