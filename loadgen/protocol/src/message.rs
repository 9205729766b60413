//! A message as a server reads it: strictly, and without copying.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use MessageFault::NotRequest;

use crate::params::{Params, ParamsFault};
use crate::raw_json::{is_id, object, present, text, text_of};
use crate::scan::{Scan, once};

/// A JSON-RPC message that a client may send. Everything borrows from the body.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every message is a request, and a box would cost each an allocation"
)]
pub enum Message<'a> {
    /// Nothing is answered.
    Notification,
    /// To be answered under its id.
    Request(Request<'a>),
}

/// A JSON-RPC request.
#[derive(Debug)]
pub struct Request<'a> {
    /// The id in its own bytes, a string or an integer of any length.
    pub id: &'a RawValue,
    /// The method.
    pub method: Cow<'a, str>,
    /// The parameters, or what is wrong with them.
    pub params: Result<Params<'a>, ParamsFault>,
}

/// A message that no server can use, with the id to answer under when it could be read.
#[derive(Debug)]
pub struct Unusable<'a> {
    /// The id in its own bytes.
    pub id: Option<&'a RawValue>,
    /// What is wrong.
    pub fault: MessageFault,
}

/// What keeps bytes from being a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MessageFault {
    /// No JSON text in UTF-8 ([`crate::ErrorCode::PARSE`]).
    #[error("The body is not JSON")]
    NotJson,
    /// JSON, and no single request or notification ([`crate::ErrorCode::INVALID_REQUEST`]); says
    /// which rule is broken.
    #[error("{0}")]
    NotRequest(&'static str),
}

/// The members of a message as they stand in the text; `P` is how far `params` are read.
#[derive(Deserialize)]
#[serde(bound(deserialize = "P: Deserialize<'de>"))]
struct Envelope<'a, P> {
    #[serde(borrow, default, deserialize_with = "text_of")]
    jsonrpc: Option<&'a str>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "text_of")]
    method: Option<&'a str>,
    #[serde(default, deserialize_with = "present")]
    params: Option<P>,
}

impl<'a> Envelope<'a, Params<'a>> {
    /// Reads a message of the usual form, `params` and their `_meta` too; else `None`.
    fn scan(text: &'a str) -> Option<Self> {
        let (mut jsonrpc, mut id, mut method, mut params) = (None, None, None, None);
        Scan::object(text, |scan, key| match key {
            "jsonrpc" => once(&mut jsonrpc, scan.value()?),
            "id" => once(&mut id, scan.raw()?),
            "method" => once(&mut method, scan.value()?),
            "params" => once(&mut params, Params::scan(scan)?),
            _ => scan.value().map(drop),
        })?;
        Some(Self {
            jsonrpc,
            id,
            method,
            params,
        })
    }
}

impl<'a> Message<'a> {
    /// Reads one message.
    ///
    /// # Errors
    /// When the body is no JSON text in UTF-8, or is JSON and no single request or notification: a
    /// batch, a response, a null or fractional id, a member given twice.
    pub fn parse(body: &'a [u8]) -> Result<Self, Unusable<'a>> {
        let Ok(text) = std::str::from_utf8(body) else {
            return unusable(None, MessageFault::NotJson);
        };
        // Most messages have the form that they should, and are looked at once.
        match Envelope::scan(text) {
            Some(envelope) => Self::of(envelope, |params| Ok(params.unwrap_or_default())),
            None => Self::parse_by_layers(text),
        }
    }

    /// Reads what [`Self::parse`] cannot read at once: each layer for itself, so that the fault is
    /// the one of the outermost layer that has any.
    fn parse_by_layers(text: &'a str) -> Result<Self, Unusable<'a>> {
        match object(text) {
            Ok(envelope) => Self::of(envelope, Params::parse),
            // Serde stops at the first thing it cannot use; whether the rest is JSON decides.
            Err(_) if serde_json::from_str::<IgnoredAny>(text).is_err() => {
                unusable(None, MessageFault::NotJson)
            }
            Err(_) => unusable(None, NotRequest("Send one JSON-RPC object")),
        }
    }

    fn of<P>(
        envelope: Envelope<'a, P>,
        params: impl FnOnce(Option<P>) -> Result<Params<'a>, ParamsFault>,
    ) -> Result<Self, Unusable<'a>> {
        let id = match envelope.id {
            Some(id) if !is_id(id.get()) => {
                return unusable(None, NotRequest("The id must be a string or an integer"));
            }
            id => id,
        };
        if envelope.jsonrpc.and_then(text).as_deref() != Some("2.0") {
            return unusable(id, NotRequest("jsonrpc must be \"2.0\""));
        }
        let Some(method) = envelope.method.and_then(text) else {
            return unusable(id, NotRequest("The method must be a string"));
        };
        Ok(match id {
            None => Self::Notification,
            Some(id) => Self::Request(Request {
                id,
                method,
                params: params(envelope.params),
            }),
        })
    }
}

fn unusable<'a>(
    id: Option<&'a RawValue>,
    fault: MessageFault,
) -> Result<Message<'a>, Unusable<'a>> {
    Err(Unusable { id, fault })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fault(body: &str) -> MessageFault {
        Message::parse(body.as_bytes()).unwrap_err().fault
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
            assert!(matches!(unusable.fault, NotRequest(_)), "{id}");
            assert!(unusable.id.is_none(), "{id}");
        }
    }

    #[test]
    fn what_is_not_json_is_told_from_what_is_no_request() {
        for body in ["", "{", "nonsense", "[1,", r#"{"id":1}}"#, r#"{"a":01}"#] {
            assert_eq!(fault(body), MessageFault::NotJson, "{body}");
        }
        assert_eq!(
            Message::parse(b"{\"a\":\"\xff\"}").unwrap_err().fault,
            MessageFault::NotJson
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
            assert!(matches!(fault(body), NotRequest(_)), "{body}");
        }
    }

    #[test]
    fn a_readable_id_is_kept_with_the_fault() {
        let unusable = Message::parse(br#"{"jsonrpc":"1.0","id":"k","method":"x"}"#).unwrap_err();
        assert_eq!(unusable.id.map(RawValue::get), Some("\"k\""));
    }

    /// What a server would see of a message.
    fn seen(read: &Result<Message<'_>, Unusable<'_>>) -> String {
        match read {
            Ok(Message::Request(request)) => {
                let meta = request.params.as_ref().map(Params::meta);
                format!("{request:?} {meta:?}")
            }
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn one_look_and_a_look_at_each_layer_see_the_same() {
        let metas = [
            r#"{"io.modelcontextprotocol/protocolVersion":"x","io.modelcontextprotocol/clientCapabilities":{},"z":1}"#,
            r#"{"progressToken":1,"progressToken":2,"io.modelcontextprotocol/protocolVersion":"x"}"#,
            r#"{"io.modelcontextprotocol/logLevel":"info"}"#,
            r#"["x",{},1,"info"]"#,
            "{}",
            "null",
            "7",
        ];
        let mut all = vec![
            r#""params":null,"#.to_owned(),
            r#""params":["x"],"#.to_owned(),
            r#""params":{"name":"a","name":"b"},"#.to_owned(),
            r#""params":{"_meta":{},"_meta":{}},"#.to_owned(),
            r#""params":{"name":null,"arguments":[1]},"#.to_owned(),
            String::new(),
        ];
        all.extend(metas.map(|meta| format!(r#""params":{{"name":"n","_meta":{meta}}},"#)));
        for params in all {
            for head in [
                r#""jsonrpc":"2.0","id":1,"method":"m""#,
                r#""jsonrpc":"2.0","method":"m""#,
                r#""jsonrpc":"2","id":1,"method":"m""#,
                r#""jsonrpc":"2.0","id":null,"method":"m""#,
                r#""jsonrpc":"2.0","id":1,"method":7"#,
            ] {
                let text = format!(" {{{params}{head}}}");
                let at_once = Message::parse(text.as_bytes());
                let by_layers = Message::parse_by_layers(&text);
                assert_eq!(seen(&at_once), seen(&by_layers), "{text}");
            }
        }
    }

    /// A message with every member that is known here.
    const WHOLE: &str = r#"{"jsonrpc":"2.0","id":-17,"method":"tools/call","params":{"name":"n","uri":"u",
        "cursor":"c","ref":{"type":"ref/prompt"},"argument":[1.5e3,true,null],"arguments":{"a":"b\u00e9\n"},
        "inputResponses":{"k":{"action":"accept"}},"notifications":{},"requestState":"long enough for eight",
        "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","progressToken":"t","z":[[{}]],
        "io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},
        "io.modelcontextprotocol/logLevel":"info"},"more":0},"more":[-0.1]}"#;

    #[test]
    fn a_usual_message_is_looked_at_once() {
        assert!(Envelope::scan(WHOLE).is_some());
    }

    proptest! {
        /// Bytes of JSON put anywhere in a message, in place of what was there.
        #[test]
        fn what_one_look_takes_is_what_a_look_at_each_layer_sees(
            changes in prop::collection::vec(
                (0..WHOLE.len(), 0..4_usize, r#"[\[\]{}:,"\\\-+.0-9eEu tfn\x00-\x1f\x7fé]{0,3}"#),
                0..4,
            ),
            cut in prop_oneof![3 => Just(0), 1 => 0..WHOLE.len()],
        ) {
            let mut text = WHOLE.to_owned();
            for (at, length, with) in changes {
                let end = (at + length).min(text.len());
                if text.is_char_boundary(at.min(end)) && text.is_char_boundary(end) {
                    text.replace_range(at.min(end)..end, &with);
                }
            }
            let kept = text.len().saturating_sub(cut);
            if text.is_char_boundary(kept) {
                text.truncate(kept);
            }
            let at_once = Message::parse(text.as_bytes());
            prop_assert_eq!(seen(&at_once), seen(&Message::parse_by_layers(&text)), "{}", text);
        }
    }

    #[test]
    fn a_message_without_an_id_is_a_notification() {
        let body = br#" {"jsonrpc":"2.0","method":"notifications/cancelled"}"#;
        assert!(matches!(Message::parse(body), Ok(Message::Notification)));
    }
}
