//! JSON text that is read in part: what was not asked for keeps its own bytes.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// Text that is not a JSON object, or not the one asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an object of the members that are known here, each once and of its type")]
pub struct NotAnObject;

/// A struct that is read from a JSON object and from nothing else: serde alone would take an array
/// too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Object<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(members))
            }
        }

        from.deserialize_map(Members(PhantomData)).map(Self)
    }
}

/// Reads a struct from a JSON object and from nothing else.
///
/// # Errors
/// When the text is no object, or the struct's members do not fit.
pub fn object<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, NotAnObject> {
    serde_json::from_str::<Object<T>>(text)
        .map(|object| object.0)
        .map_err(|_| NotAnObject)
}

/// The value of a JSON string, borrowed where it has no escapes; `None` for any other value.
#[must_use]
pub fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
    text(raw.get())
}

/// [`string`] of text that is known to be one JSON value.
pub(crate) fn text(json: &str) -> Option<Cow<'_, str>> {
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    // What has no escapes stands for itself.
    if inner.as_bytes().contains(&b'\\') {
        return serde_json::from_str(json).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(inner))
}

/// Keeps `null` apart from absence, which `Option` alone does not.
pub(crate) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// [`present`], and the text alone.
pub(crate) fn text_of<'de, D: Deserializer<'de>>(from: D) -> Result<Option<&'de str>, D::Error> {
    <&RawValue>::deserialize(from).map(|raw| Some(raw.get()))
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
        assert_eq!(string(&raw(r#""a\"""#)).as_deref(), Some("a\""));
        assert_eq!(string(&raw(r#""\ud800""#)), None, "half a surrogate pair");
        assert_eq!(string(&raw("7")), None);
        assert_eq!(string(&raw("null")), None);
    }
}
