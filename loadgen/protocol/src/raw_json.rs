//! JSON text that is read in part: what was not asked for keeps its own bytes.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// Text that is not a JSON object, or not the one asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an object of the members that are known here, each once and of its type")]
pub struct NotAnObject;

/// Reads a struct from a JSON object and from nothing else: serde alone would take an array too.
///
/// # Errors
/// When the text is no object, or the struct's members do not fit.
pub fn object<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, NotAnObject> {
    if !text.trim_start().starts_with('{') {
        return Err(NotAnObject);
    }
    serde_json::from_str(text).map_err(|_| NotAnObject)
}

/// The value of a JSON string, borrowed where it has no escapes; `None` for any other value.
#[must_use]
pub fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

    serde_json::from_str::<Text<'_>>(raw.get())
        .ok()
        .map(|text| text.0)
}

/// Keeps `null` apart from absence, which `Option` alone does not.
pub(crate) fn present<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(from).map(Some)
}

/// Whether valid JSON is a string or is written as an integer: what ids and progress tokens are.
pub(crate) fn is_id(json: &str) -> bool {
    let digits = json.strip_prefix('-').unwrap_or(json);
    json.starts_with('"') || digits.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_object_becomes_a_struct() {
        #[derive(Debug, PartialEq, Deserialize)]
        struct One {
            a: u8,
        }
        assert_eq!(object(" {\"a\":1,\"b\":2}"), Ok(One { a: 1 }));
        for bad in ["[1]", "null", "{}", "{\"a\":1,\"a\":1}", "{\"a\":1}}"] {
            assert_eq!(object::<One>(bad), Err(NotAnObject), "{bad}");
        }
    }

    #[test]
    fn strings_are_borrowed_unless_they_hold_escapes() {
        let raw = |json: &str| RawValue::from_string(json.to_owned()).unwrap();
        assert!(matches!(
            string(&raw("\"plain\"")),
            Some(Cow::Borrowed("plain"))
        ));
        assert_eq!(string(&raw(r#""\u0041""#)).as_deref(), Some("A"));
        assert_eq!(string(&raw("7")), None);
        assert_eq!(string(&raw("null")), None);
    }
}
