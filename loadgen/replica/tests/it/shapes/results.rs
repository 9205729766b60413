use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::blocks::{Block, Contents, Message};
use super::listings::{Discovery, ListedResources, Prompts, Templates, Tools};
use super::questions::InputRequired;
use super::typed::{Id, shape, typed};

/// What every result says of itself.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Head {
    result_type: ResultType,
    #[serde(rename = "_meta")]
    meta: Meta,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ResultType {
    Complete,
    InputRequired,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Meta {
    #[serde(rename = "io.modelcontextprotocol/serverInfo")]
    server: Product,
    #[serde(rename = "loadgen/instance")]
    instance: u32,
    #[serde(rename = "io.modelcontextprotocol/subscriptionId")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    subscription: Option<Id>,
}

shape! { Product { name: String, version: String, } may { title: String, } }

shape! { Cacheable { ttl_ms: u64, cache_scope: CacheScope, } }

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CacheScope {
    Public,
    Private,
}

shape! {
    Called { content: Vec<Block>, } may { structured_content: Value, is_error: bool, }
}

shape! { Rendered { messages: Vec<Message>, } may { description: String, } }

shape! { Read { contents: Vec<Contents>, } }

shape! { Completed { completion: Completion, } }

shape! { Completion { values: Vec<String>, } may { total: u64, has_more: bool, } }

/// Branches on `resultType`, then on the method.
pub(crate) fn result(method: &str, result: &Value) {
    let Head { result_type, meta } = typed(result);
    assert!(!meta.server.name.is_empty() && !meta.server.version.is_empty());
    assert_eq!(
        meta.subscription.is_some(),
        method == "subscriptions/listen"
    );
    match result_type {
        ResultType::Complete => complete(method, result),
        ResultType::InputRequired => {
            let asks = ["tools/call", "prompts/get", "resources/read"];
            assert!(asks.contains(&method), "{method} asks");
            assert!(result.get("ttlMs").is_none() && result.get("cacheScope").is_none());
            typed::<InputRequired>(result).check();
        }
    }
}

fn complete(method: &str, result: &Value) {
    if is_cacheable(method) {
        typed::<Cacheable>(result);
    } else {
        assert!(result.get("ttlMs").is_none() && result.get("cacheScope").is_none());
    }
    match method {
        "server/discover" => typed::<Discovery>(result).check(),
        "tools/list" => typed::<Tools>(result).check(),
        "prompts/list" => typed::<Prompts>(result).check(),
        "resources/list" => typed::<ListedResources>(result).check(),
        "resources/templates/list" => typed::<Templates>(result).check(),
        "tools/call" => {
            let called: Called = typed(result);
            called.content.iter().for_each(Block::check);
            // Said only when it is so.
            assert!(called.is_error.is_none_or(|failed| failed), "{result}");
            let structured = called.structured_content;
            assert!(structured.is_none_or(|value| value.is_object()), "{result}");
        }
        "prompts/get" => {
            let rendered: Rendered = typed(result);
            assert!(!rendered.messages.is_empty());
            rendered
                .messages
                .iter()
                .for_each(|message| message.content.check());
        }
        "resources/read" => {
            let read: Read = typed(result);
            assert!(!read.contents.is_empty());
            read.contents.iter().for_each(Contents::check);
        }
        "completion/complete" => {
            let Completion {
                values,
                total,
                has_more,
            } = typed::<Completed>(result).completion;
            let (count, total) = (values.len() as u64, total.unwrap_or(0));
            assert!(count <= 100 && count <= total, "{result}");
            assert_eq!(has_more, Some(count < total), "{result}");
        }
        "subscriptions/listen" => {}
        other => panic!("a result for {other}"),
    }
}

fn is_cacheable(method: &str) -> bool {
    method.ends_with("/list") || ["server/discover", "resources/read"].contains(&method)
}
