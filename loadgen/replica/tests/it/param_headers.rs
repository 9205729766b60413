//! Headers that repeat arguments. What is compared how is tested beside the comparison.

use loadgen_replica::Cause;
use serde_json::{Value, json};

use crate::client::Post;
use crate::running::Running;

async fn conforming() -> Running {
    Running::with(7, |config| config.conformance = true).await
}

fn region(arguments: Value) -> Post {
    Post::call("test_param_header", arguments)
}

fn with_header(arguments: Value, header: &str) -> Post {
    region(arguments).also("mcp-param-region", header)
}

#[tokio::test]
async fn a_header_must_repeat_the_argument_that_its_tool_marks() {
    let replica = conforming().await;
    let eu = || json!({ "region": "eu" });
    for good in ["eu", "=?base64?ZXU=?="] {
        assert_eq!(with_header(eu(), good).send(&replica).await.text(), "eu");
    }
    let shouted = region(eu()).also("MCP-PARAM-REGION", "eu");
    assert_eq!(shouted.send(&replica).await.text(), "eu");
    let world = with_header(json!({ "region": "世界" }), "=?base64?5LiW55WM?=");
    assert_eq!(world.send(&replica).await.text(), "世界");
    let bad = [
        region(eu()),
        with_header(eu(), "us"),
        with_header(eu(), "EU"),
        with_header(eu(), "=?base64?ZXU?="),
        with_header(eu(), "=?base64?Z!XU=?="),
        with_header(eu(), "eu").also("mcp-param-region", "eu"),
        with_header(json!({}), "eu"),
        with_header(json!({ "region": null }), "null"),
    ];
    for (n, post) in bad.iter().enumerate() {
        let reply = post.send(&replica).await;
        assert_eq!(reply.error(), (400, -32020), "case {n}");
        assert_eq!(reply.json()["id"], 1);
    }
    let counters = replica.replica.counters();
    assert_eq!(counters.refused_for(Cause::Header), bad.len() as u64);
    assert_eq!(counters.completed, 4);
    // Without the argument no header is missing, and the tool itself says what it needs.
    let absent = region(json!({ "region": null })).send(&replica).await;
    assert_eq!(absent.result()["isError"], true);
}

#[tokio::test]
async fn a_tool_that_marks_nothing_minds_no_such_header() {
    let replica = conforming().await;
    let echo = Post::call("echo", json!({ "text": "hi" })).also("mcp-param-text", "bye");
    assert_eq!(echo.send(&replica).await.text(), "hi");
}
