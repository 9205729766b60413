//! The JSON-RPC envelope, read without copying what has to travel on unchanged.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{ClientCapabilities, Entries, ErrorObject};

/// A request or, without an id, a notification.
#[derive(Debug, Deserialize)]
pub struct Request<'a> {
    /// Must be `2.0`.
    #[serde(borrow, default)]
    pub jsonrpc: Cow<'a, str>,
    /// The id as written, so that numbers of any size are echoed byte for byte. Absent: a notification.
    #[serde(borrow, default, deserialize_with = "present")]
    pub id: Option<&'a RawValue>,
    /// The method; absent in a (misdirected) response.
    #[serde(borrow, default)]
    pub method: Option<Cow<'a, str>>,
    /// The parameters as written.
    #[serde(borrow, default)]
    pub params: Option<&'a RawValue>,
}

/// The members of `params` over all methods that a server here implements. Absent members are `None`.
#[derive(Debug, Default, Deserialize)]
pub struct Params<'a> {
    /// Request metadata.
    #[serde(borrow, default, rename = "_meta")]
    pub meta: Option<Meta<'a>>,
    /// Tool or prompt name.
    #[serde(borrow, default)]
    pub name: Option<Cow<'a, str>>,
    /// Resource address.
    #[serde(borrow, default)]
    pub uri: Option<Cow<'a, str>>,
    /// Arguments as written.
    #[serde(borrow, default)]
    pub arguments: Option<&'a RawValue>,
    /// The newest round's answers, by the key that asked.
    #[serde(borrow, default, rename = "inputResponses")]
    pub input_responses: Option<Entries<&'a RawValue>>,
    /// The state of the newest round. An empty string is present and has to be verified.
    #[serde(borrow, default, rename = "requestState")]
    pub request_state: Option<Cow<'a, str>>,
    /// Page mark of a list; an empty string is a real cursor.
    #[serde(borrow, default)]
    pub cursor: Option<Cow<'a, str>>,
}

/// `params._meta` of a request.
#[derive(Debug, Default, Deserialize)]
pub struct Meta<'a> {
    /// Required.
    #[serde(borrow, default, rename = "io.modelcontextprotocol/protocolVersion")]
    pub protocol_version: Option<Cow<'a, str>>,
    /// Required; `{}` is legal.
    #[serde(default, rename = "io.modelcontextprotocol/clientCapabilities")]
    pub client_capabilities: Option<ClientCapabilities>,
    /// A string or an integer; as written.
    #[serde(borrow, default, rename = "progressToken")]
    pub progress_token: Option<&'a RawValue>,
}

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
}

impl<'a> Response<'a> {
    /// Bytes of a successful response, the id echoed as written.
    ///
    /// # Errors
    /// Only when `result` cannot be written as JSON.
    pub fn write_result<T: Serialize>(
        id: &RawValue,
        result: &T,
    ) -> Result<Vec<u8>, serde_json::Error> {
        #[derive(Serialize)]
        struct Out<'o, T> {
            jsonrpc: &'static str,
            id: &'o RawValue,
            result: &'o T,
        }
        serde_json::to_vec(&Out {
            jsonrpc: "2.0",
            id,
            result,
        })
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

/// Keeps `null` apart from absence: an id of `null` is present, and wrong.
fn present<'de: 'a, 'a, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'a RawValue>, D::Error> {
    <&'a RawValue>::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_back_byte_for_byte() {
        for id in ["9007199254740993", "18446744073709551616", r#""1""#, "1"] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            let request: Request<'_> = serde_json::from_str(&text).unwrap();
            let reply = Response::write_result(request.id.unwrap(), &1).unwrap();
            assert_eq!(
                String::from_utf8(reply).unwrap(),
                format!(r#"{{"jsonrpc":"2.0","id":{id},"result":1}}"#)
            );
        }
    }

    #[test]
    fn a_null_id_is_not_an_absent_one() {
        let null: Request<'_> = serde_json::from_str(r#"{"id":null}"#).unwrap();
        assert_eq!(null.id.map(RawValue::get), Some("null"));
        let absent: Request<'_> = serde_json::from_str("{}").unwrap();
        assert!(absent.id.is_none());
    }
}
