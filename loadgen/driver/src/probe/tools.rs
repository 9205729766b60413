//! `tools/list`: which arguments have to be repeated in headers.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use loadgen_protocol::Response;
use loadgen_protocol::names::method;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::Probe;
use crate::classify::clip;
use crate::plan::{Kind, Mirrored};
use crate::transport::Failure;

/// Most pages of a list that are read.
const MOST_PAGES: u32 = 100;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page<'a> {
    #[serde(borrow)]
    tools: Vec<Listed<'a>>,
    #[serde(default)]
    next_cursor: Option<String>,
}

/// A tool in the text of its page: most are of no interest.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    input_schema: Option<&'a RawValue>,
}

/// What the list of tools says about the kinds of the plan.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// Of each kind, in the order of the plan; empty when nothing was asked or understood.
    pub(super) mirrored: Vec<Vec<Mirrored>>,
    /// What is wrong with it, one line each.
    pub(super) warnings: Vec<String>,
    /// Why a client must not call a tool that the plan calls, if there is one.
    pub(super) forbidden: Option<String>,
}

impl Probe<'_> {
    /// Reads the list of tools when a kind calls one with arguments; nothing else in it matters.
    pub(super) async fn marks(&self) -> Result<Marks, Failure> {
        let kinds = &self.plan.kinds;
        if !kinds.iter().any(wants_schema) {
            return Ok(Marks::default());
        }
        let called: HashSet<&str> = kinds
            .iter()
            .filter(|kind| kind.method == method::TOOLS_CALL)
            .map(|kind| kind.target.as_str())
            .collect();
        let mut schemas = HashMap::new();
        let mut cursors = HashSet::new();
        let mut cursor: Option<String> = None;
        for number in 0..MOST_PAGES {
            let id = format!("\"probe.tools.{number}\"");
            let reply = self.ask(&id, method::TOOLS_LIST, cursor.as_deref()).await?;
            let page = serde_json::from_slice::<Response<'_>>(&reply.body)
                .ok()
                .and_then(|response| serde_json::from_str::<Page<'_>>(response.result?.get()).ok());
            let Some(page) = page else {
                // A server without the method has no tools that could be marked.
                return Ok(Marks {
                    warnings: vec![format!(
                        "does not list its tools (HTTP {}), so no argument is repeated in a header",
                        reply.status
                    )],
                    ..Marks::default()
                });
            };
            let wanted = page.tools.into_iter().filter(|t| called.contains(&*t.name));
            schemas.extend(wanted.map(|tool| {
                let schema = tool.input_schema.map(RawValue::get).unwrap_or("null");
                let schema = serde_json::from_str(schema).unwrap_or(Value::Null);
                (tool.name.into_owned(), schema)
            }));
            // A cursor may be as long as a reply: what is known of those before is their fingerprint.
            match page.next_cursor {
                Some(next) if cursors.insert(Sha256::digest(&next)) => cursor = Some(next),
                Some(_) | None => break,
            }
        }
        Ok(read(kinds, &schemas))
    }
}

fn wants_schema(kind: &Kind) -> bool {
    kind.method == method::TOOLS_CALL && kind.arguments.is_some()
}

fn read(kinds: &[Kind], schemas: &HashMap<String, Value>) -> Marks {
    let mut marks = Marks::default();
    for kind in kinds {
        let is_tool = kind.method == method::TOOLS_CALL;
        let schema = schemas.get(&kind.target).filter(|_| is_tool);
        match schema.map_or(Ok(Vec::new()), Mirrored::all) {
            Ok(found) => marks.mirrored.push(found),
            Err(why) => {
                marks.forbidden = Some(format!(
                    "tool {} breaks the rules of x-mcp-header: {}; a client has to drop such a tool \
                     from its list, so it cannot be loaded: mend its inputSchema, or load another tool",
                    clip(&kind.target),
                    clip(&why)
                ));
                break;
            }
        }
    }
    marks
}
