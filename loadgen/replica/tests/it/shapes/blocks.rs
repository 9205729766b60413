use serde::{Deserialize, Serialize};

use super::typed::{Base64, shape};

/// A piece of content.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Block {
    Text(Text),
    Image(Media),
    Audio(Media),
    Resource(Embedded),
    ResourceLink(Link),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    User,
    Assistant,
}

shape! { Text { text: String, } }

shape! { Media { data: Base64, mime_type: String, } }

shape! { Embedded { resource: Contents, } }

shape! { Link { uri: String, name: String, } may { mime_type: String, size: u64, } }

shape! { Message { role: Role, content: Block, } }

shape! {
    /// A part of a resource: text, or bytes.
    Contents { uri: String, } may { mime_type: String, text: String, blob: Base64, }
}

impl Block {
    /// What serde alone does not see.
    pub(crate) fn check(&self) {
        match self {
            Self::Resource(Embedded { resource }) => resource.check(),
            Self::Image(media) => assert!(media.mime_type.starts_with("image/")),
            Self::Audio(media) => assert!(media.mime_type.starts_with("audio/")),
            Self::Text(_) | Self::ResourceLink(_) => {}
        }
    }
}

impl Contents {
    pub(crate) fn check(&self) {
        assert!(self.uri.contains(':'), "{self:?}");
        assert_ne!(self.text.is_some(), self.blob.is_some(), "{self:?}");
    }
}
