//! The order of the checks: of two faults the earlier one is told.

use serde_json::json;

use crate::client::{CAPABILITIES_KEY, Post, VERSION_KEY};
use crate::running::Running;

/// Starts with every fault at once and mends the first each time.
#[tokio::test]
async fn each_mended_fault_uncovers_the_next() {
    let replica = Running::with(7, |c| c.body_limit_bytes = 2000).await;
    let everything = || {
        let mut post = Post::rpc("no/such", json!({}));
        post.path = "/other";
        post.verb = "PUT";
        post.header("host", "example.org")
            .header("origin", "null")
            .header("accept", "text/html")
            .header("content-type", "text/plain")
            .also("authorization", "a")
            .also("authorization", "b")
            .header("mcp-protocol-version", "v0")
            .body(vec![b'['; 3000])
    };
    let mut post = everything();
    assert_eq!(post.send(&replica).await.status, 404);
    post.path = "/mcp";
    assert_eq!(post.send(&replica).await.status, 421);
    post = post.without("host");
    assert_eq!(post.send(&replica).await.status, 400);
    post = post.header("host", "localhost");
    assert_eq!(post.send(&replica).await.status, 403);
    post = post.without("origin");
    assert_eq!(post.send(&replica).await.status, 405);
    post.verb = "POST";
    assert_eq!(post.send(&replica).await.status, 406);
    post = post.header("accept", "*/*");
    assert_eq!(post.send(&replica).await.status, 415);
    post = post.header("content-type", "application/json");
    assert_eq!(post.send(&replica).await.status, 400);
    post = post.without("authorization");
    assert_eq!(post.send(&replica).await.status, 413);
    post = post.body("[");
    assert_eq!(post.send(&replica).await.error(), (400, -32700));
    post = post.body("[]");
    assert_eq!(post.send(&replica).await.error(), (400, -32600));
    post = post.body(r#"{"jsonrpc":"2.0","id":1,"method":"no/such","params":{}}"#);
    assert_eq!(post.send(&replica).await.error(), (400, -32602));
    let meta = json!({ VERSION_KEY: "v1", CAPABILITIES_KEY: {} });
    post = post.body(Post::rpc("no/such", json!({ "_meta": meta })).body);
    assert_eq!(post.send(&replica).await.error(), (400, -32020));
    post = post.header("mcp-protocol-version", "v1");
    assert_eq!(post.send(&replica).await.error(), (400, -32022));
    post = Post::rpc("no/such", json!({ "name": 5, "requestState": "x" }));
    assert_eq!(post.send(&replica).await.error(), (404, -32601));
    // From here on the causes share a code, and the counters or the data tell them apart.
    let call = |params| Post::rpc("tools/call", params);
    let garbage = json!({ "confirm": 1 });
    let reason = |reply: crate::client::Reply| reply.json()["error"]["data"].clone();
    let unknown = call(json!({ "name": "zzz", "requestState": "x", "inputResponses": garbage }));
    assert_eq!(reason(unknown.send(&replica).await)["name"], "zzz");
    let state = call(json!({
        "name": "confirm_delete", "arguments": { "path": "p" },
        "requestState": "x", "inputResponses": garbage,
    }));
    assert_eq!(
        reason(state.send(&replica).await)["reason"],
        "invalid_request_state"
    );
}
