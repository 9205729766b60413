//! Each row of the revision's table of refusals, one change away from a request that is served.

use loadgen_replica::Cause;
use serde_json::{Value, json};

use crate::client::{CAPABILITIES_KEY, Post, VERSION, VERSION_KEY, meta};
use crate::running::Running;

fn echo() -> Post {
    Post::call("echo", json!({ "text": "hi" }))
}

fn with_meta(meta: Value) -> Post {
    Post::rpc("tools/call", json!({ "name": "echo", "_meta": meta }))
}

#[tokio::test]
async fn the_unchanged_request_is_served() {
    let replica = Running::start().await;
    assert_eq!(echo().send(&replica).await.text(), "hi");
    assert_eq!(replica.replica.counters().completed, 1);
    assert!(replica.url.ends_with("/mcp"));
}

#[tokio::test]
async fn missing_meta_keys_are_invalid_params() {
    let replica = Running::start().await;
    let good = meta();
    for key in [VERSION_KEY, CAPABILITIES_KEY] {
        let mut bad = good.clone();
        bad.as_object_mut().unwrap().remove(key);
        let reply = with_meta(bad).send(&replica).await;
        assert_eq!(reply.error(), (400, -32602));
        assert_eq!(reply.json()["error"]["data"]["key"], key);
        assert_eq!(reply.json()["id"], 1);
    }
    let none = br#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo"}}"#;
    assert_eq!(
        echo().body(*none).send(&replica).await.error(),
        (400, -32602)
    );
    let no_params = br#"{"jsonrpc":"2.0","id":"a","method":"tools/call"}"#;
    assert_eq!(
        echo().body(*no_params).send(&replica).await.error(),
        (400, -32602)
    );
    assert_eq!(replica.replica.counters().refused_for(Cause::Meta), 4);
    // The client's own name is not required.
    assert_eq!(with_meta(good).send(&replica).await.text(), "");
}

#[tokio::test]
async fn headers_that_differ_from_the_body_are_refused_and_nothing_runs() {
    let replica = Running::start().await;
    let bad = [
        echo().without("mcp-protocol-version"),
        echo().without("mcp-method"),
        echo().without("mcp-name"),
        echo().header("mcp-protocol-version", "2025-11-25"),
        echo().header("mcp-method", "tools/list"),
        echo().header("mcp-method", "Tools/Call"),
        echo().header("mcp-name", "confirm_delete"),
        echo().header("mcp-name", "Echo"),
        echo().header("mcp-name", "=?base64?Y29uZmlybV9kZWxldGU=?="),
        echo().header("mcp-name", "=?base64?ZWNobw?="),
        echo().header("mcp-name", "世界".as_bytes()),
        echo().also("mcp-name", "echo"),
        echo().also("mcp-method", "tools/call"),
        with_meta(json!({ VERSION_KEY: "v999.0.0", CAPABILITIES_KEY: {} })),
    ];
    for (n, post) in bad.iter().enumerate() {
        let reply = post.send(&replica).await;
        assert_eq!(reply.error(), (400, -32020), "case {n}");
        assert_eq!(reply.json()["id"], 1);
    }
    let counters = replica.replica.counters();
    assert_eq!(counters.refused_for(Cause::Header), bad.len() as u64);
    assert_eq!(counters.completed, 0);
}

#[tokio::test]
async fn header_names_ignore_case_and_names_are_decoded() {
    let replica = Running::start().await;
    let shouted = echo().without("mcp-name").also("MCP-NAME", "echo");
    assert_eq!(shouted.send(&replica).await.text(), "hi");
    let wrapped = echo().header("mcp-name", "=?base64?ZWNobw==?=");
    assert_eq!(wrapped.send(&replica).await.text(), "hi");
    for name in ["世界", " lead", "trail ", "a\nb", "=?base64?eA==?="] {
        // A tool of that name does not exist, which is found out after the headers have agreed.
        let unknown = Post::call(name, json!({}));
        assert_eq!(
            unknown.send(&replica).await.error(),
            (400, -32602),
            "{name:?}"
        );
    }
    for uri in ["memo://世界", "memo:// a ", "memo://a\nb"] {
        let read = Post::rpc("resources/read", json!({ "uri": uri }));
        assert_eq!(read.send(&replica).await.asked().0, ["unlock"], "{uri:?}");
    }
    let raw = Post::rpc("resources/read", json!({ "uri": "memo://世界" }))
        .header("mcp-name", "memo://世界".as_bytes());
    assert_eq!(raw.send(&replica).await.error(), (400, -32020));
}

#[tokio::test]
async fn an_unknown_version_is_told_what_is_supported() {
    let replica = Running::start().await;
    let other = with_meta(json!({ VERSION_KEY: "v999.0.0", CAPABILITIES_KEY: {} }))
        .header("mcp-protocol-version", "v999.0.0");
    let reply = other.send(&replica).await;
    assert_eq!(reply.error(), (400, -32022));
    let data = &reply.json()["error"]["data"];
    assert_eq!(
        data,
        &json!({ "supported": [VERSION], "requested": "v999.0.0" })
    );
}

#[tokio::test]
async fn a_client_without_forms_is_never_asked() {
    let replica = Running::start().await;
    let ask = |declared: Value| {
        let meta = json!({ VERSION_KEY: VERSION, CAPABILITIES_KEY: declared });
        Post::rpc(
            "tools/call",
            json!({ "name": "confirm_delete", "arguments": { "path": "p" }, "_meta": meta }),
        )
    };
    for lacking in [
        json!({}),
        json!({ "elicitation": { "url": {} } }),
        json!({ "sampling": {}, "roots": {} }),
    ] {
        let reply = ask(lacking.clone()).send(&replica).await;
        assert_eq!(reply.error(), (400, -32021), "{lacking}");
        assert_eq!(
            reply.json()["error"]["data"]["requiredCapabilities"],
            json!({ "elicitation": { "form": {} } })
        );
    }
    for enough in [
        json!({ "elicitation": {} }),
        json!({ "elicitation": { "form": {} } }),
        json!({ "elicitation": { "form": {}, "url": {} } }),
    ] {
        ask(enough).send(&replica).await.asked();
    }
    let counters = replica.replica.counters();
    assert_eq!(
        (counters.refused_for(Cause::Capability), counters.asked),
        (3, 3)
    );
    // A tool that does not ask needs nothing.
    let quiet = with_meta(json!({ VERSION_KEY: VERSION, CAPABILITIES_KEY: {} }));
    assert_eq!(quiet.send(&replica).await.text(), "");
}

#[tokio::test]
async fn unknown_methods_are_not_found() {
    let replica = Running::start().await;
    for method in [
        "initialize",
        "ping",
        "logging/setLevel",
        "unknown/method",
        "Tools/List",
        "",
    ] {
        let reply = Post::rpc(method, json!({})).send(&replica).await;
        assert_eq!(reply.error(), (404, -32601), "{method}");
        assert_eq!(reply.json()["id"], 1);
    }
}

#[tokio::test]
async fn what_http_alone_refuses() {
    let replica = Running::start().await;
    let mut elsewhere = echo();
    elsewhere.path = "/other";
    assert_eq!(elsewhere.send(&replica).await.status, 404);
    for origin in ["http://example.org", "null", "http://localhost.example.org"] {
        let reply = echo().header("origin", origin).send(&replica).await;
        assert_eq!(reply.status, 403, "{origin}");
        assert!(!String::from_utf8_lossy(&reply.body).contains("\"id\""));
    }
    let own = echo().header("origin", format!("http://{}", replica.address));
    assert_eq!(own.send(&replica).await.text(), "hi");
    for verb in ["GET", "DELETE", "PUT"] {
        let mut other = echo();
        other.verb = verb;
        let reply = other.send(&replica).await;
        assert_eq!(
            (reply.status, reply.header("allow")),
            (405, Some("POST")),
            "{verb}"
        );
    }
    for accept in ["application/json", "text/event-stream", "text/html"] {
        assert_eq!(
            echo().header("accept", accept).send(&replica).await.status,
            406,
            "{accept}"
        );
    }
    assert_eq!(echo().without("accept").send(&replica).await.status, 406);
    for accept in [
        "text/event-stream, application/json",
        "*/*",
        "application/*, text/*",
    ] {
        let reply = echo().header("accept", accept).send(&replica).await;
        assert_eq!(reply.text(), "hi", "{accept}");
    }
    for kind in ["text/plain", "application/x-www-form-urlencoded"] {
        assert_eq!(
            echo()
                .header("content-type", kind)
                .send(&replica)
                .await
                .status,
            415,
            "{kind}"
        );
    }
    assert_eq!(
        echo().without("content-type").send(&replica).await.status,
        415
    );
    let twice = echo()
        .also("authorization", "Bearer a")
        .also("authorization", "Bearer b");
    assert_eq!(twice.send(&replica).await.status, 400);
    assert_eq!(
        replica.replica.counters().refused_for(Cause::Authorization),
        1
    );
}

#[tokio::test]
async fn sessions_and_event_ids_are_ignored_and_none_is_minted() {
    let replica = Running::start().await;
    let post = echo()
        .also("mcp-session-id", "s1")
        .also("last-event-id", "9");
    let reply = post.send(&replica).await;
    assert_eq!(reply.text(), "hi");
    assert_eq!(reply.header("mcp-session-id"), None);
}

#[tokio::test]
async fn what_json_rpc_refuses() {
    let replica = Running::start().await;
    for body in [
        &b"nonsense"[..],
        b"",
        b"{\"jsonrpc\":\"2.0\"",
        b"{\"jsonrpc\":\"\xff\"}",
    ] {
        let reply = echo().body(body).send(&replica).await;
        assert_eq!(reply.error(), (400, -32700));
        assert_eq!(reply.json().get("id"), None);
    }
    let one = String::from_utf8(echo().body).unwrap();
    for body in [
        format!("[{one}]"),
        "[]".to_owned(),
        one.replacen("\"id\":1", "\"id\":null", 1),
        one.replacen("\"id\":1", "\"id\":1.5", 1),
        one.replacen("\"2.0\"", "\"1.0\"", 1),
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned(),
    ] {
        assert_eq!(
            echo().body(body.clone()).send(&replica).await.error(),
            (400, -32600),
            "{body}"
        );
    }
}

#[tokio::test]
async fn notifications_are_taken_in_silence() {
    let replica = Running::start().await;
    let body = br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let reply = echo().body(*body).send(&replica).await;
    assert_eq!((reply.status, reply.body.len()), (202, 0));
    assert_eq!(replica.replica.counters().notified, 1);
}

#[tokio::test]
async fn ids_come_back_byte_for_byte() {
    let replica = Running::start().await;
    for id in [
        "9007199254740993",
        "18446744073709551616",
        "\"1\"",
        "1",
        "-5",
        "\"\\u00e9\"",
    ] {
        let good = Post::rpc_with_id(id, "tools/list", json!({}));
        let bad = Post::rpc_with_id(id, "no/such", json!({}));
        for post in [good, bad] {
            let body = String::from_utf8(post.send(&replica).await.body).unwrap();
            assert!(
                body.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{id},"#)),
                "{body}"
            );
        }
    }
}

#[tokio::test]
async fn wrong_parameters_are_told_from_tools_that_fail() {
    let replica = Running::start().await;
    let refused = [
        Post::call("nothing", json!({})),
        Post::call("echo", json!([])),
        Post::call("echo", json!("text")),
        Post::rpc("tools/call", json!({ "arguments": {} })).also("mcp-name", "echo"),
        Post::rpc("tools/list", json!({ "cursor": "" })),
        Post::rpc("prompts/get", json!({ "name": "nothing" })),
        Post::rpc(
            "prompts/get",
            json!({ "name": "briefing", "arguments": { "topic": 1 } }),
        ),
        Post::rpc("resources/read", json!({ "uri": "memo://" })),
        Post::rpc("tools/call", json!({ "name": "echo", "requestState": 5 })),
        Post::rpc(
            "tools/call",
            json!({ "name": "echo", "inputResponses": null }),
        ),
    ];
    for (n, post) in refused.iter().enumerate() {
        assert_eq!(post.send(&replica).await.error(), (400, -32602), "case {n}");
    }
    let missing = refused[7].send(&replica).await;
    assert_eq!(missing.json()["error"]["data"]["uri"], "memo://");
    for post in [
        Post::call("echo", json!({ "text": 5 })),
        Post::call("confirm_delete", json!({})),
        Post::call("wizard", json!({ "rounds": -1 })),
    ] {
        assert_eq!(post.send(&replica).await.result()["isError"], true);
    }
    assert_eq!(replica.replica.counters().failed, 3);
}

#[tokio::test]
async fn lists_complete_whatever_else_they_carry() {
    let replica = Running::with(7, |c| c.instance = 4).await;
    for method in [
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
    ] {
        let extra = json!({ "requestState": "x", "inputResponses": { "a": 1 }, "other": [1] });
        let result = Post::rpc(method, extra).send(&replica).await.result();
        assert_eq!(result["resultType"], "complete", "{method}");
        assert_eq!(result["_meta"]["loadgen/instance"], 4);
    }
    let tools = Post::rpc("tools/list", json!({}))
        .send(&replica)
        .await
        .result();
    let names: Vec<_> = tools["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| &t["name"])
        .collect();
    assert_eq!(
        names,
        [
            "echo",
            "confirm_delete",
            "wizard",
            "survey",
            "interview",
            "work",
            "redeem",
            "shed",
            "nag",
            "grow"
        ]
    );
}
