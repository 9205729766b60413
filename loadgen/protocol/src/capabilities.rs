//! What a client declares that it can answer.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An object whose presence alone says "supported"; its members are kept but not read.
pub type Marker = Map<String, Value>;

/// `_meta["io.modelcontextprotocol/clientCapabilities"]`. `{}` is legal and declares nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ClientCapabilities {
    /// Forms and URL visits; absent means that neither may be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elicitation: Option<ElicitationCapability>,
    /// Model answers (deprecated in this revision).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Marker>,
    /// The client's roots (deprecated in this revision).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roots: Option<Marker>,
}

/// The two ways to elicit. An empty object means form only.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ElicitationCapability {
    /// Form mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<Marker>,
    /// URL mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<Marker>,
}

impl ClientCapabilities {
    /// Everything that the load generator can answer: forms, URLs, sampling and roots.
    #[must_use]
    pub fn all() -> Self {
        Self {
            elicitation: Some(ElicitationCapability {
                form: Some(Marker::new()),
                url: Some(Marker::new()),
            }),
            sampling: Some(Marker::new()),
            roots: Some(Marker::new()),
        }
    }

    /// Whether a form may be asked: declared, or implied by an elicitation object that names no mode.
    #[must_use]
    pub fn allows_form(&self) -> bool {
        self.elicitation
            .as_ref()
            .is_some_and(|e| e.form.is_some() || e.url.is_none())
    }

    /// Whether a model may be asked with tools: only when declared by name.
    #[must_use]
    pub fn allows_tools(&self) -> bool {
        self.sampling
            .as_ref()
            .is_some_and(|s| s.contains_key("tools"))
    }

    /// Whether a URL visit may be asked: only when declared by name.
    #[must_use]
    pub fn allows_url(&self) -> bool {
        self.elicitation.as_ref().is_some_and(|e| e.url.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_elicitation_object_means_form_only() {
        let modes = |text: &str| {
            let c: ClientCapabilities = serde_json::from_str(text).unwrap();
            (c.allows_form(), c.allows_url())
        };
        assert_eq!(modes("{}"), (false, false));
        assert_eq!(modes(r#"{"elicitation":{}}"#), (true, false));
        assert_eq!(modes(r#"{"elicitation":{"form":{}}}"#), (true, false));
        assert_eq!(modes(r#"{"elicitation":{"url":{}}}"#), (false, true));
        assert_eq!(
            modes(r#"{"elicitation":{"form":{},"url":{}},"other":1}"#),
            (true, true)
        );
    }
}
