use serde_json::Value;

use crate::client::Reply;

/// Checks a message that comes before the result.
pub(crate) fn notification(message: &Value) {
    assert_eq!(message["jsonrpc"], "2.0");
    assert!(message.get("id").is_none(), "{message}");
    let params = &message["params"];
    match message["method"].as_str() {
        Some("notifications/progress") => {
            let token = &params["progressToken"];
            assert!(token.is_string() || token.is_i64() || token.is_u64());
            assert!(params["progress"].is_number() && params["total"].is_number());
        }
        Some("notifications/message") => {
            let _: loadgen_protocol::LogLevel =
                serde_json::from_value(params["level"].clone()).unwrap();
            assert!(params["logger"].is_string() && params.get("data").is_some());
        }
        Some("notifications/subscriptions/acknowledged") => {
            subscription_id(params);
            assert!(params["notifications"].is_object());
        }
        Some(
            "notifications/tools/list_changed"
            | "notifications/prompts/list_changed"
            | "notifications/resources/list_changed",
        ) => subscription_id(params),
        Some("notifications/resources/updated") => {
            subscription_id(params);
            assert!(params["uri"].is_string());
        }
        other => panic!("a notification {other:?}"),
    }
}

fn subscription_id(of: &Value) {
    let id = &of["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert!(id.is_string() || id.is_i64() || id.is_u64(), "{of}");
}

/// Checks the message that answers a request by hand-written types, branching on `resultType` first.
///
/// The method is `None` when the request was not readable.
pub(crate) fn check(method: Option<&str>, reply: &Reply, message: &Value) {
    assert_eq!(message["jsonrpc"], "2.0");
    assert!(
        message.get("method").is_none(),
        "a server asks nothing of its own: {message}"
    );
    match (message.get("result"), message.get("error")) {
        (Some(result), None) => {
            assert_eq!(reply.status, 200);
            assert!(message.get("id").is_some());
            self::result(method.expect("a result answers a readable request"), result);
            // Written before the work began where something came before the result.
            if let Some(timing) = reply.header("server-timing") {
                assert!(timing.contains("handle;dur="), "{timing}");
            } else {
                assert_eq!(reply.header("content-type"), Some("text/event-stream"));
            }
        }
        (None, Some(error)) => {
            self::error(error);
            assert_ne!(message.get("id"), Some(&Value::Null));
            assert_ne!(reply.status, 200);
        }
        _ => panic!("neither result nor error: {message}"),
    }
}

fn error(error: &Value) {
    let known = [
        -32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022,
    ];
    assert!(known.contains(&error["code"].as_i64().unwrap()), "{error}");
    assert!(error["message"].is_string());
}

fn result(method: &str, result: &Value) {
    let info = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert!(
        info["name"].is_string() && info["version"].is_string(),
        "{result}"
    );
    assert!(result["_meta"]["loadgen/instance"].is_u64());
    match result["resultType"].as_str().unwrap() {
        "complete" => complete(method, result),
        "input_required" => input_required(method, result),
        other => panic!("resultType {other}"),
    }
}

fn complete(method: &str, result: &Value) {
    let cached = |list: &str| {
        assert!(result["ttlMs"].is_u64(), "{result}");
        assert!(["public", "private"].contains(&result["cacheScope"].as_str().unwrap()));
        result[list]
            .as_array()
            .unwrap_or_else(|| panic!("{list} missing: {result}"))
    };
    let strings = |entry: &Value, names: &[&str]| {
        for name in names {
            assert!(entry[name].is_string(), "{name} of {entry}");
        }
    };
    match method {
        "server/discover" => {
            assert!(cached("supportedVersions").iter().all(Value::is_string));
            assert!(result["capabilities"].is_object());
        }
        "tools/list" => {
            for tool in cached("tools") {
                strings(tool, &["name", "description"]);
                assert_eq!(tool["inputSchema"]["type"], "object");
            }
        }
        "prompts/list" => {
            for prompt in cached("prompts") {
                strings(prompt, &["name", "description"]);
                assert!(
                    prompt["arguments"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .all(|a| a["name"].is_string())
                );
            }
        }
        "resources/list" => {
            for resource in cached("resources") {
                strings(resource, &["uri", "name"]);
            }
        }
        "resources/templates/list" => {
            for template in cached("resourceTemplates") {
                strings(template, &["uriTemplate", "name"]);
            }
        }
        "tools/call" => {
            assert!(matches!(
                result.get("isError"),
                None | Some(Value::Bool(true))
            ));
            result["content"].as_array().unwrap().iter().for_each(block);
            let structured = result.get("structuredContent");
            assert!(structured.is_none_or(Value::is_object), "{result}");
        }
        "prompts/get" => {
            for message in result["messages"].as_array().unwrap() {
                assert_eq!(message["role"], "user");
                block(&message["content"]);
            }
        }
        "resources/read" => {
            for content in cached("contents") {
                strings(content, &["uri", "mimeType"]);
                assert_ne!(content["text"].is_string(), content["blob"].is_string());
            }
        }
        "completion/complete" => {
            let completion = &result["completion"];
            let values = completion["values"].as_array().unwrap();
            assert!(values.len() <= 100 && values.iter().all(Value::is_string));
            assert!(completion["total"].as_u64().unwrap() >= values.len() as u64);
            assert!(completion["hasMore"].is_boolean());
        }
        "subscriptions/listen" => subscription_id(result),
        other => panic!("a result for {other}"),
    }
}

fn block(block: &Value) {
    let (at, members) = match block["type"].as_str() {
        Some("text") => (block, &["text"][..]),
        Some("image" | "audio") => (block, &["data", "mimeType"][..]),
        Some("resource") => (&block["resource"], &["uri", "mimeType", "text"][..]),
        other => panic!("a block {other:?}"),
    };
    for member in members {
        assert!(at[member].is_string(), "{member} of {block}");
    }
}

fn input_required(method: &str, result: &Value) {
    assert!(
        ["tools/call", "prompts/get", "resources/read"].contains(&method),
        "{method}"
    );
    assert!(result.get("ttlMs").is_none() && result.get("cacheScope").is_none());
    let state = result.get("requestState");
    assert!(state.is_none_or(|state| state.as_str().is_some_and(|text| !text.is_empty())));
    let requests = result.get("inputRequests");
    assert!(state.is_some() || requests.is_some(), "{result}");
    let Some(requests) = requests else { return };
    let requests = requests.as_object().unwrap();
    assert!(!requests.is_empty());
    for request in requests.values() {
        assert!(request.get("id").is_none() && request.get("jsonrpc").is_none());
        let params = &request["params"];
        match (request["method"].as_str(), params["mode"].as_str()) {
            (Some("elicitation/create"), Some("form")) => form(params),
            (Some("elicitation/create"), Some("url")) => {
                assert!(params["message"].is_string() && params["url"].is_string());
            }
            (Some("sampling/createMessage"), None) => {
                assert!(params["maxTokens"].as_u64().unwrap() > 0);
                for message in params["messages"].as_array().unwrap() {
                    assert_eq!(message["role"], "user");
                    block(&message["content"]);
                }
                for tool in params["tools"].as_array().into_iter().flatten() {
                    assert!(tool["name"].is_string() && tool["inputSchema"]["type"] == "object");
                }
            }
            (Some("roots/list"), None) => assert!(params.is_null()),
            _ => panic!("asks {request}"),
        }
    }
}

fn form(params: &Value) {
    assert!(params["message"].is_string());
    let schema = &params["requestedSchema"];
    assert_eq!(schema["type"], "object");
    let properties = schema["properties"].as_object().unwrap();
    assert!(properties.values().all(|p| p["type"].is_string()));
    for required in schema["required"].as_array().unwrap() {
        assert!(properties.contains_key(required.as_str().unwrap()));
    }
}
