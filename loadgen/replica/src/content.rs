use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

/// What an item completes with. In a tool's result each block is content, in a prompt each is a
/// message, in a resource each is a part of its contents.
#[derive(Debug)]
pub(crate) enum Content<'a> {
    /// One text.
    Text(Cow<'a, str>),
    /// Anything else.
    Blocks(Vec<Block<'a>>),
    /// A value for programs. It goes out as text too, for clients that only show results.
    Structured(Value),
}

/// One piece of content.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum Block<'a> {
    Text { text: Cow<'a, str> },
    Image(Media),
    Audio(Media),
    Resource { resource: Embedded<'a> },
}

/// Bytes of a picture or a sound.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Media {
    /// In base64 with padding.
    pub(crate) data: &'static str,
    pub(crate) mime_type: &'static str,
}

/// A resource's text where it is used, with its address.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Embedded<'a> {
    pub(crate) uri: Cow<'a, str>,
    pub(crate) mime_type: &'static str,
    pub(crate) text: Cow<'a, str>,
}

/// The blocks of a content; one needs no allocation.
pub(crate) enum Blocks<'a> {
    One([Block<'a>; 1]),
    Many(Vec<Block<'a>>),
}

impl<'a> Content<'a> {
    /// The blocks, and the value for programs if there is one.
    pub(crate) fn into_parts(self) -> (Blocks<'a>, Option<Value>) {
        match self {
            Self::Text(text) => (Blocks::One([Block::Text { text }]), None),
            Self::Blocks(blocks) => (Blocks::Many(blocks), None),
            Self::Structured(value) => {
                let text = value.to_string().into();
                (Blocks::One([Block::Text { text }]), Some(value))
            }
        }
    }
}

impl<'a> Block<'a> {
    pub(crate) fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text { text: text.into() }
    }
}

impl<'a> Blocks<'a> {
    pub(crate) fn as_slice(&self) -> &[Block<'a>] {
        match self {
            Self::One(block) => block,
            Self::Many(blocks) => blocks,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_kind_of_block_has_its_members() {
        let media = || Media {
            data: "AA==",
            mime_type: "a/b",
        };
        let resource = Embedded {
            uri: "test://x".into(),
            mime_type: "text/plain",
            text: "t".into(),
        };
        let blocks = vec![
            Block::text("t"),
            Block::Image(media()),
            Block::Audio(media()),
            Block::Resource { resource },
        ];
        let want = json!([
            { "type": "text", "text": "t" },
            { "type": "image", "data": "AA==", "mimeType": "a/b" },
            { "type": "audio", "data": "AA==", "mimeType": "a/b" },
            { "type": "resource", "resource":
                { "uri": "test://x", "mimeType": "text/plain", "text": "t" } },
        ]);
        let (blocks, structured) = Content::Blocks(blocks).into_parts();
        assert_eq!(json!(blocks.as_slice()), want);
        assert_eq!(structured, None);
    }

    #[test]
    fn a_value_for_programs_is_there_as_text_too() {
        let value = json!({ "a": [1] });
        let (blocks, structured) = Content::Structured(value.clone()).into_parts();
        let want = json!([{ "type": "text", "text": r#"{"a":[1]}"# }]);
        assert_eq!(json!(blocks.as_slice()), want);
        assert_eq!(structured, Some(value));
    }
}
