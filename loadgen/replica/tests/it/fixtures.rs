//! What the official conformance suite looks up by name.

use serde_json::{Value, json};

use crate::client::{CAPABILITIES_KEY, Post, Reply, meta};
use crate::running::Running;

async fn conforming() -> Running {
    Running::with(7, |config| config.conformance = true).await
}

/// With all capabilities declared.
async fn call(replica: &Running, params: Value) -> Reply {
    send(replica, "tools/call", params).await
}

async fn send(replica: &Running, method: &str, mut params: Value) -> Reply {
    params["_meta"] = meta();
    params["_meta"][CAPABILITIES_KEY] = json!({ "elicitation": {}, "sampling": {}, "roots": {} });
    Post::rpc(method, params).send(replica).await
}

#[tokio::test]
async fn a_replica_has_fixtures_only_when_told_to() {
    let plain = Running::start().await;
    for (method, params) in [
        ("tools/call", json!({ "name": "test_simple_text" })),
        ("prompts/get", json!({ "name": "test_simple_prompt" })),
        ("resources/read", json!({ "uri": "test://static-text" })),
        ("resources/read", json!({ "uri": "test://template/1/data" })),
    ] {
        let refused = send(&plain, method, params.clone()).await;
        assert_eq!(refused.error(), (400, -32602), "{params}");
        let replica = conforming().await;
        let served = send(&replica, method, params).await;
        assert_eq!(served.result()["resultType"], "complete");
    }
}

#[tokio::test]
async fn each_kind_of_content_is_there() {
    let replica = conforming().await;
    for (tool, kinds) in [
        ("test_simple_text", &["text"][..]),
        ("test_image_content", &["image"]),
        ("test_audio_content", &["audio"]),
        ("test_embedded_resource", &["resource"]),
        (
            "test_multiple_content_types",
            &["text", "image", "resource"],
        ),
        ("test_error_handling", &["text"]),
    ] {
        let result = call(&replica, json!({ "name": tool })).await.result();
        let content = result["content"].as_array().unwrap();
        let found: Vec<_> = content.iter().map(|block| &block["type"]).collect();
        assert_eq!(found, kinds, "{tool}");
        let failed = tool == "test_error_handling";
        assert_eq!(result.get("isError"), failed.then_some(&Value::Bool(true)));
    }
}

#[tokio::test]
async fn resources_have_texts_and_blobs_that_may_be_kept() {
    let replica = conforming().await;
    for (uri, mime_type, body) in [
        ("test://static-text", "text/plain", "text"),
        ("test://static-binary", "image/png", "blob"),
        ("test://template/123/data", "application/json", "text"),
    ] {
        let read = json!({ "uri": uri });
        let result = send(&replica, "resources/read", read).await.result();
        let contents = &result["contents"][0];
        assert_eq!(contents["uri"], uri);
        assert_eq!(contents["mimeType"], mime_type);
        assert!(contents[body].is_string(), "{contents}");
        assert_eq!(result["cacheScope"], "public");
    }
    let listed = Post::rpc("resources/list", json!({})).send(&replica).await;
    assert_eq!(listed.result()["resources"][0]["uri"], "test://static-text");
}

#[tokio::test]
async fn prompts_have_messages_of_each_kind() {
    let replica = conforming().await;
    let uri = "test://anything";
    for (params, kinds) in [
        (json!({ "name": "test_simple_prompt" }), &["text"][..]),
        (
            json!({ "name": "test_prompt_with_image" }),
            &["image", "text"],
        ),
        (
            json!({ "name": "test_prompt_with_embedded_resource",
                    "arguments": { "resourceUri": uri } }),
            &["resource", "text"],
        ),
        (
            json!({ "name": "test_prompt_with_arguments",
                    "arguments": { "arg1": "first", "arg2": "second" } }),
            &["text"],
        ),
    ] {
        let result = send(&replica, "prompts/get", params.clone()).await.result();
        let messages = result["messages"].as_array().unwrap();
        let found: Vec<_> = messages.iter().map(|m| &m["content"]["type"]).collect();
        assert_eq!(found, kinds, "{params}");
        let said = result.to_string();
        for argument in params["arguments"].as_object().into_iter().flatten() {
            assert!(said.contains(argument.1.as_str().unwrap()), "{said}");
        }
    }
    let lacking = json!({ "name": "test_prompt_with_arguments", "arguments": { "arg1": "a" } });
    let refused = send(&replica, "prompts/get", lacking).await;
    assert_eq!(refused.error(), (400, -32602));
}

#[tokio::test]
async fn answers_alone_are_enough_where_no_state_was_given() {
    let replica = conforming().await;
    let said = json!({ "type": "text", "text": "Paris" });
    for (tool, key, answer, text) in [
        (
            "test_input_required_result_elicitation",
            "user_name",
            json!({ "action": "accept", "content": { "name": "Ada" } }),
            "Ada",
        ),
        (
            "test_input_required_result_sampling",
            "capital_question",
            json!({ "role": "assistant", "model": "m", "content": said }),
            "Paris",
        ),
        (
            "test_input_required_result_list_roots",
            "client_roots",
            json!({ "roots": [{ "uri": "file:///charts" }] }),
            "file:///charts",
        ),
    ] {
        let asked = call(&replica, json!({ "name": tool })).await.result();
        assert_eq!(asked["resultType"], "input_required");
        assert!(asked["inputRequests"][key].is_object());
        assert_eq!(asked.get("requestState"), None);
        let retry = |answers| json!({ "name": tool, "inputResponses": answers });
        let wrong_key = call(&replica, retry(json!({ "other": answer }))).await;
        assert!(wrong_key.result()["inputRequests"][key].is_object());
        let malformed = call(&replica, retry(json!({ key: 12345 }))).await;
        assert_eq!(malformed.error(), (400, -32602), "{tool}");
        let answers = json!({ key: answer, "more": 1, "other": null });
        let done = call(&replica, retry(answers)).await.text();
        assert!(done.contains(text), "{done}");
    }
}

#[tokio::test]
async fn a_confirmation_needs_the_state_that_asked_for_it() {
    let replica = conforming().await;
    for tool in [
        "test_input_required_result_request_state",
        "test_input_required_result_tampered_state",
    ] {
        let (keys, state) = call(&replica, json!({ "name": tool })).await.asked();
        assert_eq!(keys, ["confirm"]);
        let answers = json!({ "confirm": { "action": "accept", "content": { "ok": true } } });
        let mut retry = json!({ "name": tool, "inputResponses": answers });
        call(&replica, retry.clone()).await.asked();
        retry["requestState"] = state.clone().into();
        assert_eq!(call(&replica, retry.clone()).await.text(), "state-ok");
        retry["requestState"] = format!("{state}-TAMPERED").into();
        assert_eq!(call(&replica, retry).await.error(), (400, -32602));
    }
}

#[tokio::test]
async fn two_rounds_have_different_states() {
    let replica = conforming().await;
    let tool = "test_input_required_result_multi_round";
    let accept = |key: &str, field: &str, value: &str| json!({ key: { "action": "accept", "content": { field: value } } });
    let (keys, first) = call(&replica, json!({ "name": tool })).await.asked();
    assert_eq!(keys, ["step1"]);
    let answers = accept("step1", "name", "Ada");
    let retry = json!({ "name": tool, "inputResponses": answers, "requestState": first });
    let (keys, second) = call(&replica, retry).await.asked();
    assert_eq!(keys, ["step2"]);
    assert_ne!(first, second);
    let answers = accept("step2", "color", "blue");
    let retry = json!({ "name": tool, "inputResponses": answers, "requestState": second });
    assert_eq!(call(&replica, retry).await.text(), "Ada likes blue");
}

#[tokio::test]
async fn only_what_is_declared_is_asked() {
    let replica = conforming().await;
    let tool = "test_input_required_result_capabilities";
    for (declared, keys) in [
        (json!({ "sampling": {} }), &["greeting"][..]),
        (json!({ "elicitation": {} }), &["user_name"]),
        (
            json!({ "elicitation": {}, "sampling": {} }),
            &["greeting", "user_name"],
        ),
        (json!({ "elicitation": { "url": {} } }), &[]),
        (json!({}), &[]),
    ] {
        let mut about = meta();
        about[CAPABILITIES_KEY] = declared.clone();
        let call = Post::rpc("tools/call", json!({ "name": tool, "_meta": about }));
        let result = call.send(&replica).await.result();
        let asked = result["inputRequests"].as_object();
        let asked: Vec<_> = asked.into_iter().flat_map(|asked| asked.keys()).collect();
        assert_eq!(asked, keys, "{declared}");
    }
}

#[tokio::test]
async fn a_tool_that_needs_sampling_says_so() {
    let replica = conforming().await;
    let refused = Post::call("test_missing_capability", json!({}))
        .send(&replica)
        .await;
    assert_eq!(refused.error(), (400, -32021));
    let required = &refused.json()["error"]["data"]["requiredCapabilities"];
    assert_eq!(required, &json!({ "sampling": {} }));
}

#[tokio::test]
async fn a_prompt_asks_before_it_is_rendered() {
    let replica = conforming().await;
    let prompt = json!({ "name": "test_input_required_result_prompt" });
    let (keys, state) = send(&replica, "prompts/get", prompt.clone()).await.asked();
    assert_eq!(keys, ["user_context"]);
    let mut retry = prompt;
    retry["requestState"] = state.into();
    retry["inputResponses"] =
        json!({ "user_context": { "action": "accept", "content": { "context": "night" } } });
    let text = send(&replica, "prompts/get", retry).await.text();
    assert_eq!(text, "The context is night.");
}
