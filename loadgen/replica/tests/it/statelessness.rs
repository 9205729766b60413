//! Every request stands for itself: nothing is remembered of a connection, a client or a round.

use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::client::{CAPABILITIES_KEY, Post, VERSION_KEY, meta};
use crate::running::Running;

fn delete() -> Value {
    json!({ "name": "confirm_delete", "arguments": { "path": "p" } })
}

fn confirmed(mut params: Value, state: &str) -> Value {
    params["requestState"] = state.into();
    params["inputResponses"] =
        json!({ "confirm": { "action": "accept", "content": { "confirm": true } } });
    params
}

/// Version, capabilities and principal are those of the request, whatever came before it on the same
/// connection.
#[tokio::test]
async fn a_connection_lends_nothing_to_the_next_request() {
    let replica = Running::start().await;
    let mut stream = TcpStream::connect(replica.address).await.unwrap();
    let mut bare = delete();
    bare["_meta"] = meta();
    bare["_meta"][CAPABILITIES_KEY] = json!({});
    let other_version = json!({ VERSION_KEY: "v999", CAPABILITIES_KEY: {} });
    for _ in 0..2 {
        let asks = Post::rpc("tools/call", delete())
            .send_over(&mut stream)
            .await;
        let (_, state) = asks.asked();
        let undeclared = Post::rpc("tools/call", bare.clone());
        assert_eq!(
            undeclared.send_over(&mut stream).await.error(),
            (400, -32021)
        );
        let old = Post::rpc("tools/list", json!({ "_meta": other_version }))
            .header("mcp-protocol-version", "v999");
        assert_eq!(old.send_over(&mut stream).await.error(), (400, -32022));
        let unnamed = json!({ "_meta": { CAPABILITIES_KEY: {} } });
        let unnamed = Post::rpc("tools/list", unnamed)
            .send_over(&mut stream)
            .await;
        assert_eq!(unnamed.error(), (400, -32602));
        let retry = Post::rpc("tools/call", confirmed(delete(), &state));
        let stranger = retry.clone().also("authorization", "Bearer bob");
        assert_eq!(stranger.send_over(&mut stream).await.error(), (400, -32602));
        assert_eq!(retry.send_over(&mut stream).await.text(), "deleted p");
    }
}

#[tokio::test]
async fn one_connection_or_one_for_each_request_makes_no_difference() {
    let replica = Running::start().await;
    let mut stream = TcpStream::connect(replica.address).await.unwrap();
    let state = |reply: crate::client::Reply| reply.asked().1;
    let pooled = state(
        Post::rpc("tools/call", delete())
            .send_over(&mut stream)
            .await,
    );
    let fresh = state(Post::rpc("tools/call", delete()).send(&replica).await);
    // Each goes on where the other began.
    let retry = Post::rpc("tools/call", confirmed(delete(), &pooled));
    assert_eq!(retry.send(&replica).await.text(), "deleted p");
    let retry = Post::rpc("tools/call", confirmed(delete(), &fresh));
    assert_eq!(retry.send_over(&mut stream).await.text(), "deleted p");
}

#[tokio::test]
async fn a_workflow_outlives_the_replica_that_began_it() {
    let first = Running::start().await;
    let (_, state) = Post::rpc("tools/call", delete()).send(&first).await.asked();
    first.begin_stop().await.unwrap();
    let second = Running::start().await;
    let retry = Post::rpc("tools/call", confirmed(delete(), &state));
    assert_eq!(retry.send(&second).await.text(), "deleted p");
}

/// Lists are the same on every replica, connection and moment; nothing that a client does changes
/// them.
#[tokio::test]
async fn lists_are_the_same_everywhere_and_after_anything() {
    let fixtures = || Running::with(7, |config| config.conformance = true);
    let fleet = [fixtures().await, fixtures().await];
    let lists = async |replica: &Running| {
        let mut all = Vec::new();
        for method in [
            "server/discover",
            "tools/list",
            "prompts/list",
            "resources/list",
            "resources/templates/list",
        ] {
            all.push(Post::rpc(method, json!({})).send(replica).await.body);
        }
        all
    };
    let before = lists(&fleet[0]).await;
    for trigger in ["test_trigger_tool_change", "test_trigger_prompt_change"] {
        Post::call(trigger, json!({}))
            .send(&fleet[0])
            .await
            .result();
    }
    let (_, state) = Post::rpc("tools/call", delete())
        .send(&fleet[0])
        .await
        .asked();
    let done = Post::rpc("tools/call", confirmed(delete(), &state));
    done.send(&fleet[0]).await.text();
    assert!(lists(&fleet[0]).await == before, "after side effects");
    assert!(lists(&fleet[1]).await == before, "on another replica");
}

/// One state, six replays that each differ in one thing; then the honest one (archestra #6930).
#[tokio::test]
async fn six_replays_are_refused_alike_and_run_nothing() {
    let replica = Running::start().await;
    let alice = |post: Post| post.also("authorization", "Bearer alice");
    let (_, state) = alice(Post::rpc("tools/call", delete()))
        .send(&replica)
        .await
        .asked();
    let flipped = {
        let mut bytes = state.clone().into_bytes();
        bytes[30] ^= 1;
        String::from_utf8(bytes).unwrap()
    };
    let call = |params: Value| Post::rpc("tools/call", params);
    let other = |name: &str, path: &str| {
        confirmed(
            json!({ "name": name, "arguments": { "path": path } }),
            &state,
        )
    };
    let prompt = json!({ "name": "briefing", "arguments": { "path": "p" } });
    let replays = [
        call(confirmed(delete(), &state)).also("authorization", "Bearer bob"),
        alice(call(other("wizard", "p"))),
        alice(call(other("confirm_delete", "q"))),
        alice(Post::rpc("prompts/get", confirmed(prompt, &state))),
        alice(call(confirmed(delete(), &flipped))),
    ];
    let mut said = Vec::new();
    for replay in &replays {
        said.push(replay.send(&replica).await.body);
    }
    let honest = alice(call(confirmed(delete(), &state)));
    assert_eq!(honest.send(&replica).await.text(), "deleted p");
    replica.advance(600);
    said.push(honest.send(&replica).await.body);
    said.dedup();
    assert_eq!(said.len(), 1, "{said:?}");
    let counters = replica.replica.counters();
    assert_eq!(counters.refused_for(loadgen_replica::Cause::State), 6);
    assert_eq!((counters.completed, counters.failed), (1, 0));
}
