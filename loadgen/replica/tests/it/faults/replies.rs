//! What a misled replica answers.

use loadgen_protocol::SseParser;
use loadgen_replica::{Cause, Fault, ReplyForm};
use serde_json::{Value, json};

use crate::client::{CAPABILITIES_KEY, Post, VERSION, VERSION_KEY};
use crate::faults::{confirm, count, delete, delete_params, echo, misled, tell};
use crate::running::Running;

#[tokio::test]
async fn errors_come_in_each_kind_and_nothing_is_executed() {
    for (kind, status, is_json) in [
        ("http-500", 500, false),
        ("http-503", 503, false),
        ("rpc-500", 500, true),
        ("rpc-200", 200, true),
    ] {
        let replica = misled(json!({ "error_rate": 1, "error_kind": kind })).await;
        let post = Post::rpc_with_id("18446744073709551616", "tools/list", json!({}));
        let reply = post.send_unchecked(&replica).await;
        assert_eq!(reply.status, status, "{kind}");
        if is_json {
            let body = String::from_utf8(reply.body.clone()).unwrap();
            assert!(body.contains(r#""id":18446744073709551616,"#), "{body}");
            assert_eq!(reply.error(), (status, -32603));
        } else {
            let kind = reply.header("content-type");
            assert_eq!(kind, Some("text/plain; charset=utf-8"));
        }
        assert_eq!(replica.replica.counters().listed, 0);
        assert_eq!(count(&replica, Fault::Error), 1);
    }
}

#[tokio::test]
async fn a_share_of_the_requests_meets_an_error() {
    let replica = misled(json!({ "error_rate": 0.5, "seed": 11 })).await;
    let mut failed = 0;
    for _ in 0..40 {
        failed += u64::from(echo().send_unchecked(&replica).await.status == 500);
    }
    assert!((1..40).contains(&failed), "{failed}");
    assert_eq!(count(&replica, Fault::Error), failed);
    assert_eq!(replica.replica.counters().completed, 40 - failed);
    // The same seed again meets the same requests.
    tell(&replica, json!({ "set": { "seed": 11 } }));
    for _ in 0..40 {
        echo().send_unchecked(&replica).await;
    }
    assert_eq!(count(&replica, Fault::Error), 2 * failed);
}

#[tokio::test]
async fn a_page_of_html_stands_where_a_reply_should() {
    for (set, status) in [
        (json!({ "html_rate": 1 }), 502),
        (json!({ "html_rate": 1, "html_status": 200 }), 200),
    ] {
        let replica = misled(set).await;
        let reply = echo().send_unchecked(&replica).await;
        assert_eq!(reply.status, status);
        assert_eq!(
            reply.header("content-type"),
            Some("text/html; charset=utf-8")
        );
        assert!(reply.body.starts_with(b"<!DOCTYPE html>"));
        assert_eq!(replica.replica.counters().completed, 0);
    }
}

#[tokio::test]
async fn every_tenth_tool_call_fails_and_is_not_executed() {
    let replica = misled(json!({ "tool_error_every": 10 })).await;
    let mut failed = Vec::new();
    for call in 1..=30 {
        Post::rpc("tools/list", json!({})).send(&replica).await;
        if echo().send(&replica).await.result()["isError"] == true {
            failed.push(call);
        }
    }
    assert_eq!(failed, [10, 20, 30]);
    let counters = replica.replica.counters();
    assert_eq!((counters.completed, counters.failed), (27, 3));
}

#[tokio::test]
async fn results_lose_their_type_or_get_another() {
    let replica = misled(json!({ "omit_result_type": true })).await;
    for post in [echo(), delete(), Post::rpc("tools/list", json!({}))] {
        let result = post.send_unchecked(&replica).await.result();
        assert!(result.get("resultType").is_none() && result["_meta"].is_object());
    }
    tell(
        &replica,
        json!({ "set": { "omit_result_type": null, "result_type": "done" } }),
    );
    let result = echo().send_unchecked(&replica).await.result();
    assert_eq!(result["resultType"], "done");
    assert_eq!(result["content"][0]["text"], "x");
    assert_eq!(count(&replica, Fault::OmitResultType), 3);
    assert_eq!(count(&replica, Fault::ResultType), 1);
}

#[tokio::test]
async fn unknown_members_stand_beside_questions() {
    let replica = misled(json!({ "extra_members": true })).await;
    let reply = delete().send_unchecked(&replica).await;
    let result = reply.result();
    assert_eq!(result["unknownText"], "text");
    assert_eq!(result["_meta"]["example.org/unknown"], json!([1, 2]));
    let (keys, state) = reply.asked();
    assert_eq!(keys, ["confirm"]);
    assert_eq!(confirm(&state).send(&replica).await.text(), "deleted p");
    assert_eq!(count(&replica, Fault::ExtraMembers), 1);
}

#[tokio::test]
async fn a_missing_capability_can_be_told_with_status_200() {
    let replica = Running::start().await;
    let mut params = delete_params();
    params["_meta"] = json!({ VERSION_KEY: VERSION, CAPABILITIES_KEY: {} });
    let bare = Post::rpc("tools/call", params);
    assert_eq!(bare.send(&replica).await.error(), (400, -32021));
    tell(&replica, json!({ "set": { "capability_status": 200 } }));
    let told = bare.send_unchecked(&replica).await;
    assert_eq!(told.error(), (200, -32021));
    let refused = replica.replica.counters().refused_for(Cause::Capability);
    assert_eq!((refused, count(&replica, Fault::CapabilityStatus)), (2, 1));
}

#[tokio::test]
async fn a_refused_state_can_be_told_in_two_more_ways() {
    let replica = misled(json!({ "state_refusal": "http-200" })).await;
    let told = confirm("forged").send_unchecked(&replica).await;
    assert_eq!(told.error(), (200, -32602));
    tell(
        &replica,
        json!({ "set": { "state_refusal": "tool-error" } }),
    );
    let result = confirm("forged").send(&replica).await.result();
    assert_eq!(result["isError"], true);
    assert_eq!(
        result["content"][0]["text"],
        "Invalid or expired requestState"
    );
    // A prompt has no result that is an error.
    let prompt = json!({ "name": "briefing", "requestState": "forged" });
    let told = Post::rpc("prompts/get", prompt)
        .send_unchecked(&replica)
        .await;
    assert_eq!(told.error(), (200, -32602));
    assert_eq!(replica.replica.counters().refused_for(Cause::State), 3);
}

#[tokio::test]
async fn only_an_older_revision_can_be_spoken() {
    let replica = misled(json!({ "only_version": "2025-11-25" })).await;
    let refused = echo().send(&replica).await;
    assert_eq!(refused.error(), (400, -32022));
    assert_eq!(
        refused.json()["error"]["data"],
        json!({ "supported": ["2025-11-25"], "requested": VERSION })
    );
    assert_eq!(count(&replica, Fault::OnlyVersion), 1);
    let meta = json!({ VERSION_KEY: "2025-11-25", CAPABILITIES_KEY: {} });
    let older = |method: &str, mut params: Value| {
        params["_meta"] = meta.clone();
        Post::rpc(method, params).header("mcp-protocol-version", "2025-11-25")
    };
    let call = older(
        "tools/call",
        json!({ "name": "echo", "arguments": { "text": "x" } }),
    );
    assert_eq!(call.send(&replica).await.text(), "x");
    let found = older("server/discover", json!({})).send(&replica).await;
    assert_eq!(found.result()["supportedVersions"], json!(["2025-11-25"]));
}

#[tokio::test]
async fn streams_end_their_lines_as_they_are_told() {
    for (end, has_cr, has_lf) in [
        ("cr", true, false),
        ("crlf", true, true),
        ("mixed", true, true),
    ] {
        let replica = Running::with(7, |config| {
            config.replies = ReplyForm::Sse;
            config.conformance = true;
        })
        .await;
        tell(&replica, json!({ "set": { "sse_line_end": end } }));
        // One reply is there at once and the other streams.
        let mut about = crate::client::meta();
        about["progressToken"] = "p".into();
        let progress = json!({ "name": "test_tool_with_progress", "_meta": about });
        for (post, events) in [(echo(), 1), (Post::rpc("tools/call", progress), 4)] {
            let reply = post.send_unchecked(&replica).await;
            let (mut parser, mut read) = (SseParser::new(), Vec::new());
            parser.push(&reply.body, &mut read);
            assert_eq!(read.len(), events, "{end}");
            let last: Value = serde_json::from_slice(&read[events - 1].data).unwrap();
            assert_eq!(last["result"]["resultType"], "complete");
            assert_eq!(reply.body.contains(&b'\r'), has_cr, "{end}");
            assert_eq!(reply.body.contains(&b'\n'), has_lf, "{end}");
        }
        assert_eq!(count(&replica, Fault::SseLineEnd), 2);
    }
}
