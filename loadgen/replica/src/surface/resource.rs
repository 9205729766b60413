use serde_json::{Value, json};

use crate::surface::{Call, Turned, memo};

/// What `resources/read` reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resource<'a> {
    /// With the memo's name.
    Memo(&'a str),
}

impl<'a> Resource<'a> {
    /// The kinds that there are, each at its [`Resource::kind`].
    pub(crate) const KINDS: &'static [&'static str] = &["memo"];

    /// Which of the kinds it is.
    pub(crate) const fn kind(self) -> usize {
        match self {
            Self::Memo(_) => 0,
        }
    }

    /// The resource at this URI.
    pub(crate) fn at(uri: &'a str) -> Option<Self> {
        memo::name(uri).map(Self::Memo)
    }

    /// The resources that have a URI of their own, as they are listed.
    pub(crate) fn listings() -> Vec<Value> {
        Vec::new()
    }

    /// The families of resources, as they are listed.
    pub(crate) fn templates() -> Vec<Value> {
        vec![json!({
            "uriTemplate": "memo://{name}",
            "name": "memo",
            "description": "A memo that first asks for a passphrase.",
            "mimeType": "text/plain",
        })]
    }

    /// Runs one round.
    ///
    /// # Errors
    /// When an answer cannot be understood.
    pub(crate) fn turn<'b>(self, call: &Call<'b, '_>) -> Turned<'b> {
        match self {
            Self::Memo(name) => memo::turn(name, &call.turn),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memos_are_found_by_their_name() {
        assert_eq!(Resource::at("memo://a"), Some(Resource::Memo("a")));
        assert_eq!(Resource::at("x"), None);
    }
}
