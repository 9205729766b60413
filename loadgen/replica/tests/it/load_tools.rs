//! The tools that cost, refuse to end or grow as a load test asks for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use loadgen_replica::{Cause, Clock, ReplyForm};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::client::{Post, Reply, meta};
use crate::running::{NOW, Running};

fn params(tool: &str, arguments: Value) -> Value {
    json!({ "name": tool, "arguments": arguments })
}

/// The same call with the newest state and answers.
async fn again(to: &Running, params: &Value, state: &str, answers: Value) -> Reply {
    let mut params = params.clone();
    params["requestState"] = state.into();
    params["inputResponses"] = answers;
    Post::rpc("tools/call", params).send(to).await
}

fn accept(key: &str, content: Value) -> Value {
    json!({ key: { "action": "accept", "content": content } })
}

#[tokio::test]
async fn work_answers_with_the_bytes_that_were_asked_for() {
    let replica = Running::start().await;
    let arguments = json!({ "cpu_us": 200, "sleep_ms": 1, "response_bytes": 100_000 });
    let reply = Post::call("work", arguments).send(&replica).await;
    assert_eq!(reply.text().len(), 100_000);
    let too_long = Post::call("work", json!({ "sleep_ms": 60_001 }));
    let result = too_long.send(&replica).await.result();
    assert_eq!(result["isError"], true, "{result}");
}

#[tokio::test]
async fn work_says_how_far_it_is_to_a_client_that_wants_to_hear_it() {
    let replica = Running::with(7, |config| config.replies = ReplyForm::Auto).await;
    let mut params = params("work", json!({ "sleep_ms": 4 }));
    assert_eq!(
        Post::rpc("tools/call", params.clone())
            .send(&replica)
            .await
            .text(),
        ""
    );
    params["_meta"] = meta();
    params["_meta"]["progressToken"] = 9.into();
    let messages = Post::rpc("tools/call", params)
        .send(&replica)
        .await
        .events();
    let (last, reports) = messages.split_last().unwrap();
    let reports: Vec<_> = reports.iter().map(|m| &m["params"]).collect();
    let want = [1, 2, 3, 4].map(|at| json!({ "progressToken": 9, "progress": at, "total": 4 }));
    assert_eq!(reports, want.iter().collect::<Vec<_>>());
    assert_eq!(last["result"]["resultType"], "complete");
}

#[tokio::test]
async fn work_that_nobody_waits_for_does_not_complete() {
    let replica = Running::start().await;
    let mut stream = TcpStream::connect(replica.address).await.unwrap();
    let long = Post::call("work", json!({ "sleep_ms": 60_000 }));
    stream.write_all(&long.bytes()).await.unwrap();
    let work = || {
        let counters = replica.replica.counters();
        let item = counters.items.iter().find(|item| item.name == "work");
        item.map(|item| (item.started, item.ended)).unwrap()
    };
    while work() != (1, 0) {
        tokio::task::yield_now().await;
    }
    drop(stream);
    while replica.replica.counters().cancelled == 0 {
        tokio::task::yield_now().await;
        assert_eq!(work(), (1, 0), "the sleep went on to its end");
    }
    assert_eq!(work(), (1, 0));
    assert_eq!(replica.replica.counters().completed, 0);
}

#[tokio::test]
async fn a_code_is_redeemed_when_it_is_confirmed() {
    let replica = Running::start().await;
    let params = params("redeem", json!({ "code": "SPRING" }));
    let (keys, state) = Post::rpc("tools/call", params.clone())
        .send(&replica)
        .await
        .asked();
    assert_eq!(keys, ["confirm"]);
    let yes = accept("confirm", json!({ "confirm": true }));
    let done = again(&replica, &params, &state, yes.clone()).await;
    assert_eq!(done.text(), "redeemed SPRING");

    let mut other = params.clone();
    other["arguments"]["code"] = "SUMMER".into();
    let refused = again(&replica, &other, &state, yes).await;
    assert_eq!(refused.error(), (400, -32602));
    assert_eq!(replica.replica.counters().refused_for(Cause::State), 1);
}

#[tokio::test]
async fn shedding_sends_away_without_a_question_until_the_time_has_passed() {
    let now_ms = Arc::new(AtomicU64::new(NOW * 1000 + 999));
    let clock = || {
        let now_ms = Arc::clone(&now_ms);
        Clock::from_ms(move || now_ms.load(Ordering::Relaxed))
    };
    let fleet = [
        Running::with(7, |config| config.clock = clock()).await,
        Running::with(7, |config| config.clock = clock()).await,
    ];
    let params = params("shed", json!({ "for_ms": 2000 }));
    let mut reply = Post::rpc("tools/call", params.clone())
        .send(&fleet[0])
        .await;
    // Paced by 250 ms: away at 0, 250, .. 1750, and in at 2000.
    for round in 1..=8 {
        let result = reply.result();
        assert_eq!(result["resultType"], "input_required");
        assert_eq!(result.get("inputRequests"), None);
        now_ms.fetch_add(250, Ordering::Relaxed);
        let state = result["requestState"].as_str().unwrap();
        reply = again(&fleet[round % 2], &params, state, json!({})).await;
    }
    assert_eq!(reply.text(), r#"{"rounds":9,"waited_ms":2000}"#);
}

#[tokio::test]
async fn nagging_outlasts_any_client() {
    let replica = Running::start().await;
    let params = params("nag", json!({}));
    let mut reply = Post::rpc("tools/call", params.clone()).send(&replica).await;
    for round in 1..=40 {
        let (keys, state) = reply.asked();
        assert_eq!(keys, [format!("more{round}")]);
        let answers = match round % 3 {
            0 => json!({ &keys[0]: { "action": "cancel" } }),
            1 => json!({}),
            _ => accept(&keys[0], json!({ "answer": "enough" })),
        };
        reply = again(&replica, &params, &state, answers).await;
    }
    assert_eq!(replica.replica.counters().asked, 41);
}

#[tokio::test]
async fn grown_states_have_the_length_that_the_formula_says() {
    // Of the token: AES-256-GCM's own 34 bytes, 5 of claims, 16 of the questions' digest, 4 of the
    // number, and the padding, in base64 without padding.
    let characters = |padding: usize| ((34 + 5 + 16 + 4 + padding) * 4).div_ceil(3);
    let replica = Running::start().await;
    for (law, paddings) in [
        ("linear", [1000, 2000, 3000, 4000]),
        ("geometric", [1000, 2000, 4000, 8000]),
        ("constant", [1000; 4]),
    ] {
        let params = params(
            "grow",
            json!({ "bytes_per_round": 1000, "rounds": 4, "law": law }),
        );
        let mut reply = Post::rpc("tools/call", params.clone()).send(&replica).await;
        for padding in paddings {
            let (keys, state) = reply.asked();
            assert_eq!(state.len(), characters(padding), "{law}");
            let answers = accept(&keys[0], json!({ "answer": "a" }));
            reply = again(&replica, &params, &state, answers).await;
        }
        let last = 4 + paddings[3];
        assert_eq!(
            reply.text(),
            format!(r#"{{"rounds":4,"state_bytes":{last}}}"#)
        );
    }
}

#[tokio::test]
async fn a_state_above_what_can_come_back_fails_the_tool() {
    let replica = Running::start().await;
    let arguments = json!({ "bytes_per_round": 4 << 20, "rounds": 1 });
    let result = Post::call("grow", arguments).send(&replica).await.result();
    assert_eq!(result["isError"], true, "{result}");
}
