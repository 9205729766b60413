use std::borrow::Cow;
use std::collections::BTreeMap;

use loadgen_protocol::Action;
use loadgen_protocol::raw_json::string;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::mrtr::given::{self, Given};
use crate::mrtr::question::Question;
use crate::refusal::Refusal;

/// What the client sent under `inputResponses`, each answer still in its own bytes. Keys that no
/// question of the round has are never looked at.
#[derive(Debug, Default)]
pub(crate) struct Answers<'a>(BTreeMap<Cow<'a, str>, &'a RawValue>);

/// The answer to one question.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer<T> {
    /// Not there: to be asked for again.
    Missing,
    /// Declined or cancelled.
    Refused,
    /// Accepted, with this value of the asked-for field.
    Given(T),
}

/// An answer that is there and cannot be understood, with the reason for the client.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) String);

impl From<Malformed> for Refusal {
    fn from(malformed: Malformed) -> Self {
        Self::Answer(malformed.0)
    }
}

/// The answer to an elicitation: an envelope around the form's content.
#[derive(Deserialize)]
struct Envelope<'a> {
    action: Action,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

/// A key with its JSON text, which the map's own type cannot borrow when it holds escapes.
#[derive(Deserialize)]
#[serde(transparent)]
struct Members<'a>(#[serde(borrow)] BTreeMap<Cow<'a, str>, &'a RawValue>);

impl<'a> Answers<'a> {
    /// No answer to anything.
    pub(crate) const NONE: &'a Self = &Self(BTreeMap::new());

    /// Splits the object into its members; `None` when there is no `inputResponses`.
    ///
    /// # Errors
    /// When it is no object.
    pub(crate) fn parse(raw: Option<&'a RawValue>) -> Result<Self, Malformed> {
        let Some(raw) = raw else {
            return Ok(Self::default());
        };
        serde_json::from_str::<Members<'a>>(raw.get())
            .map(|members| Self(members.0))
            .map_err(|_| Malformed("inputResponses must be an object".to_owned()))
    }

    /// The string in `field` of the form that `key` asked for.
    ///
    /// # Errors
    /// When the answer is no elicitation result, or accepts without a string there.
    pub(crate) fn text(&self, key: &str, field: &str) -> Result<Answer<Cow<'a, str>>, Malformed> {
        self.field(key, field, "a string")
    }

    /// The boolean in `field` of the form that `key` asked for.
    ///
    /// # Errors
    /// When the answer is no elicitation result, or accepts without a boolean there.
    pub(crate) fn boolean(&self, key: &str, field: &str) -> Result<Answer<bool>, Malformed> {
        self.field(key, field, "a boolean")
    }

    /// The answer to this question, checked against all that it asked for.
    ///
    /// # Errors
    /// When it is no answer to a question of that kind, or does not fit.
    pub(crate) fn to(&self, question: &Question) -> Result<Answer<Given>, Malformed> {
        self.raw(&question.key)
            .map_or(Ok(Answer::Missing), |raw| given::read(raw, question))
    }

    /// The answer under this key, as it came.
    pub(super) fn raw(&self, key: &str) -> Option<&'a RawValue> {
        self.0.get(key).copied()
    }

    fn field<T: Field<'a>>(
        &self,
        key: &str,
        field: &str,
        kind: &str,
    ) -> Result<Answer<T>, Malformed> {
        let Some(raw) = self.raw(key) else {
            return Ok(Answer::Missing);
        };
        // An array could stand for the struct in serde's eyes, so the form is checked first.
        let envelope: Envelope<'a> = Some(raw.get())
            .filter(|text| text.starts_with('{'))
            .and_then(|text| serde_json::from_str(text).ok())
            .ok_or_else(|| {
                Malformed(format!(
                    "inputResponses.{key} must be {{\"action\": accept, decline or cancel, \
                     \"content\"?: object}}"
                ))
            })?;
        if envelope.action != Action::Accept {
            return Ok(Answer::Refused);
        }
        envelope
            .content
            .and_then(|content| serde_json::from_str::<Members<'a>>(content.get()).ok())
            .and_then(|content| content.0.get(field).copied())
            .and_then(T::read)
            .map(Answer::Given)
            .ok_or_else(|| {
                Malformed(format!(
                    "inputResponses.{key}.content.{field} must be {kind}"
                ))
            })
    }
}

/// A type that a form's field can have here.
trait Field<'a>: Sized {
    fn read(raw: &'a RawValue) -> Option<Self>;
}

impl Field<'_> for bool {
    fn read(raw: &RawValue) -> Option<Self> {
        serde_json::from_str(raw.get()).ok()
    }
}

impl<'a> Field<'a> for Cow<'a, str> {
    fn read(raw: &'a RawValue) -> Option<Self> {
        string(raw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrtr::testing::raw;

    #[test]
    fn the_envelope_is_opened_and_the_content_checked() {
        let raw = raw(
            r#"{"a":{"action":"accept","content":{"x":"v\u0041","y":true},"more":1},
                          "b":{"action":"decline"},"c":{"action":"cancel","content":null}}"#,
        );
        let answers = Answers::parse(Some(&raw)).unwrap();
        assert_eq!(answers.text("a", "x"), Ok(Answer::Given("vA".into())));
        assert_eq!(answers.boolean("a", "y"), Ok(Answer::Given(true)));
        assert_eq!(answers.text("b", "x"), Ok(Answer::Refused));
        assert_eq!(answers.text("c", "x"), Ok(Answer::Refused));
        assert_eq!(answers.text("d", "x"), Ok(Answer::Missing));
    }

    #[test]
    fn a_bare_content_object_or_another_shape_is_malformed() {
        for bad in [
            r#"{"x":"v"}"#,
            r#"{"action":"yes","content":{"x":"v"}}"#,
            r#"{"action":"Accept","content":{"x":"v"}}"#,
            r#"{"action":null}"#,
            r#"{"action":"accept"}"#,
            r#"{"action":"accept","content":null}"#,
            r#"{"action":"accept","content":"v"}"#,
            r#"{"action":"accept","content":["v"]}"#,
            r#"{"action":"accept","content":{}}"#,
            r#"{"action":"accept","content":{"x":null}}"#,
            r#"{"action":"accept","content":{"x":7}}"#,
            r#"["accept",{"x":"v"}]"#,
            "null",
            "12345",
            "\"accept\"",
        ] {
            let raw = raw(&format!(r#"{{"a":{bad}}}"#));
            let answers = Answers::parse(Some(&raw)).unwrap();
            assert!(answers.text("a", "x").is_err(), "{bad}");
        }
    }

    #[test]
    fn input_responses_that_are_no_object_are_malformed() {
        for bad in ["null", "[]", "7", "\"a\""] {
            assert!(Answers::parse(Some(&raw(bad))).is_err(), "{bad}");
        }
        assert!(Answers::parse(None).is_ok());
    }
}
