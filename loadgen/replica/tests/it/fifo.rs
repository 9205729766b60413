//! The mode in which items are served one at a time.

use std::future::poll_fn;
use std::task::Poll;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use loadgen_replica::{Cause, Fifo, ServiceTime};
use serde_json::json;

use crate::client::Post;
use crate::running::Running;

async fn serving(service: ServiceTime) -> Running {
    Running::with(7, |config| config.fifo = Some(Fifo { service, seed: 1 })).await
}

fn request(post: &Post) -> Request<Full<Bytes>> {
    let mut request = Request::post(post.path);
    for (name, value) in &post.headers {
        request = request.header(*name, value.as_slice());
    }
    request.body(Full::from(post.body.clone())).unwrap()
}

#[tokio::test]
async fn nobody_is_served_before_their_turn() {
    let service = Duration::from_millis(3);
    let replica = serving(ServiceTime::Const(service)).await;
    let start = Instant::now();
    let echo = Post::call("echo", json!({ "text": "x" }));
    let ask = Post::rpc("resources/read", json!({ "uri": "memo://a" }));
    let served = |post: &Post| {
        let post = post.clone();
        let replica = &replica;
        async move {
            assert_eq!(post.send(replica).await.status, 200);
            start.elapsed()
        }
    };
    let (a, b, c) = tokio::join!(served(&echo), served(&ask), served(&echo));
    let mut times = [a, b, c];
    times.sort();
    for (turn, time) in (1..).zip(times) {
        assert!(time >= turn * service, "{turn}: {time:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_full_queue_turns_items_away_and_nothing_else() {
    let running = serving(ServiceTime::Const(Duration::from_secs(1))).await;
    let echo = Post::call("echo", json!({}));
    // The first is being served and sixty wait, up to a minute.
    let mut waiting: Vec<_> = (0..61)
        .map(|_| Box::pin(running.replica.reply(request(&echo))))
        .collect();
    for reply in &mut waiting {
        assert!(
            poll_fn(|cx| Poll::Ready(reply.as_mut().poll(cx).is_pending())).await,
            "served at once"
        );
    }
    let refused = running.replica.reply(request(&echo)).await;
    assert_eq!(refused.status(), 503);
    assert_eq!(running.replica.counters().refused_for(Cause::Full), 1);

    let list = Post::rpc("tools/list", json!({}));
    assert_eq!(running.replica.reply(request(&list)).await.status(), 200);
    let unknown = Post::call("nothing", json!({}));
    assert_eq!(running.replica.reply(request(&unknown)).await.status(), 400);
}
