use loadgen_protocol::names::meta;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::SUPPORTED_VERSIONS;

/// The name that the replica gives itself in `serverInfo`.
const NAME: &str = "loadgen-replica";
/// How long lists may be cached, in milliseconds. They never change while a replica lives.
const LIST_TTL_MS: u64 = 300_000;

/// The results that are the same for everybody, written once at start, and the `_meta` of all.
pub(crate) struct Catalogue {
    pub(crate) meta: Box<RawValue>,
    pub(crate) discover: Box<RawValue>,
    pub(crate) tools: Box<RawValue>,
    pub(crate) prompts: Box<RawValue>,
    pub(crate) resources: Box<RawValue>,
    pub(crate) templates: Box<RawValue>,
}

impl Catalogue {
    pub(crate) fn new(instance: u32) -> Self {
        let meta = json!({
            meta::SERVER_INFO: { "name": NAME, "version": env!("CARGO_PKG_VERSION") },
            "loadgen/instance": instance,
        });
        let fixed = |mut result: Value| {
            result["resultType"] = "complete".into();
            result["ttlMs"] = LIST_TTL_MS.into();
            result["cacheScope"] = "public".into();
            result["_meta"] = meta.clone();
            raw(&result)
        };
        Self {
            discover: fixed(json!({
                "supportedVersions": SUPPORTED_VERSIONS,
                "capabilities": { "tools": {}, "prompts": {}, "resources": {} },
                "instructions": "A target for load tests; nothing here does anything real.",
            })),
            tools: fixed(json!({ "tools": tools() })),
            prompts: fixed(json!({ "prompts": [{
                "name": "briefing",
                "description": "A prompt that first asks who it is for.",
                "arguments": [{ "name": "topic", "required": false }],
            }] })),
            resources: fixed(json!({ "resources": [] })),
            templates: fixed(json!({ "resourceTemplates": [{
                "uriTemplate": "memo://{name}",
                "name": "memo",
                "description": "A memo that first asks for a passphrase.",
                "mimeType": "text/plain",
            }] })),
            meta: raw(&meta),
        }
    }
}

fn tools() -> Value {
    json!([
        {
            "name": "echo",
            "description": "Gives its text back; never asks anything.",
            "inputSchema": {
                "type": "object",
                "properties": { "text": { "type": "string", "default": "" } },
            },
        },
        {
            "name": "confirm_delete",
            "description": "Asks once before it pretends to delete a path.",
            "inputSchema": {
                "type": "object",
                "properties": { "path": { "type": "string" } },
                "required": ["path"],
            },
        },
        {
            "name": "wizard",
            "description": "Asks `rounds` questions; answers and padding pile up in requestState.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "rounds": {
                        "type": "integer", "default": 3,
                        "minimum": 0, "maximum": crate::surface::WIZARD_ROUNDS_MAX,
                    },
                    "pad_bytes": {
                        "type": "integer", "default": 0,
                        "minimum": 0, "maximum": crate::surface::WIZARD_PAD_MAX,
                    },
                },
            },
        },
        {
            "name": "test_tool_with_progress",
            "description": "Reports its progress three times before it completes.",
            "inputSchema": { "type": "object" },
        },
    ])
}

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).expect("a JSON value serialises")
}
