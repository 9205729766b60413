use serde_json::{Value, json};

use crate::outcome::Caching;
use crate::surface::fixtures::resources;
use crate::surface::{Call, Turned, memo};

/// What `resources/read` reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resource<'a> {
    /// With the memo's name.
    Memo(&'a str),
    Text,
    Binary,
    /// With the id in its address.
    Templated(&'a str),
}

impl<'a> Resource<'a> {
    /// The kinds that there are, each at its [`Resource::kind`].
    pub(crate) const KINDS: &'static [&'static str] =
        &["memo", "static-text", "static-binary", "template"];

    /// Which of the kinds it is.
    pub(crate) const fn kind(self) -> usize {
        match self {
            Self::Memo(_) => 0,
            Self::Text => 1,
            Self::Binary => 2,
            Self::Templated(_) => 3,
        }
    }

    /// The resource at this URI.
    pub(crate) fn at(uri: &'a str) -> Option<Self> {
        match uri {
            resources::TEXT_URI => Some(Self::Text),
            resources::BINARY_URI => Some(Self::Binary),
            _ => memo::name(uri)
                .map(Self::Memo)
                .or_else(|| resources::id(uri).map(Self::Templated)),
        }
    }

    /// Whether only the official conformance suite looks for it.
    pub(crate) const fn is_fixture(self) -> bool {
        !matches!(self, Self::Memo(_))
    }

    /// Who may keep what was read. Nothing is asked before a fixture is read.
    pub(crate) const fn caching(self) -> Caching {
        if self.is_fixture() {
            Caching::Public
        } else {
            Caching::Never
        }
    }

    /// The resources that have a URI of their own, as they are listed.
    pub(crate) fn listings(fixtures: bool) -> Vec<Value> {
        if fixtures {
            resources::listings().into()
        } else {
            Vec::new()
        }
    }

    /// The families of resources, as they are listed.
    pub(crate) fn templates(fixtures: bool) -> Vec<Value> {
        let memo = json!({
            "uriTemplate": memo::TEMPLATE,
            "name": "memo",
            "description": "A memo that first asks for a passphrase.",
            "mimeType": "text/plain",
        });
        std::iter::once(memo)
            .chain(fixtures.then(resources::template))
            .collect()
    }

    /// What a variable of a template may be completed to.
    pub(crate) fn suggestions(template: &str, variable: &str) -> &'static [&'static str] {
        match (template, variable) {
            (memo::TEMPLATE, "name") => &["today", "tomorrow", "yesterday"],
            _ => &[],
        }
    }

    /// Runs one round.
    ///
    /// # Errors
    /// When an answer cannot be understood.
    pub(crate) fn turn<'b>(self, call: &Call<'b, '_>) -> Turned<'b> {
        match self {
            Self::Memo(name) => memo::turn(name, &call.turn),
            Self::Text => Ok(resources::text()),
            Self::Binary => Ok(resources::binary()),
            Self::Templated(id) => Ok(resources::templated(id)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_apart() {
        assert_eq!(Resource::at("memo://a"), Some(Resource::Memo("a")));
        assert_eq!(Resource::at("x"), None);
        assert_eq!(Resource::at("test://static-text"), Some(Resource::Text));
        let templated = Resource::at("test://template/7/data");
        assert_eq!(templated, Some(Resource::Templated("7")));
    }
}
