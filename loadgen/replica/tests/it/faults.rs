//! The replica misbehaves as it is told, and only so.

mod connections;
mod docs;
mod keys;
mod questions;
mod replies;
mod state;
mod timing;

use std::sync::Arc;

use loadgen_replica::{Command, Fault, Metrics};
use serde_json::{Map, Value, json};

use crate::client::Post;
use crate::running::Running;

/// A replica with which this is wrong.
async fn misled(set: Value) -> Running {
    let replica = Running::start().await;
    tell(&replica, json!({ "set": set }));
    replica
}

/// Gives a replica one line and what it says to it.
fn tell(replica: &Running, line: Value) -> Map<String, Value> {
    try_tell(replica, &line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn try_tell(replica: &Running, line: &Value) -> Result<Map<String, Value>, String> {
    Command::parse(&line.to_string())
        .and_then(|command| replica.replica.obey(command))
        .map_err(|error| error.to_string())
}

fn count(replica: &Running, fault: Fault) -> u64 {
    replica.replica.fault_counts().of(fault)
}

fn echo() -> Post {
    Post::call("echo", json!({ "text": "x" }))
}

/// A workflow of one question.
fn delete() -> Post {
    Post::rpc("tools/call", delete_params())
}

fn delete_params() -> Value {
    json!({ "name": "confirm_delete", "arguments": { "path": "p" } })
}

/// The answer to its question, with the state that came with it.
fn confirm(state: &str) -> Post {
    confirm_in(delete_params(), state)
}

fn confirm_in(mut params: Value, state: &str) -> Post {
    params["requestState"] = state.into();
    params["inputResponses"] =
        json!({ "confirm": { "action": "accept", "content": { "confirm": true } } });
    Post::rpc("tools/call", params)
}

#[tokio::test]
async fn a_line_is_answered_with_what_holds_then() {
    let replica = Running::start().await;
    let told = tell(
        &replica,
        json!({ "set": { "tool_error_every": 1, "seed": 4 } }),
    );
    let keys = json!([{ "id": 1, "role": "mint" }]);
    assert_eq!(
        Value::Object(told),
        json!({ "faults": { "seed": 4, "tool_error_every": 1 }, "keys": keys, "applied": {} })
    );
    echo().send(&replica).await;
    let told = tell(&replica, json!({ "set": { "tool_error_every": null } }));
    assert_eq!(told["faults"], json!({ "seed": 4 }));
    assert_eq!(told["applied"], json!({ "tool_error_every": 1 }));
    assert_eq!(tell(&replica, json!({ "show": true })), told);
    let told = tell(&replica, json!({ "clear": true }));
    assert_eq!(told["faults"], json!({}));
}

#[tokio::test]
async fn what_is_refused_changes_nothing() {
    let replica = misled(json!({ "tool_error_every": 1 })).await;
    for bad in [
        json!({ "set": { "tool_error_every": null, "latency_ms": -1 } }),
        json!({ "set": { "tool_error_ever": null } }),
        json!({ "keys": { "drop": 1 } }),
        json!({ "clear": false }),
    ] {
        assert!(try_tell(&replica, &bad).is_err(), "{bad}");
    }
    assert_eq!(echo().send(&replica).await.result()["isError"], true);
}

#[tokio::test]
async fn the_metrics_tell_how_often_a_fault_made_a_difference() {
    let replica = misled(json!({ "tool_error_every": 2 })).await;
    for _ in 0..5 {
        echo().send(&replica).await;
    }
    let page = Metrics::new(
        Arc::clone(&replica.replica),
        Arc::clone(&replica.connections),
    )
    .text();
    let says = |line: &str| page.lines().any(|l| l == line);
    let name = "loadgen_replica_faults_applied_total";
    assert!(
        says(&format!("{name}{{fault=\"tool_error_every\"}} 2")),
        "{page}"
    );
    assert!(says(&format!("{name}{{fault=\"freeze_ms\"}} 0")), "{page}");
}

#[tokio::test]
async fn requests_leak_what_they_are_told_to() {
    let replica = misled(json!({ "leak_bytes": 38_912 })).await;
    for _ in 0..5 {
        assert_eq!(echo().send(&replica).await.text(), "x");
    }
    assert_eq!(count(&replica, Fault::Leak), 5);
}
