mod pages;

use std::num::NonZeroUsize;

use loadgen_protocol::names::meta;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::SUPPORTED_VERSIONS;
use crate::catalogue::pages::Pages;
use crate::surface::{Prompt, Resource, Surface, Tool};

/// The name that the replica gives itself in `serverInfo`.
const NAME: &str = "loadgen-replica";
/// How long lists may be cached, in milliseconds. They never change while a replica lives.
pub(crate) const LIST_TTL_MS: u64 = 300_000;

/// The results that are the same for everybody, written once at start, and the `_meta` of all.
pub(crate) struct Catalogue {
    pub(crate) meta: Box<RawValue>,
    pub(crate) discover: Box<RawValue>,
    pub(crate) tools: Pages,
    pub(crate) prompts: Pages,
    pub(crate) resources: Pages,
    pub(crate) templates: Pages,
}

impl Catalogue {
    /// `listening` says whether clients can listen for changes.
    pub(crate) fn new(
        instance: u32,
        surface: Surface,
        page_size: Option<NonZeroUsize>,
        listening: bool,
    ) -> Self {
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
        let pages = |list, entries: Vec<Value>| Pages::new(list, &entries, page_size, fixed);
        Self {
            discover: fixed(json!({
                "supportedVersions": SUPPORTED_VERSIONS,
                "capabilities": capabilities(listening),
                "instructions": "A target for load tests; nothing here does anything real.",
            })),
            tools: pages("tools", surface.tools().map(Tool::listing).collect()),
            prompts: pages("prompts", surface.prompts().map(Prompt::listing).collect()),
            resources: pages("resources", Resource::listings(surface.fixtures)),
            templates: pages("resourceTemplates", Resource::templates(surface.fixtures)),
            meta: raw(&meta),
        }
    }
}

fn capabilities(listening: bool) -> Value {
    if listening {
        let list = json!({ "listChanged": true });
        let resources = json!({ "listChanged": true, "subscribe": true });
        json!({ "tools": list, "prompts": list, "resources": resources, "completions": {} })
    } else {
        json!({ "tools": {}, "prompts": {}, "resources": {}, "completions": {} })
    }
}

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).expect("a JSON value serialises")
}
