//! Who may call: host names, origins and bearer tokens.

use loadgen_replica::{Cause, Hosts, Origins, Principals};
use serde_json::{Value, json};

use crate::client::{Post, Reply};
use crate::h2_client::Client;
use crate::running::Running;

const TABLE: &str = r#"
    [[principal]]
    name = "alice"
    tokens = ["alice-1", "alice-2"]

    [[principal]]
    name = "bob"
    tokens = ["bob-1"]
    tools = ["echo"]
"#;

async fn guarded() -> Running {
    Running::with(7, |c| {
        c.principals = Some(Principals::parse(TABLE).unwrap());
    })
    .await
}

fn delete() -> Value {
    json!({ "name": "confirm_delete", "arguments": { "path": "p" } })
}

fn with_token(post: Post, token: &str) -> Post {
    post.header("authorization", format!("Bearer {token}"))
}

fn challenge(reply: &Reply) -> (u16, &str) {
    (reply.status, reply.header("www-authenticate").unwrap())
}

#[tokio::test]
async fn without_a_known_token_nobody_comes_in() {
    let replica = guarded().await;
    let echo = || Post::call("echo", json!({ "text": "hi" }));
    let none = echo().send(&replica).await;
    assert_eq!(challenge(&none), (401, r#"Bearer realm="loadgen-replica""#));
    let basic = echo()
        .header("authorization", "Basic YTpi")
        .send(&replica)
        .await;
    assert_eq!(challenge(&basic).0, 401);
    for token in ["alice", "alice-3", "ALICE-1", "alice-1=", "bob-1a"] {
        let unknown = with_token(echo(), token).send(&replica).await;
        assert_eq!(
            challenge(&unknown),
            (
                401,
                r#"Bearer realm="loadgen-replica", error="invalid_token""#
            )
        );
    }
    let twice = with_token(echo(), "alice-1").also("authorization", "Bearer alice-1");
    let malformed = [with_token(echo(), ""), with_token(echo(), "a b"), twice];
    for post in malformed {
        let reply = post.send(&replica).await;
        assert_eq!(
            challenge(&reply),
            (
                400,
                r#"Bearer realm="loadgen-replica", error="invalid_request""#
            )
        );
    }
    // Lists and notifications are for those who are known, too.
    assert_eq!(
        Post::rpc("tools/list", json!({}))
            .send(&replica)
            .await
            .status,
        401
    );
    let bye = r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#;
    assert_eq!(echo().body(bye).send(&replica).await.status, 401);
    assert_eq!(replica.replica.counters().refused_for(Cause::Token), 12);
    assert_eq!(
        with_token(echo(), "bob-1").send(&replica).await.text(),
        "hi"
    );
}

#[tokio::test]
async fn a_tool_that_is_not_permitted_is_told_from_one_that_there_is_not() {
    let replica = guarded().await;
    let refused = with_token(Post::rpc("tools/call", delete()), "bob-1")
        .send(&replica)
        .await;
    assert_eq!(
        challenge(&refused),
        (
            403,
            r#"Bearer realm="loadgen-replica", error="insufficient_scope", scope="tool:confirm_delete""#
        )
    );
    assert_eq!(replica.replica.counters().refused_for(Cause::Scope), 1);
    let unknown = with_token(Post::call("nothing", json!({})), "bob-1");
    assert_eq!(unknown.send(&replica).await.error(), (400, -32602));
    let prompt = with_token(
        Post::rpc("prompts/get", json!({ "name": "briefing" })),
        "bob-1",
    );
    prompt.send(&replica).await.asked();
    let permitted = with_token(Post::rpc("tools/call", delete()), "alice-1");
    permitted.send(&replica).await.asked();
}

/// The tool is judged before the state: what the state was minted for gives no rights.
#[tokio::test]
async fn a_state_belongs_to_the_principal_and_not_to_one_of_its_tokens() {
    let replica = guarded().await;
    let (_, state) = with_token(Post::rpc("tools/call", delete()), "alice-1")
        .send(&replica)
        .await
        .asked();
    let mut retry = delete();
    retry["requestState"] = state.into();
    retry["inputResponses"] =
        json!({ "confirm": { "action": "accept", "content": { "confirm": true } } });
    let by = |token| with_token(Post::rpc("tools/call", retry.clone()), token);
    assert_eq!(by("bob-1").send(&replica).await.status, 403);
    assert_eq!(by("alice-2").send(&replica).await.text(), "deleted p");

    let everybody = TABLE.replace(r#"tools = ["echo"]"#, "");
    let table = Principals::parse(&everybody).unwrap();
    let lax = Running::with(7, |c| c.principals = Some(table)).await;
    let refused = by("bob-1").send(&lax).await;
    assert_eq!(
        refused.json()["error"]["data"]["reason"],
        "invalid_request_state"
    );
    assert_eq!(by("alice-2").send(&lax).await.text(), "deleted p");
}

#[tokio::test]
async fn a_name_that_was_pointed_here_is_turned_away() {
    let replica = Running::with(7, |c| {
        c.hosts = Hosts::default().and("load.example").unwrap();
        c.origins = Origins::default().and("https://app.example").unwrap();
    })
    .await;
    let echo = || Post::call("echo", json!({ "text": "hi" }));
    for host in [
        "evil.example",
        "evil.example:80",
        "load.example.evil.example",
        "",
        "a b",
    ] {
        let reply = echo().header("host", host).send(&replica).await;
        assert_eq!(reply.status, 421, "{host}");
    }
    assert_eq!(echo().without("host").send(&replica).await.status, 400);
    assert_eq!(
        echo().also("host", "localhost").send(&replica).await.status,
        400
    );
    assert_eq!(replica.replica.counters().refused_for(Cause::Host), 7);
    let own = replica.address.to_string();
    for host in [
        "localhost",
        "LOCALHOST:1",
        "127.0.0.1",
        "[::1]:5",
        "Load.Example:80",
        &own,
    ] {
        let reply = echo().header("host", host).send(&replica).await;
        assert_eq!(reply.text(), "hi", "{host}");
    }
    let mut absolute = echo();
    absolute.path = "http://evil.example/mcp";
    assert_eq!(absolute.send(&replica).await.status, 421);
    absolute.path = "http://localhost/mcp";
    assert_eq!(absolute.send(&replica).await.text(), "hi");

    let mut h2 = Client::connect(&replica).await;
    for (host, status) in [("evil.example", 421), ("load.example", 200)] {
        let reply = h2.post(&echo().header("host", host)).await.unwrap();
        assert_eq!(reply.status, status, "{host}");
    }

    let page = |origin: &str| echo().header("origin", origin);
    assert_eq!(
        page("https://app.example").send(&replica).await.text(),
        "hi"
    );
    assert_eq!(page("http://app.example").send(&replica).await.status, 403);
    assert_eq!(
        page("https://evil.example").send(&replica).await.status,
        403
    );
}
