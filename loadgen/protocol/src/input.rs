//! Embedded questions and answers of a multi round-trip request: bare objects without `jsonrpc`,
//! `id` or `resultType`.

use serde::de::Error;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::RequestedSchema;
use crate::names::method;

/// A question inside `inputRequests`.
#[derive(Debug, Clone, PartialEq)]
pub enum InputRequest {
    /// A form to fill.
    Form(ElicitForm),
    /// A page to visit; accepting means consent, not completion.
    Url(ElicitUrl),
    /// A model's answer (deprecated).
    Sampling(Sampling),
    /// The client's roots (deprecated).
    Roots,
}

/// `elicitation/create` in form mode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ElicitForm {
    /// What the user is asked.
    pub message: String,
    /// Which fields the answer holds.
    pub requested_schema: RequestedSchema,
}

/// `elicitation/create` in URL mode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ElicitUrl {
    /// What the user is asked.
    pub message: String,
    /// The page. A load generator never opens it.
    pub url: String,
}

/// `sampling/createMessage`; members beyond these are tolerated and not read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sampling {
    /// The conversation so far.
    pub messages: Vec<Value>,
    /// Most tokens of the answer.
    pub max_tokens: u64,
    /// Tools that the model may use, as in a list of tools; empty when it may use none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Value>,
}

/// An answer inside `inputResponses`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum InputAnswer {
    /// To a form or a URL.
    Elicit(ElicitAnswer),
    /// To a sampling question.
    Sampling(SamplingAnswer),
    /// To a roots question.
    Roots(RootsAnswer),
}

/// What the user did with a form or a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Filled in and sent; for a URL, consented to.
    Accept,
    /// Refused.
    Decline,
    /// Closed without a choice.
    Cancel,
}

/// The envelope of a form's or URL's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ElicitAnswer {
    /// What the user did.
    pub action: Action,
    /// The filled fields; only with [`Action::Accept`] on a form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Map<String, Value>>,
}

/// A model's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SamplingAnswer {
    /// `assistant`.
    pub role: String,
    /// One content block or an array of them.
    pub content: Value,
    /// The model that answered.
    pub model: String,
    /// Why it stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
}

/// The client's roots.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RootsAnswer {
    /// The roots; may be empty.
    pub roots: Vec<Root>,
}

/// One root.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Root {
    /// A `file://` address.
    pub uri: String,
    /// What people see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Serialize for InputRequest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Out<'a, P> {
            method: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            params: Option<&'a P>,
        }
        #[derive(Serialize)]
        struct Mode<'a, P> {
            mode: &'static str,
            #[serde(flatten)]
            rest: &'a P,
        }
        let out = |method, params| Out { method, params };
        match self {
            Self::Form(form) => Out {
                method: method::ELICIT,
                params: Some(&Mode {
                    mode: "form",
                    rest: form,
                }),
            }
            .serialize(serializer),
            Self::Url(url) => Out {
                method: method::ELICIT,
                params: Some(&Mode {
                    mode: "url",
                    rest: url,
                }),
            }
            .serialize(serializer),
            Self::Sampling(sampling) => Out {
                method: method::SAMPLE,
                params: Some(sampling),
            }
            .serialize(serializer),
            Self::Roots => out(method::ROOTS, None::<&()>).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for InputRequest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Bare {
            method: String,
            #[serde(default)]
            params: Value,
        }
        #[derive(Deserialize)]
        struct Mode {
            #[serde(default)]
            mode: Option<String>,
        }
        let Bare { method, params } = Bare::deserialize(deserializer)?;
        let wrong = |why: serde_json::Error| D::Error::custom(why);
        match method.as_str() {
            method::ELICIT => {
                let Mode { mode } = Mode::deserialize(&params).map_err(wrong)?;
                match mode.as_deref() {
                    None | Some("form") => ElicitForm::deserialize(params).map(Self::Form),
                    Some("url") => ElicitUrl::deserialize(params).map(Self::Url),
                    Some(other) => {
                        return Err(D::Error::custom(format!(
                            "unknown elicitation mode {other:?}"
                        )));
                    }
                }
                .map_err(wrong)
            }
            method::SAMPLE => Sampling::deserialize(params)
                .map(Self::Sampling)
                .map_err(wrong),
            method::ROOTS => Ok(Self::Roots),
            other => Err(D::Error::custom(format!(
                "{other:?} is not one of the three embedded request kinds"
            ))),
        }
    }
}

impl InputRequest {
    /// A form with one required field.
    #[must_use]
    pub fn single_field(message: impl Into<String>, field: &str, kind: &str) -> Self {
        Self::Form(ElicitForm {
            message: message.into(),
            requested_schema: RequestedSchema::single(field, kind),
        })
    }

    /// The capability that a client has to declare before it may be asked this
    /// (`data.requiredCapabilities` of error -32021).
    #[must_use]
    pub fn required_capability(&self) -> Value {
        match self {
            Self::Form(_) => json!({"elicitation": {"form": {}}}),
            Self::Url(_) => json!({"elicitation": {"url": {}}}),
            Self::Sampling(asked) if !asked.tools.is_empty() => json!({"sampling": {"tools": {}}}),
            Self::Sampling(_) => json!({"sampling": {}}),
            Self::Roots => json!({"roots": {}}),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_survives_a_round_trip() {
        for request in [
            InputRequest::single_field("Delete x?", "confirm", "boolean"),
            InputRequest::Url(ElicitUrl {
                message: "Read the rules".into(),
                url: "https://harbour.example/rules".into(),
            }),
            InputRequest::Sampling(Sampling {
                messages: vec![json!({"role": "user"})],
                max_tokens: 64,
                tools: vec![json!({"name": "tide"})],
            }),
            InputRequest::Roots,
        ] {
            let text = serde_json::to_string(&request).unwrap();
            assert_eq!(
                serde_json::from_str::<InputRequest>(&text).unwrap(),
                request
            );
        }
    }

    #[test]
    fn a_mode_that_nobody_defined_and_a_foreign_method_are_refused() {
        for text in [
            r#"{"method":"elicitation/create","params":{"mode":"voice","message":"x"}}"#,
            r#"{"method":"tools/call","params":{}}"#,
            r#"{"method":"elicitation/create"}"#,
        ] {
            assert!(
                serde_json::from_str::<InputRequest>(text).is_err(),
                "{text}"
            );
        }
    }
}
