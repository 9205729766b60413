//! `requestState` as something the client may do anything to.

use loadgen_replica::Cause;
use loadgen_seal::{Reason, Ttl};
use serde_json::{Value, json};

use crate::client::{Post, Reply};
use crate::running::Running;

fn params() -> Value {
    json!({ "name": "confirm_delete", "arguments": { "path": "p" } })
}

fn with_state(mut params: Value, state: &str) -> Post {
    params["requestState"] = state.into();
    params["inputResponses"] =
        json!({ "confirm": { "action": "accept", "content": { "confirm": true } } });
    let method = if params.get("uri").is_some() {
        "resources/read"
    } else {
        "tools/call"
    };
    Post::rpc(method, params)
}

async fn minted(replica: &Running) -> String {
    Post::rpc("tools/call", params())
        .send(replica)
        .await
        .asked()
        .1
}

/// The one reply to every state that does not open.
fn assert_refused(reply: &Reply) {
    assert_eq!(reply.status, 400);
    let body = std::str::from_utf8(&reply.body).unwrap();
    assert_eq!(
        body,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid or expired requestState","data":{"reason":"invalid_request_state"}}}"#
    );
}

#[tokio::test]
async fn another_key_refuses_and_says_nothing_about_it() {
    let (one, other) = (Running::start().await, Running::with(8, |_| ()).await);
    let state = minted(&one).await;
    assert_refused(&with_state(params(), &state).send(&other).await);
    assert_eq!(other.replica.counters().state.refused_for(Reason::Tag), 1);
    assert_eq!(other.replica.counters().completed, 0);
    assert_eq!(
        with_state(params(), &state).send(&one).await.text(),
        "deleted p"
    );
}

#[tokio::test]
async fn every_change_of_a_state_is_refused_alike() {
    let replica = Running::start().await;
    let state = minted(&replica).await;
    let swap = |at: usize| {
        let mut bytes = state.clone().into_bytes();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        String::from_utf8(bytes).unwrap()
    };
    let mut changed: Vec<String> = (0..state.len()).map(swap).collect();
    changed.extend((0..state.len()).map(|n| state[..n].to_owned()));
    changed.extend(["A", "=", "\n", " ", "-TAMPERED"].map(|end| format!("{state}{end}")));
    changed.extend([format!(" {state}"), state.to_lowercase(), "世界".to_owned()]);
    for bad in &changed {
        assert_refused(&with_state(params(), bad).send(&replica).await);
    }
    let counters = replica.replica.counters();
    assert_eq!(counters.refused_for(Cause::State), changed.len() as u64);
    assert_eq!(counters.completed, 0);
    assert_eq!(
        with_state(params(), &state).send(&replica).await.text(),
        "deleted p"
    );
}

#[tokio::test]
async fn a_state_is_bound_to_what_it_was_minted_for() {
    let replica = Running::start().await;
    let state = minted(&replica).await;
    for other in [
        json!({ "name": "confirm_delete", "arguments": { "path": "q" } }),
        json!({ "name": "confirm_delete" }),
        json!({ "name": "wizard", "arguments": { "path": "p" } }),
        json!({ "name": "echo", "arguments": { "path": "p" } }),
        json!({ "uri": "memo://confirm_delete" }),
    ] {
        assert_refused(&with_state(other, &state).send(&replica).await);
    }
    let bob = with_state(params(), &state).also("authorization", "Bearer bob");
    assert_refused(&bob.send(&replica).await);
    let elsewhere = Running::with(7, |c| c.audience = "another".to_owned()).await;
    assert_refused(&with_state(params(), &state).send(&elsewhere).await);

    let alice = Post::rpc("tools/call", params()).also("authorization", "Bearer alice");
    let hers = alice.send(&replica).await.asked().1;
    assert_refused(&with_state(params(), &hers).send(&replica).await);
    let empty = with_state(params(), &hers).also("authorization", "");
    assert_refused(&empty.send(&replica).await);
    let back = with_state(params(), &hers).also("authorization", "Bearer alice");
    assert_eq!(back.send(&replica).await.text(), "deleted p");
}

#[tokio::test]
async fn a_state_lives_for_its_time_and_not_a_second_longer() {
    let replica = Running::start().await;
    let state = minted(&replica).await;
    replica.advance(599);
    assert_eq!(
        with_state(params(), &state).send(&replica).await.text(),
        "deleted p"
    );
    replica.advance(1);
    assert_refused(&with_state(params(), &state).send(&replica).await);
    assert_eq!(
        replica
            .replica
            .counters()
            .state
            .refused_for(Reason::Expired),
        1
    );
}

#[tokio::test]
async fn asking_again_does_not_move_the_deadline_of_the_workflow() {
    let flow_ttl = Ttl::try_from(1000_u64).unwrap();
    let replica = Running::with(7, |c| c.flow_ttl = flow_ttl).await;
    let mut state = minted(&replica).await;
    let wait = |state: String| {
        let mut params = params();
        params["requestState"] = state.into();
        Post::rpc("tools/call", params)
    };
    replica.advance(500);
    state = wait(state).send(&replica).await.asked().1;
    replica.advance(499);
    state = wait(state).send(&replica).await.asked().1;
    replica.advance(1);
    assert_refused(&wait(state).send(&replica).await);
}

#[tokio::test]
async fn a_tool_that_never_asks_accepts_no_state() {
    let replica = Running::start().await;
    for state in ["", "x"] {
        let post = Post::rpc(
            "tools/call",
            json!({ "name": "echo", "requestState": state }),
        );
        assert_refused(&post.send(&replica).await);
    }
}
