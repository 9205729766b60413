//! Much at once.

use std::num::NonZeroUsize;

use loadgen_replica::{Cause, Transport};
use serde_json::json;

use crate::client::Post;
use crate::h2_client::Client;
use crate::running::Running;

fn echo() -> Post {
    Post::call("echo", json!({ "text": "hi" }))
}

#[tokio::test]
async fn many_bodies_far_beyond_the_limit_are_all_refused_while_others_are_served() {
    for threads in [1, 2] {
        let transport = Transport {
            threads: NonZeroUsize::new(threads).unwrap(),
            ..Transport::default()
        };
        // A small limit, so that as much beyond it does not take long.
        let limit = |config: &mut loadgen_replica::Config| config.body_limit_bytes = 256 << 10;
        let replica = std::sync::Arc::new(Running::serving(7, limit, transport).await);
        let mut large = echo();
        large.body.resize(1 << 20, b' ');
        let mut all = tokio::task::JoinSet::new();
        for chunk in [None, Some(16 << 10)].into_iter().cycle().take(64) {
            let mut post = large.clone();
            post.chunk = chunk;
            let to = std::sync::Arc::clone(&replica);
            all.spawn(async move { post.send(&to).await.status });
        }
        assert_eq!(echo().send(&replica).await.text(), "hi");
        let statuses = all.join_all().await;
        assert!(statuses.iter().all(|s| *s == 413), "{statuses:?}");
        assert_eq!(replica.replica.counters().refused_for(Cause::BodySize), 64);
    }
}

#[tokio::test]
async fn large_streams_of_one_connection_are_refused_too() {
    let limit = |config: &mut loadgen_replica::Config| config.body_limit_bytes = 256 << 10;
    let replica = Running::serving(7, limit, Transport::default()).await;
    let mut large = echo();
    large.body.resize(1 << 20, b' ');
    let mut client = Client::connect(&replica).await;
    for _ in 0..4 {
        assert_eq!(client.post(&large).await.unwrap().status, 413);
    }
    assert_eq!(client.post(&echo()).await.unwrap().text(), "hi");
}

#[tokio::test]
async fn large_bodies_within_the_limit_wait_for_each_other_and_are_served() {
    let replica = std::sync::Arc::new(Running::start().await);
    let mut large = echo();
    large.body.resize(1 << 20, b' ');
    let mut all = tokio::task::JoinSet::new();
    for _ in 0..40 {
        let (post, to) = (large.clone(), std::sync::Arc::clone(&replica));
        all.spawn(async move { post.send(&to).await.text() });
    }
    assert!(all.join_all().await.iter().all(|text| text == "hi"));
}

#[tokio::test]
async fn a_state_beyond_the_body_limit_is_too_large() {
    let replica = Running::start().await;
    let state = "A".repeat(8 << 20);
    let params = json!({ "name": "echo", "arguments": { "text": "hi" }, "requestState": state });
    let reply = Post::rpc("tools/call", params).send(&replica).await;
    assert_eq!(reply.status, 413);
}
