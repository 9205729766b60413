use std::borrow::Cow;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::catalogue::LIST_TTL_MS;
use crate::completions::Completion;
use crate::content::{Block, Blocks, Content};
use crate::mrtr::Question;

/// The `result` member of a reply. Every one has `resultType` and `_meta`.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Outcome<'a> {
    /// One of the results that are the same for everybody.
    Fixed(&'a RawValue),
    /// What ends a subscription.
    Closed(Box<RawValue>),
    Tool(ToolResult<'a>),
    Prompt(PromptResult<'a>),
    Resource(ResourceResult<'a>),
    InputRequired(InputRequired<'a>),
    Completion(CompletionResult<'a>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolResult<'a> {
    result_type: Complete,
    #[serde(serialize_with = "as_content")]
    content: Blocks<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<Value>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_error: bool,
    #[serde(rename = "_meta")]
    meta: &'a RawValue,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PromptResult<'a> {
    result_type: Complete,
    #[serde(serialize_with = "as_messages")]
    messages: Blocks<'a>,
    #[serde(rename = "_meta")]
    meta: &'a RawValue,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResourceResult<'a> {
    result_type: Complete,
    contents: Vec<Contents<'a>>,
    ttl_ms: u64,
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
#[serde(rename_all = "camelCase")]
pub(crate) struct CompletionResult<'a> {
    result_type: Complete,
    completion: Completion,
    #[serde(rename = "_meta")]
    meta: &'a RawValue,
}

#[derive(Serialize)]
enum Complete {
    #[serde(rename = "complete")]
    Complete,
}

/// A part of a resource. It repeats the address that was asked for, which a client may match by.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Contents<'a> {
    uri: Cow<'a, str>,
    mime_type: &'static str,
    #[serde(flatten)]
    body: ContentsBody<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum ContentsBody<'a> {
    Text(Cow<'a, str>),
    Blob(&'static str),
}

/// How long a result may be kept, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caching {
    /// It is the same for everybody, for as long as lists are.
    Public,
    /// It is for this caller and this moment: what an answer opened must not be kept.
    Never,
}

impl<'a> Outcome<'a> {
    pub(crate) fn tool(content: Content<'a>, is_error: bool, meta: &'a RawValue) -> Self {
        let (content, structured_content) = content.into_parts();
        Self::Tool(ToolResult {
            result_type: Complete::Complete,
            content,
            structured_content,
            is_error,
            meta,
        })
    }

    pub(crate) fn prompt(content: Content<'a>, meta: &'a RawValue) -> Self {
        Self::Prompt(PromptResult {
            result_type: Complete::Complete,
            messages: content.into_parts().0,
            meta,
        })
    }

    /// The resource at `uri`, as read.
    pub(crate) fn resource(
        uri: Cow<'a, str>,
        content: Content<'a>,
        caching: Caching,
        meta: &'a RawValue,
    ) -> Self {
        let contents = match content.into_parts().0 {
            Blocks::One([block]) => vec![Contents::of(uri, block)],
            Blocks::Many(blocks) => blocks
                .into_iter()
                .map(|block| Contents::of(uri.clone(), block))
                .collect(),
        };
        let (ttl_ms, cache_scope) = match caching {
            Caching::Public => (LIST_TTL_MS, "public"),
            Caching::Never => (0, "private"),
        };
        Self::Resource(ResourceResult {
            result_type: Complete::Complete,
            contents,
            ttl_ms,
            cache_scope,
            meta,
        })
    }

    pub(crate) fn completion(completion: Completion, meta: &'a RawValue) -> Self {
        Self::Completion(CompletionResult {
            result_type: Complete::Complete,
            completion,
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

impl Outcome<'_> {
    /// Writes what [`Serialize`] would: nearly every result is one text, which is put together here
    /// without looking at the characters of what is always the same.
    ///
    /// # Errors
    /// Never: everything here is JSON.
    pub(crate) fn write(&self, to: &mut Vec<u8>) -> serde_json::Result<()> {
        match self {
            Self::Tool(ToolResult {
                result_type: Complete::Complete,
                content: Blocks::One([Block::Text { text }]),
                structured_content: None,
                is_error: false,
                meta,
            }) => {
                to.extend_from_slice(
                    br#"{"resultType":"complete","content":[{"type":"text","text":"#,
                );
                serde_json::to_writer(&mut *to, text)?;
                to.extend_from_slice(br#"}],"_meta":"#);
                to.extend_from_slice(meta.get().as_bytes());
                to.push(b'}');
                Ok(())
            }
            _ => serde_json::to_writer(to, self),
        }
    }
}

impl<'a> Contents<'a> {
    fn of(uri: Cow<'a, str>, block: Block<'a>) -> Self {
        let (mime_type, body) = match block {
            Block::Text { text } => ("text/plain", ContentsBody::Text(text)),
            Block::Image(media) | Block::Audio(media) => {
                (media.mime_type, ContentsBody::Blob(media.data))
            }
            Block::Resource { resource } => (resource.mime_type, ContentsBody::Text(resource.text)),
        };
        Self {
            uri,
            mime_type,
            body,
        }
    }
}

fn as_content<S: Serializer>(blocks: &Blocks<'_>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(blocks.as_slice())
}

fn as_messages<S: Serializer>(blocks: &Blocks<'_>, to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Message<'m, 'a> {
        role: &'static str,
        content: &'m Block<'a>,
    }
    to.collect_seq(blocks.as_slice().iter().map(|content| Message {
        role: "user",
        content,
    }))
}

fn by_key<S: Serializer>(questions: &[Question], to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(questions.len()))?;
    for question in questions {
        map.serialize_entry(&question.key, question.written())?;
    }
    map.end()
}

#[cfg(test)]
mod tests {
    use serde_json::value::to_raw_value;

    use super::*;

    #[test]
    fn a_text_is_written_as_it_would_be_serialised() {
        let meta = to_raw_value(&serde_json::json!({ "a": [1, "b"] })).unwrap();
        let text = |text: &'static str| Content::Text(text.into());
        for outcome in [
            Outcome::tool(text("plain"), false, &meta),
            Outcome::tool(text("a \"quoted\"\n\u{7}\u{1f600}"), false, &meta),
            Outcome::tool(text("failed"), true, &meta),
            Outcome::tool(Content::Structured(1.into()), false, &meta),
            Outcome::prompt(text("plain"), &meta),
        ] {
            let mut written = Vec::new();
            outcome.write(&mut written).unwrap();
            assert_eq!(written, serde_json::to_vec(&outcome).unwrap());
        }
    }
}
