use std::borrow::Cow;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;

use crate::mrtr::Question;

/// What an item completes with.
#[derive(Debug)]
pub(crate) enum Content<'a> {
    Text(Cow<'a, str>),
}

/// The `result` member of a reply. Every one has `resultType` and `_meta`.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Outcome<'a> {
    /// One of the results that are the same for everybody.
    Fixed(&'a RawValue),
    Tool(ToolResult<'a>),
    Prompt(PromptResult<'a>),
    Resource(ResourceResult<'a>),
    InputRequired(InputRequired<'a>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolResult<'a> {
    result_type: Complete,
    content: [Text<'a>; 1],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_error: bool,
    #[serde(rename = "_meta")]
    meta: &'a RawValue,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PromptResult<'a> {
    result_type: Complete,
    messages: [Message<'a>; 1],
    #[serde(rename = "_meta")]
    meta: &'a RawValue,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResourceResult<'a> {
    result_type: Complete,
    contents: [Contents<'a>; 1],
    ttl_ms: u32,
    cache_scope: &'static str,
    #[serde(rename = "_meta")]
    meta: &'a RawValue,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InputRequired<'a> {
    result_type: &'static str,
    #[serde(serialize_with = "by_key", skip_serializing_if = "Vec::is_empty")]
    input_requests: Vec<Question>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_state: Option<String>,
    #[serde(rename = "_meta")]
    meta: &'a RawValue,
}

#[derive(Serialize)]
enum Complete {
    #[serde(rename = "complete")]
    Complete,
}

#[derive(Serialize)]
struct Text<'a> {
    r#type: &'static str,
    text: Cow<'a, str>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Text<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Contents<'a> {
    uri: Cow<'a, str>,
    mime_type: &'static str,
    text: Cow<'a, str>,
}

impl<'a> Outcome<'a> {
    pub(crate) fn tool(content: Content<'a>, is_error: bool, meta: &'a RawValue) -> Self {
        Self::Tool(ToolResult {
            result_type: Complete::Complete,
            content: [Text::of(content)],
            is_error,
            meta,
        })
    }

    pub(crate) fn prompt(content: Content<'a>, meta: &'a RawValue) -> Self {
        Self::Prompt(PromptResult {
            result_type: Complete::Complete,
            messages: [Message {
                role: "user",
                content: Text::of(content),
            }],
            meta,
        })
    }

    /// A resource as read. What an answer opened is for that caller and must not be cached.
    pub(crate) fn resource(uri: Cow<'a, str>, content: Content<'a>, meta: &'a RawValue) -> Self {
        let Content::Text(text) = content;
        Self::Resource(ResourceResult {
            result_type: Complete::Complete,
            contents: [Contents {
                uri,
                mime_type: "text/plain",
                text,
            }],
            ttl_ms: 0,
            cache_scope: "private",
            meta,
        })
    }

    pub(crate) fn input_required(
        questions: Vec<Question>,
        state: Option<String>,
        meta: &'a RawValue,
    ) -> Self {
        Self::InputRequired(InputRequired {
            result_type: "input_required",
            input_requests: questions,
            request_state: state,
            meta,
        })
    }
}

impl<'a> Text<'a> {
    fn of(content: Content<'a>) -> Self {
        let Content::Text(text) = content;
        Self {
            r#type: "text",
            text,
        }
    }
}

fn by_key<S: Serializer>(questions: &[Question], to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(questions.len()))?;
    for question in questions {
        map.serialize_entry(&question.key, &question.request)?;
    }
    map.end()
}
