//! The JSON-RPC envelope of replies, read without copying what has to travel on unchanged.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::scan::{Scan, once};
use crate::{ErrorObject, ResultHead};

/// Room for the usual response, in bytes.
const USUAL_BYTES: usize = 1000;

/// A response: `result` or `error`.
#[derive(Debug, Deserialize)]
pub struct Response<'a> {
    /// The id as written; absent or `null` when the server could not read the request's.
    #[serde(borrow, default)]
    pub id: Option<&'a RawValue>,
    /// The result as written; read it with [`crate::ResultHead`].
    #[serde(borrow, default)]
    pub result: Option<&'a RawValue>,
    /// The error.
    #[serde(borrow, default)]
    pub error: Option<ErrorObject<'a>>,
    /// Present in a message that is no response: a notification or a (forbidden) server request.
    #[serde(borrow, default)]
    pub method: Option<Cow<'a, str>>,
    /// The head of the result, where one look has read both.
    #[serde(skip)]
    head: Option<ResultHead<'a>>,
}

impl<'a> Response<'a> {
    /// Reads one response: a usual success in one look, any other by serde.
    ///
    /// # Errors
    /// Those of serde_json. An array is taken for the members in their order, as serde does.
    pub fn parse(body: &'a [u8]) -> Result<Self, serde_json::Error> {
        match std::str::from_utf8(body).ok().and_then(Self::scan) {
            Some(response) => Ok(response),
            None => serde_json::from_slice(body),
        }
    }

    /// What the result says of itself.
    ///
    /// # Errors
    /// When the result is missing, or its members are not of their types.
    pub fn into_head(self) -> Result<ResultHead<'a>, serde_json::Error> {
        match self.head {
            Some(head) => Ok(head),
            None => serde_json::from_str(self.result.map_or("", RawValue::get)),
        }
    }

    /// Reads a success of the usual form, with the head of its result; else `None`.
    fn scan(text: &'a str) -> Option<Self> {
        let (mut id, mut result, mut head) = (None, None, None);
        Scan::object(text, |scan, key| match key {
            "id" => once(&mut id, scan.given()?),
            "result" => {
                let (raw, read) = scan.spanned(ResultHead::scan)?;
                head = Some(read);
                once(&mut result, raw)
            }
            // What is seldom there is read where all of it is understood.
            "error" | "method" => None,
            _ => scan.value().map(drop),
        })?;
        Some(Self {
            id,
            result,
            error: None,
            method: None,
            head,
        })
    }

    /// Bytes of a successful response, the id echoed as written.
    ///
    /// # Errors
    /// Only when `result` cannot be written as JSON.
    pub fn write_result<T: Serialize>(
        id: &RawValue,
        result: &T,
    ) -> Result<Vec<u8>, serde_json::Error> {
        Self::write_result_with(id, |text| serde_json::to_writer(text, result))
    }

    /// [`Self::write_result`] for a result that has a quicker way to write itself as JSON.
    ///
    /// # Errors
    /// Those of `write`.
    pub fn write_result_with<E>(
        id: &RawValue,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<Vec<u8>, E> {
        let mut text = Vec::with_capacity(USUAL_BYTES);
        text.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        text.extend_from_slice(id.get().as_bytes());
        text.extend_from_slice(br#","result":"#);
        write(&mut text)?;
        text.push(b'}');
        Ok(text)
    }

    /// Bytes of an error response; without an id when the request's could not be read.
    ///
    /// # Errors
    /// Only when the error's data cannot be written as JSON.
    pub fn write_error(
        id: Option<&RawValue>,
        error: &ErrorObject<'_>,
    ) -> Result<Vec<u8>, serde_json::Error> {
        #[derive(Serialize)]
        struct Out<'o> {
            jsonrpc: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            id: Option<&'o RawValue>,
            error: &'o ErrorObject<'o>,
        }
        serde_json::to_vec(&Out {
            jsonrpc: "2.0",
            id,
            error,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a client would see of a response; `None` where it is none.
    fn seen(read: Result<Response<'_>, serde_json::Error>) -> Option<String> {
        let response = read.ok()?;
        let members = format!(
            "{:?} {:?} {:?} {:?}",
            response.id, response.result, response.error, response.method
        );
        Some(format!("{members} {:?}", response.into_head().ok()))
    }

    #[track_caller]
    fn is_the_same(text: &str) {
        let scanned = Response::scan(text).and_then(|response| seen(Ok(response)));
        if scanned.is_some() {
            assert_eq!(scanned, seen(serde_json::from_str(text)), "{text}");
        }
    }

    /// A response with every member that is looked at.
    const WHOLE: &str = r#" {"jsonrpc":"2.0","id":"17.0","result":{"resultType":"input_required",
        "isError":false,"requestState":"a longer state\u00e9\\","type":"x","content":[{"type":"text",
        "text":"long enough for a look at many bytes at one time, and for a few bytes more"}],
        "inputRequests":{"k":{"method":"elicitation/create","params":{"message":"m","requestedSchema":
        {"type":"object","properties":{"n":{"type":"integer"}}}}},"r":{"method":"roots/list"}},
        "_meta":{"z":[-1.5e3,null,{}]}},"more":[true]}
"#;

    #[test]
    fn usual_successes_are_looked_at_once() {
        let complete =
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"resultType":"complete"}}"#;
        for text in [WHOLE, complete, r#"{"result":{},"id":"k"}"#, "{}"] {
            assert!(Response::scan(text).is_some(), "{text}");
            is_the_same(text);
        }
    }

    #[test]
    fn what_is_unusual_is_left_to_serde() {
        for text in [
            r#"{"id":null,"result":{}}"#,
            r#"{"id":1,"id":1,"result":{}}"#,
            r#"{"id":1,"result":{},"result":{}}"#,
            r#"{"id":1,"result":[]}"#,
            r#"{"id":1,"result":null}"#,
            r#"{"id":1,"error":{"code":1,"message":"m"}}"#,
            r#"{"id":1,"method":"m"}"#,
            r#"{"\u0069d":1,"result":{}}"#,
            r#"{"id":1,"result":{"resultType":7}}"#,
            r#"{"id":1,"result":{"resultType":"compl\u0065te"}}"#,
            r#"{"id":1,"result":{"resultType":"a","resultType":"a"}}"#,
            r#"{"id":1,"result":{"isError":null}}"#,
            r#"{"id":1,"result":{"isError":"true"}}"#,
            r#"{"id":1,"result":{"requestState":null}}"#,
            r#"{"id":1,"result":{"inputRequests":{"k":{"method":"no/such"}}}}"#,
            r#"{"id":1,"result":{"inputRequests":{"k":{"method":"roots/list"},"k":{"method":"roots/list"}}}}"#,
            r#"["x"]"#,
            r#"{"id":1,"result":{}} x"#,
        ] {
            assert!(Response::scan(text).is_none(), "{text}");
            assert_eq!(
                seen(Response::parse(text.as_bytes())),
                seen(serde_json::from_slice(text.as_bytes())),
                "{text}"
            );
        }
        // Strings that are passed over may hold what is no UTF-8.
        assert!(Response::parse(b"{\"jsonrpc\":\"\xff\",\"result\":{}}").is_ok());
        assert!(Response::parse(b"{\"id\":\"\xff\",\"result\":{}}").is_err());
    }

    proptest! {
        /// Bytes of JSON put anywhere in a response, in place of what was there.
        #[test]
        fn what_one_look_takes_is_what_serde_sees(
            changes in prop::collection::vec(
                (0..WHOLE.len(), 0..4_usize, r#"[\[\]{}:,"\\\-+.0-9eEu tfn\x00-\x1f\x7fé]{0,3}"#),
                0..4,
            ),
            twice in prop::option::of((0..WHOLE.len(), 0..80_usize)),
            cut in prop_oneof![3 => Just(0), 1 => 0..WHOLE.len()],
        ) {
            let mut text = WHOLE.to_owned();
            for (at, length, with) in changes {
                let end = (at + length).min(text.len());
                if text.is_char_boundary(at.min(end)) && text.is_char_boundary(end) {
                    text.replace_range(at.min(end)..end, &with);
                }
            }
            // A stretch of it once more: members given twice.
            if let Some((at, length)) = twice {
                let end = (at + length).min(text.len());
                if let Some(stretch) = text.get(at..end).map(str::to_owned) {
                    text.insert_str(at, &stretch);
                }
            }
            let kept = text.len().saturating_sub(cut);
            if text.is_char_boundary(kept) {
                text.truncate(kept);
            }
            is_the_same(&text);
        }
    }

    #[test]
    fn ids_come_back_byte_for_byte() {
        for id in ["9007199254740993", "18446744073709551616", r#""1""#, "1"] {
            let raw = RawValue::from_string(id.to_owned()).unwrap();
            let reply = Response::write_result(&raw, &1).unwrap();
            assert_eq!(
                String::from_utf8(reply).unwrap(),
                format!(r#"{{"jsonrpc":"2.0","id":{id},"result":1}}"#)
            );
        }
    }
}
