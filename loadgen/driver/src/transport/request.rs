use std::borrow::Cow;

use hyper::HeaderMap;
use hyper::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName, HeaderValue};

/// The headers that requests of a kind have in common.
#[derive(Debug)]
pub(crate) struct RequestHeaders {
    /// `Host` and `Content-Length` are there, and yet to be set.
    pub(super) map: HeaderMap,
    /// The lines of the others, as HTTP/1.1 writes them.
    pub(super) lines: Vec<u8>,
}

impl RequestHeaders {
    /// The headers of a JSON-RPC request with these further ones; names and values must be legal.
    pub(crate) fn new(given: &[(Cow<'static, str>, String)]) -> Self {
        let mut map = HeaderMap::new();
        // Both are set for each request. A copy that had to grow for them would be copied again.
        for unset in [HOST, CONTENT_LENGTH] {
            map.insert(unset, HeaderValue::from_static("-"));
        }
        map.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        map.insert(
            ACCEPT,
            HeaderValue::from_static("application/json, text/event-stream"),
        );
        for (name, value) in given {
            let value = HeaderValue::from_str(value)
                .expect("header values are encoded to visible ASCII before they come here");
            let name = HeaderName::from_bytes(name.as_bytes())
                .expect("header names are checked before they come here");
            map.insert(name, value);
        }
        let mut lines = Vec::new();
        for (name, value) in map.iter().skip(2) {
            line(&mut lines, name, value);
        }
        Self { map, lines }
    }
}

/// Writes a header field as hyper does.
pub(super) fn line(text: &mut Vec<u8>, name: &HeaderName, value: &HeaderValue) {
    text.extend_from_slice(name.as_str().as_bytes());
    text.extend_from_slice(b": ");
    text.extend_from_slice(value.as_bytes());
    text.extend_from_slice(b"\r\n");
}

/// Writes a number in decimal digits.
pub(super) fn digits(text: &mut Vec<u8>, mut number: usize) {
    let start = text.len();
    loop {
        text.push(b'0' + (number % 10) as u8);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text[start..].reverse();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_are_those_of_the_map() {
        let given = [
            ("Mcp-Name".into(), "n".to_owned()),
            ("accept".into(), "x".to_owned()),
        ];
        let headers = RequestHeaders::new(&given);
        let text = String::from_utf8(headers.lines).unwrap();
        assert_eq!(
            text,
            "content-type: application/json\r\naccept: x\r\nmcp-name: n\r\n"
        );
        assert_eq!(headers.map.len(), 5);
    }

    #[test]
    fn numbers_have_their_digits() {
        for number in [0, 7, 10, 337, 65_536, usize::MAX] {
            let mut text = b"a".to_vec();
            digits(&mut text, number);
            assert_eq!(String::from_utf8(text).unwrap(), format!("a{number}"));
        }
    }
}
