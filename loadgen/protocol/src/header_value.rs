//! Header values for `Mcp-Name` and `Mcp-Param-*`: plain where they can be, otherwise the
//! `=?base64?…?=` sentinel around the standard base64 of the UTF-8 text (transport page of the
//! revision, SEP-2243).

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";

/// Why a header value could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HeaderValueError {
    /// Bytes outside visible ASCII, space and tab; such a value has to be sent as the sentinel.
    #[error("raw bytes outside visible ASCII; send the value as =?base64?…?=")]
    UnsafeBytes,
    /// The text between the sentinel marks is not canonical standard base64.
    #[error("the =?base64?…?= value is not standard base64")]
    NotBase64,
    /// The decoded bytes are not UTF-8.
    #[error("the =?base64?…?= value does not decode to UTF-8")]
    NotUtf8,
}

/// Spells `value` for a header: unchanged when it is safe, as the sentinel when it holds anything
/// but visible ASCII, space and tab, has white space at an edge, or itself looks like the sentinel.
#[must_use]
pub fn encode(value: &str) -> Cow<'_, str> {
    let plain = value.bytes().all(is_plain);
    let edges = value.starts_with([' ', '\t']) || value.ends_with([' ', '\t']);
    if plain && !edges && !looks_like_sentinel(value) {
        return Cow::Borrowed(value);
    }
    Cow::Owned(format!("{PREFIX}{}{SUFFIX}", STANDARD.encode(value)))
}

/// Recovers the text from a header value; the inverse of [`encode`].
///
/// # Errors
/// [`HeaderValueError`] says which rule the value breaks.
pub fn decode(value: &[u8]) -> Result<Cow<'_, str>, HeaderValueError> {
    if !value.iter().copied().all(is_plain) {
        return Err(HeaderValueError::UnsafeBytes);
    }
    let text = std::str::from_utf8(value).map_err(|_| HeaderValueError::UnsafeBytes)?;
    let Some(inner) = text
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_suffix(SUFFIX))
    else {
        return Ok(Cow::Borrowed(text));
    };
    let bytes = STANDARD
        .decode(inner)
        .map_err(|_| HeaderValueError::NotBase64)?;
    String::from_utf8(bytes)
        .map(Cow::Owned)
        .map_err(|_| HeaderValueError::NotUtf8)
}

fn is_plain(byte: u8) -> bool {
    matches!(byte, b'\t' | b' '..=b'~')
}

fn looks_like_sentinel(value: &str) -> bool {
    value.starts_with(PREFIX) && value.ends_with(SUFFIX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_names_travel_as_the_sentinel_and_come_back() {
        for name in [
            "café",
            "世界",
            " lead",
            "trail ",
            "a\nb",
            "=?base64?eA==?=",
            "\u{7f}",
        ] {
            let sent = encode(name);
            assert!(sent.starts_with(PREFIX), "{name:?} was sent as {sent:?}");
            assert_eq!(decode(sent.as_bytes()).as_deref(), Ok(name));
        }
    }

    #[test]
    fn safe_names_stay_as_they_are() {
        for name in ["book_berth", "a b\tc", "memo://today", "", "=?base64?"] {
            assert_eq!(encode(name), name);
            assert_eq!(decode(name.as_bytes()).as_deref(), Ok(name));
        }
    }

    #[test]
    fn the_wire_example_spelling_is_ours() {
        assert_eq!(encode("marée"), "=?base64?bWFyw6ll?=");
    }

    #[test]
    fn raw_utf8_and_broken_sentinels_are_refused() {
        assert_eq!(
            decode("café".as_bytes()),
            Err(HeaderValueError::UnsafeBytes)
        );
        assert_eq!(decode(b"=?base64?e?="), Err(HeaderValueError::NotBase64));
        assert_eq!(decode(b"=?base64?eB==?="), Err(HeaderValueError::NotBase64));
        assert_eq!(decode(b"=?base64?/w==?="), Err(HeaderValueError::NotUtf8));
    }
}
