use loadgen_protocol::names::meta;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::SUPPORTED_VERSIONS;
use crate::surface::{Prompt, Resource, Surface, Tool};

/// The name that the replica gives itself in `serverInfo`.
const NAME: &str = "loadgen-replica";
/// How long lists may be cached, in milliseconds. They never change while a replica lives.
pub(crate) const LIST_TTL_MS: u64 = 300_000;

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
    pub(crate) fn new(instance: u32, surface: Surface) -> Self {
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
            tools: fixed(
                json!({ "tools": surface.tools().map(Tool::listing).collect::<Vec<_>>() }),
            ),
            prompts: fixed(
                json!({ "prompts": surface.prompts().map(Prompt::listing).collect::<Vec<_>>() }),
            ),
            resources: fixed(json!({ "resources": Resource::listings(surface.fixtures) })),
            templates: fixed(json!({ "resourceTemplates": Resource::templates(surface.fixtures) })),
            meta: raw(&meta),
        }
    }
}

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).expect("a JSON value serialises")
}
