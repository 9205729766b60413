//! Workflows whose rounds land on different replicas.

use serde_json::{Value, json};

use crate::client::{Post, Reply};
use crate::running::Running;

fn accept(key: &str, content: Value) -> Value {
    json!({ key: { "action": "accept", "content": content } })
}

/// The same request with the newest state and answers.
fn retry(method: &str, params: &Value, state: &str, answers: Value) -> Post {
    let mut params = params.clone();
    params["requestState"] = state.into();
    params["inputResponses"] = answers;
    Post::rpc(method, params)
}

async fn two() -> [Running; 2] {
    [Running::start().await, Running::start().await]
}

#[tokio::test]
async fn every_round_of_a_wizard_may_land_on_the_other_replica() {
    let fleet = two().await;
    let params = json!({ "name": "wizard", "arguments": { "rounds": 4, "pad_bytes": 300 } });
    let mut reply = Post::rpc("tools/call", params.clone())
        .send(&fleet[0])
        .await;
    let mut sizes = Vec::new();
    for step in 1..=4 {
        let (keys, state) = reply.asked();
        assert_eq!(keys, [format!("step{step}")]);
        sizes.push(state.len());
        let answers = accept(&keys[0], json!({ "answer": format!("é{step}") }));
        reply = retry("tools/call", &params, &state, answers)
            .send(&fleet[step % 2])
            .await;
    }
    assert_eq!(reply.text(), r#"{"answers":["é1","é2","é3","é4"]}"#);
    assert!(sizes.windows(2).all(|w| w[1] >= w[0] + 400), "{sizes:?}");
    let asked = fleet.each_ref().map(|r| r.replica.counters().asked);
    assert_eq!(asked, [2, 2]);
}

#[tokio::test]
async fn prompts_and_resources_ask_across_replicas_too() {
    let fleet = two().await;
    let params = json!({ "name": "briefing", "arguments": { "topic": "load" } });
    let (keys, state) = Post::rpc("prompts/get", params.clone())
        .send(&fleet[0])
        .await
        .asked();
    let answers = accept(&keys[0], json!({ "audience": "crew" }));
    let done = retry("prompts/get", &params, &state, answers)
        .send(&fleet[1])
        .await;
    assert_eq!(done.text(), "Write a briefing on load for crew.");

    let params = json!({ "uri": "memo://today" });
    let (keys, state) = Post::rpc("resources/read", params.clone())
        .send(&fleet[1])
        .await
        .asked();
    let answers = accept(&keys[0], json!({ "phrase": "tide" }));
    let done = retry("resources/read", &params, &state, answers)
        .send(&fleet[0])
        .await;
    assert_eq!(done.text(), "memo today opened with tide");
    // What an answer opened must not be served to others from a cache.
    assert_eq!(done.result()["ttlMs"], 0);
    assert_eq!(done.result()["cacheScope"], "private");
}

#[tokio::test]
async fn decline_and_cancel_end_the_workflow() {
    let replica = Running::start().await;
    let delete = json!({ "name": "confirm_delete", "arguments": { "path": "p" } });
    let wizard = json!({ "name": "wizard" });
    for action in ["decline", "cancel"] {
        for (params, text) in [(&delete, "kept p"), (&wizard, "stopped at step 1")] {
            let (keys, state) = Post::rpc("tools/call", params.clone())
                .send(&replica)
                .await
                .asked();
            let answers = json!({ &keys[0]: { "action": action } });
            let reply = retry("tools/call", params, &state, answers)
                .send(&replica)
                .await;
            assert_eq!(reply.text(), text);
        }
    }
}

#[tokio::test]
async fn unknown_keys_are_ignored_and_missing_answers_asked_for_again() {
    let replica = Running::start().await;
    let params = json!({ "name": "confirm_delete", "arguments": { "path": "p" } });
    let (_, state) = Post::rpc("tools/call", params.clone())
        .send(&replica)
        .await
        .asked();
    let strangers = json!({ "other": 7, "more": { "action": "accept" } });
    let again = retry("tools/call", &params, &state, strangers.clone())
        .send(&replica)
        .await;
    let (keys, newer) = again.asked();
    assert_eq!(keys, ["confirm"]);
    let mut answers = strangers;
    answers["confirm"] = json!({ "action": "accept", "content": { "confirm": true, "x": [1] } });
    let done = retry("tools/call", &params, &newer, answers)
        .send(&replica)
        .await;
    assert_eq!(done.text(), "deleted p");
}

#[tokio::test]
async fn malformed_answers_are_invalid_params() {
    let replica = Running::start().await;
    let params = json!({ "name": "confirm_delete", "arguments": { "path": "p" } });
    let (_, state) = Post::rpc("tools/call", params.clone())
        .send(&replica)
        .await
        .asked();
    for bad in [
        json!({ "confirm": true }),
        json!({ "action": "yes" }),
        json!({ "action": "accept" }),
        json!({ "action": "accept", "content": { "confirm": "true" } }),
        json!({ "action": "accept", "content": { "other": true } }),
        json!(12345),
        json!(null),
    ] {
        let reply = retry("tools/call", &params, &state, json!({ "confirm": bad }));
        assert_eq!(reply.send(&replica).await.error(), (400, -32602), "{bad}");
    }
    // The state itself was good all along.
    let answers = accept("confirm", json!({ "confirm": true }));
    let done = retry("tools/call", &params, &state, answers)
        .send(&replica)
        .await;
    assert_eq!(done.text(), "deleted p");
}

#[tokio::test]
async fn a_capability_dropped_between_rounds_counts_at_once() {
    let replica = Running::start().await;
    let mut params = json!({ "name": "wizard" });
    let (_, state) = Post::rpc("tools/call", params.clone())
        .send(&replica)
        .await
        .asked();
    params["_meta"] = crate::client::meta();
    params["_meta"][crate::client::CAPABILITIES_KEY] = json!({});
    let answers = accept("step1", json!({ "answer": "a" }));
    let reply = retry("tools/call", &params, &state, answers)
        .send(&replica)
        .await;
    assert_eq!(reply.error(), (400, -32021));
}

#[tokio::test]
async fn a_state_that_could_never_come_back_is_not_minted() {
    let replica = Running::with(7, |c| c.body_limit_bytes = 10_000).await;
    let reply = Post::call("wizard", json!({ "pad_bytes": 9_000 }))
        .send(&replica)
        .await;
    assert_eq!(reply.result()["isError"], true);
    Post::call("wizard", json!({ "pad_bytes": 6_000 }))
        .send(&replica)
        .await
        .asked();
}

#[tokio::test]
async fn server_timing_names_the_parts_that_happened() {
    let replica = Running::start().await;
    let parts = |reply: &Reply| -> Vec<String> {
        let field = reply.header("server-timing").unwrap();
        field
            .split(", ")
            .map(|part| {
                let (name, dur) = part.split_once(";dur=").unwrap();
                let (_, decimals) = dur.split_once('.').unwrap();
                assert!(
                    dur.parse::<f64>().unwrap() >= 0.0 && decimals.len() == 6,
                    "{field}"
                );
                name.to_owned()
            })
            .collect()
    };
    let quiet = Post::call("echo", json!({})).send(&replica).await;
    assert_eq!(parts(&quiet), ["handle"]);
    let params = json!({ "name": "wizard", "arguments": { "rounds": 2 } });
    let first = Post::rpc("tools/call", params.clone()).send(&replica).await;
    assert_eq!(parts(&first), ["handle", "seal"]);
    let answers = accept("step1", json!({ "answer": "a" }));
    let second = retry("tools/call", &params, &first.asked().1, answers)
        .send(&replica)
        .await;
    assert_eq!(parts(&second), ["open", "handle", "seal"]);
    let answers = accept("step2", json!({ "answer": "b" }));
    let last = retry("tools/call", &params, &second.asked().1, answers)
        .send(&replica)
        .await;
    assert_eq!(parts(&last), ["open", "handle"]);
    let refused = retry("tools/call", &params, "x", json!({}))
        .send(&replica)
        .await;
    assert_eq!(parts(&refused), ["open", "handle"]);
}
