//! Results: a borrowed head that a client dispatches on, and owned types that a server writes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::raw_json::text;
use crate::scan::{Scan, once};
use crate::{Entries, InputRequest};

/// What a client needs of any result to know what comes next. Nothing else is looked at.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultHead<'a> {
    /// As written; see [`ResultHead::kind`].
    #[serde(borrow, default)]
    pub result_type: Option<Cow<'a, str>>,
    /// A tool's own failure.
    #[serde(default)]
    pub is_error: Option<bool>,
    /// The questions, by key.
    #[serde(default)]
    pub input_requests: Option<Entries<InputRequest>>,
    /// The state as written, quotes included, so that it can be sent back byte for byte.
    #[serde(borrow, default)]
    pub request_state: Option<&'a RawValue>,
    /// `type`, which this revision does not have; some servers write `error` there.
    #[serde(borrow, default, rename = "type")]
    pub type_member: Option<&'a RawValue>,
    /// Content blocks, read only for the texts of a tool error.
    #[serde(borrow, default)]
    pub content: Option<&'a RawValue>,
}

/// What a result says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResultType {
    /// The call is done. An absent `resultType` means this too (older servers).
    Complete,
    /// The server asks, or asks to be called again.
    InputRequired,
    /// Anything else; must be treated as invalid.
    Unknown(String),
}

impl<'a> ResultHead<'a> {
    /// Reads the head of a result of the usual form; else `None`.
    pub(crate) fn scan(scan: &mut Scan<'a>) -> Option<Self> {
        let (mut result_type, mut is_error, mut input_requests) = (None, None, None);
        let (mut request_state, mut type_member, mut content) = (None, None, None);
        scan.members(|scan, key| match key {
            "resultType" => match text(scan.value()?)? {
                Cow::Borrowed(kind) => once(&mut result_type, Cow::Borrowed(kind)),
                Cow::Owned(_) => None,
            },
            "isError" => match scan.value()? {
                "true" => once(&mut is_error, true),
                "false" => once(&mut is_error, false),
                _ => None,
            },
            "inputRequests" => {
                let questions = serde_json::from_str(scan.value()?).ok()?;
                once(&mut input_requests, questions)
            }
            "requestState" => once(&mut request_state, scan.given()?),
            "type" => once(&mut type_member, scan.given()?),
            "content" => once(&mut content, scan.given()?),
            _ => scan.value().map(drop),
        })?;
        Some(Self {
            result_type,
            is_error,
            input_requests,
            request_state,
            type_member,
            content,
        })
    }

    /// Whether it calls itself an error by a `type`, which alone does not make it one.
    #[must_use]
    pub fn is_of_type_error(&self) -> bool {
        self.type_member
            .is_some_and(|text| text.get() == "\"error\"")
    }

    /// Which kind of result this is.
    #[must_use]
    pub fn kind(&self) -> ResultType {
        match self.result_type.as_deref() {
            None | Some("complete") => ResultType::Complete,
            Some("input_required") => ResultType::InputRequired,
            Some(other) => ResultType::Unknown(other.to_owned()),
        }
    }
}

/// Name and version of a product.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Implementation {
    /// Product name.
    pub name: String,
    /// Product version.
    pub version: String,
}

/// `_meta` of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultMeta {
    /// Who answered.
    #[serde(rename = "io.modelcontextprotocol/serverInfo")]
    pub server_info: Implementation,
    /// Further members, as they are.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Who may cache a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheScope {
    /// Anyone.
    Public,
    /// Only the asking client.
    Private,
}

macro_rules! results {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident : $ty:ty),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            /// `complete`, or `input_required` where the type says so.
            pub result_type: Cow<'static, str>,
            $($(#[$field_doc])* pub $field: $ty,)*
            /// Who answered; recommended on every result.
            #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
            pub meta: Option<ResultMeta>,
        }
    )*};
}

results! {
    /// Answer to `server/discover`.
    DiscoverResult {
        /// Revisions that the server speaks.
        supported_versions: Vec<String>,
        /// What it offers.
        capabilities: Map<String, Value>,
        /// How long the answer may be cached, in milliseconds.
        ttl_ms: u64,
        /// Who may cache it.
        cache_scope: CacheScope,
    }
    /// Answer to `tools/list`.
    ListToolsResult {
        /// One page of tools.
        tools: Vec<ToolDescription>,
        /// Mark of the next page; absent on the last.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next_cursor: Option<String>,
        /// How long the answer may be cached, in milliseconds.
        ttl_ms: u64,
        /// Who may cache it.
        cache_scope: CacheScope,
    }
    /// Answer to `prompts/list`.
    ListPromptsResult {
        /// One page of prompts.
        prompts: Vec<PromptDescription>,
        /// Mark of the next page; absent on the last.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next_cursor: Option<String>,
        /// How long the answer may be cached, in milliseconds.
        ttl_ms: u64,
        /// Who may cache it.
        cache_scope: CacheScope,
    }
    /// Answer to `resources/list`.
    ListResourcesResult {
        /// One page of resources.
        resources: Vec<ResourceDescription>,
        /// Mark of the next page; absent on the last.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next_cursor: Option<String>,
        /// How long the answer may be cached, in milliseconds.
        ttl_ms: u64,
        /// Who may cache it.
        cache_scope: CacheScope,
    }
    /// Answer to `resources/templates/list`.
    ListResourceTemplatesResult {
        /// One page of templates.
        resource_templates: Vec<ResourceTemplate>,
        /// Mark of the next page; absent on the last.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next_cursor: Option<String>,
        /// How long the answer may be cached, in milliseconds.
        ttl_ms: u64,
        /// Who may cache it.
        cache_scope: CacheScope,
    }
    /// Final answer to `tools/call`.
    CallToolResult {
        /// Content blocks.
        content: Vec<Content>,
        /// The same as data.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        structured_content: Option<Value>,
        /// The tool failed; HTTP status is 200 all the same.
        #[serde(default)]
        is_error: bool,
    }
    /// Final answer to `prompts/get`.
    GetPromptResult {
        /// What the prompt is for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// The rendered messages.
        messages: Vec<PromptMessage>,
    }
    /// Final answer to `resources/read`.
    ReadResourceResult {
        /// The contents.
        contents: Vec<ResourceContents>,
        /// How long the answer may be cached, in milliseconds.
        ttl_ms: u64,
        /// Who may cache it.
        cache_scope: CacheScope,
    }
    /// The server asks; at least one of the two members is present.
    InputRequiredResult {
        /// Questions by key.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input_requests: Option<Entries<InputRequest>>,
        /// Opaque state that the client has to send back as it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_state: Option<String>,
    }
}

/// A content block. Kinds beyond these keep their members unread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Content {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// Image, audio, resource or resource link; not read.
    #[serde(untagged)]
    Other(BTreeMap<String, Value>),
}

impl Content {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// A tool in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolDescription {
    /// Name to call it by.
    pub name: String,
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON schema of its arguments.
    pub input_schema: Value,
}

/// A prompt in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptDescription {
    /// Name to render it by.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<PromptArgument>,
}

/// An argument of a prompt; its value is always a string.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// Whether it has to be given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
}

/// A message of a rendered prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptMessage {
    /// `user` or `assistant`.
    pub role: String,
    /// What is said.
    pub content: Content,
}

/// A resource in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceDescription {
    /// Its address.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// Its media type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
}

/// A resource template in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceTemplate {
    /// Address with `{variables}` (RFC 6570).
    pub uri_template: String,
    /// Its name.
    pub name: String,
    /// Media type of what it yields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
}

/// What a resource holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceContents {
    /// Its address.
    pub uri: String,
    /// Its media type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The text; absent for binary contents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Base64 of binary contents; absent for text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
}
