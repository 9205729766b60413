use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

/// A struct of required members and, behind `may`, optional ones, named as on the wire.
macro_rules! shape {
    ($(#[$meta:meta])* $name:ident
        { $($field:ident: $kind:ty,)* } $(may { $($option:ident: $value:ty,)* })?) => {
        #[derive(Debug, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        $(#[$meta])*
        pub(crate) struct $name {
            $(pub(crate) $field: $kind,)*
            $($(
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub(crate) $option: Option<$value>,
            )*)?
        }
    };
}
pub(crate) use shape;

/// What requests and streams are told apart by. Numbers may be longer than any type here.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Id {
    Text(String),
    Number(Number),
}

/// `{}`, or an object of which nothing is known.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Anything {}

/// Bytes as text: base64 with padding (RFC 4648, section 4), by the one spelling they have.
#[derive(Debug, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Base64(String);

impl TryFrom<String> for Base64 {
    type Error = base64::DecodeError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD.decode(&text)?;
        Ok(Self(text))
    }
}

/// Reads a type, and looks whether all that was read is what was sent.
pub(crate) fn typed<T: DeserializeOwned + Serialize>(value: &Value) -> T {
    let read: T = serde_json::from_value(value.clone()).unwrap_or_else(|e| panic!("{e}: {value}"));
    let written = serde_json::to_value(&read).unwrap();
    assert!(holds(value, &written), "{written} was read from {value}");
    read
}

fn holds(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => part
            .iter()
            .all(|(key, part)| whole.get(key).is_some_and(|whole| holds(whole, part))),
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len() && whole.iter().zip(part).all(|(w, p)| holds(w, p))
        }
        _ => whole == part,
    }
}

/// A member that is absent is left out, never null; only a tool's own value may hold anything.
pub(crate) fn no_nulls(value: &Value) {
    match value {
        Value::Null => panic!("a null"),
        Value::Object(members) => members
            .iter()
            .filter(|(key, _)| *key != "structuredContent")
            .for_each(|(_, value)| no_nulls(value)),
        Value::Array(elements) => elements.iter().for_each(no_nulls),
        _ => {}
    }
}
