use loadgen_replica::ReplyForm;
use serde_json::{Value, json};

use crate::client::{Post, meta};
use crate::running::Running;

async fn replying(form: ReplyForm) -> Running {
    Running::with(7, |config| {
        config.replies = form;
        config.conformance = true;
    })
    .await
}

fn with_progress() -> Post {
    let mut about = meta();
    about["progressToken"] = "p".into();
    let tool = json!({ "name": "test_tool_with_progress", "_meta": about });
    Post::rpc_with_id("\"k\"", "tools/call", tool)
}

#[tokio::test]
async fn progress_comes_before_the_result_in_events() {
    for form in [ReplyForm::Auto, ReplyForm::Sse] {
        let replica = replying(form).await;
        let messages = with_progress().send(&replica).await.events();
        assert_eq!(messages.len(), 4, "{messages:?}");
        for (message, at) in messages.iter().zip([0, 50, 100]) {
            let want = json!({ "progressToken": "p", "progress": at, "total": 100 });
            assert_eq!(message["method"], "notifications/progress");
            assert_eq!(message["params"], want);
            assert_eq!(message.get("id"), None);
        }
        assert_eq!(messages[3]["id"], "k");
        assert_eq!(messages[3]["result"]["resultType"], "complete");
    }
}

fn with_level(level: Value) -> Post {
    let mut about = meta();
    about["io.modelcontextprotocol/logLevel"] = level;
    let tool = json!({ "name": "test_logging_tool", "_meta": about });
    Post::rpc("tools/call", tool)
}

#[tokio::test]
async fn log_lines_come_only_when_asked_for_and_only_the_grave_enough() {
    let replica = replying(ReplyForm::Auto).await;
    let quiet = Post::call("test_logging_tool", json!({}));
    assert_eq!(quiet.send(&replica).await.text(), "logged");
    assert_eq!(
        with_level("critical".into()).send(&replica).await.text(),
        "logged"
    );
    for (least, want) in [
        ("debug", &["debug", "info", "error"][..]),
        ("info", &["info", "error"]),
        ("notice", &["error"]),
        ("error", &["error"]),
    ] {
        let mut messages = with_level(least.into()).send(&replica).await.events();
        messages.pop();
        let levels: Vec<_> = messages.iter().map(|m| &m["params"]["level"]).collect();
        assert_eq!(levels, want, "{least}");
    }
}

#[tokio::test]
async fn a_log_level_that_there_is_not_is_invalid_for_every_method() {
    let replica = replying(ReplyForm::Auto).await;
    for level in [json!("loud"), json!(3), Value::Null] {
        let reply = with_level(level.clone()).send(&replica).await;
        assert_eq!(reply.error(), (400, -32602), "{level}");
        let mut about = meta();
        about["io.modelcontextprotocol/logLevel"] = level;
        let list = Post::rpc("tools/list", json!({ "_meta": about }));
        assert_eq!(list.send(&replica).await.error(), (400, -32602));
    }
}

#[tokio::test]
async fn without_a_token_there_is_nothing_to_say_and_the_result_is_json() {
    let replica = replying(ReplyForm::Auto).await;
    let reply = Post::call("test_tool_with_progress", json!({}))
        .send(&replica)
        .await;
    assert_eq!(reply.text(), "100 of 100");
}

#[tokio::test]
async fn the_json_form_drops_what_comes_before_the_result() {
    let replica = replying(ReplyForm::Json).await;
    assert_eq!(with_progress().send(&replica).await.text(), "100 of 100");
}

#[tokio::test]
async fn the_sse_form_sends_every_result_as_an_event_and_errors_as_json() {
    let replica = replying(ReplyForm::Sse).await;
    for post in [
        Post::rpc("tools/list", json!({})),
        Post::call("echo", json!({ "text": "x" })),
        Post::call("confirm_delete", json!({ "path": "p" })),
    ] {
        let messages = post.send(&replica).await.events();
        assert!(
            matches!(&messages[..], [one] if one["result"].is_object()),
            "{messages:?}"
        );
    }
    let refused = Post::call("nothing", json!({})).send(&replica).await;
    assert_eq!(refused.error(), (400, -32602));
}

#[tokio::test]
async fn a_name_behind_its_sentinel_streams_too() {
    let replica = replying(ReplyForm::Auto).await;
    let reply = with_progress()
        .header("mcp-name", "=?base64?dGVzdF90b29sX3dpdGhfcHJvZ3Jlc3M=?=")
        .send(&replica)
        .await;
    assert_eq!(reply.events().len(), 4);
}

#[tokio::test]
async fn a_request_that_is_refused_before_it_says_anything_is_no_stream() {
    let replica = replying(ReplyForm::Auto).await;
    let body = String::from_utf8(with_progress().body).unwrap();
    let lying = with_progress().body(body.replace("test_tool_with_progress", "echo"));
    assert_eq!(lying.send(&replica).await.error(), (400, -32020));
    let id: Value = "k".into();
    let broken = with_progress().body("{");
    let refused = broken.send(&replica).await;
    assert_eq!(refused.error(), (400, -32700));
    assert_ne!(refused.json().get("id"), Some(&id));
}
