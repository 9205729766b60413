use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::refusal::Refusal;

/// A JSON-RPC message that a client may send. Everything borrows from the body.
#[derive(Debug)]
pub(crate) enum Message<'a> {
    /// Nothing is answered.
    Notification,
    /// To be answered under its id.
    Request(Request<'a>),
}

/// A JSON-RPC request.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    /// The id in its own bytes, a string or an integer of any length.
    pub(crate) id: &'a RawValue,
    pub(crate) method: Cow<'a, str>,
    pub(crate) params: Option<&'a RawValue>,
}

/// A message that is refused, with the id to answer under when it could be read.
#[derive(Debug)]
pub(crate) struct Unusable<'a> {
    pub(crate) id: Option<&'a RawValue>,
    pub(crate) refusal: Refusal,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
}

impl<'a> Message<'a> {
    /// Reads one message.
    ///
    /// # Errors
    /// -32700 when the body is no JSON text in UTF-8; -32600 when it is JSON and no single request
    /// or notification: a batch, a response, a null or fractional id, a member given twice.
    pub(crate) fn parse(body: &'a [u8]) -> Result<Self, Unusable<'a>> {
        let refuse = |id, refusal| Err(Unusable { id, refusal });
        let Ok(text) = std::str::from_utf8(body) else {
            return refuse(None, Refusal::Parse);
        };
        let envelope: Envelope<'a> = match object(text) {
            Ok(envelope) => envelope,
            // Serde stops at the first thing it cannot use; whether the rest is JSON decides.
            Err(()) if serde_json::from_str::<IgnoredAny>(text).is_err() => {
                return refuse(None, Refusal::Parse);
            }
            Err(()) => return refuse(None, Refusal::Request("Send one JSON-RPC object")),
        };
        let id = match envelope.id {
            Some(id) if !is_id(id.get()) => {
                return refuse(
                    None,
                    Refusal::Request("The id must be a string or an integer"),
                );
            }
            id => id,
        };
        if envelope.jsonrpc.and_then(string).as_deref() != Some("2.0") {
            return refuse(id, Refusal::Request("jsonrpc must be \"2.0\""));
        }
        let Some(method) = envelope.method.and_then(string) else {
            return refuse(id, Refusal::Request("The method must be a string"));
        };
        Ok(match id {
            None => Self::Notification,
            Some(id) => Self::Request(Request {
                id,
                method,
                params: envelope.params,
            }),
        })
    }
}

/// Reads a struct from a JSON object and from nothing else: serde alone would take an array too.
pub(crate) fn object<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, ()> {
    if !text.trim_start().starts_with('{') {
        return Err(());
    }
    serde_json::from_str(text).map_err(|_| ())
}

/// The value of a JSON string; `None` for any other value.
pub(crate) fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
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

/// Whether valid JSON is a string or is written as an integer.
pub(crate) fn is_id(json: &str) -> bool {
    let digits = json.strip_prefix('-').unwrap_or(json);
    json.starts_with('"') || digits.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(body: &str) -> Refusal {
        Message::parse(body.as_bytes()).unwrap_err().refusal
    }

    #[test]
    fn ids_keep_their_bytes() {
        for id in [
            "1",
            "-7",
            "9007199254740993",
            "18446744073709551616",
            r#""1""#,
            r#""\u0041""#,
        ] {
            let body = format!(r#"{{"id":{id},"jsonrpc":"2.0","method":"x","more":[1]}}"#);
            match Message::parse(body.as_bytes()) {
                Ok(Message::Request(request)) => assert_eq!(request.id.get(), id),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn ids_of_other_types_are_refused_without_an_id() {
        for id in ["null", "1.5", "1e3", "1.0", "true", "[]", "{}"] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"x"}}"#);
            let unusable = Message::parse(body.as_bytes()).unwrap_err();
            assert!(matches!(unusable.refusal, Refusal::Request(_)), "{id}");
            assert!(unusable.id.is_none(), "{id}");
        }
    }

    #[test]
    fn what_is_not_json_is_told_from_what_is_no_request() {
        for body in ["", "{", "nonsense", "[1,", r#"{"id":1}}"#, r#"{"a":01}"#] {
            assert_eq!(refusal(body), Refusal::Parse, "{body}");
        }
        assert_eq!(
            Message::parse(b"{\"a\":\"\xff\"}").unwrap_err().refusal,
            Refusal::Parse
        );
        for body in [
            "[]",
            "7",
            r#"["2.0",1,"tools/list",{}]"#,
            r#"[{"jsonrpc":"2.0","id":1,"method":"x"}]"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":null}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"x"}"#,
            r#"{"id":1,"method":"x"}"#,
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"x"}"#,
        ] {
            assert!(matches!(refusal(body), Refusal::Request(_)), "{body}");
        }
    }

    #[test]
    fn a_readable_id_is_kept_with_the_refusal() {
        let unusable = Message::parse(br#"{"jsonrpc":"1.0","id":"k","method":"x"}"#).unwrap_err();
        assert_eq!(unusable.id.map(RawValue::get), Some("\"k\""));
    }

    #[test]
    fn a_message_without_an_id_is_a_notification() {
        let body = br#" {"jsonrpc":"2.0","method":"notifications/cancelled"}"#;
        assert!(matches!(Message::parse(body), Ok(Message::Notification)));
    }
}
