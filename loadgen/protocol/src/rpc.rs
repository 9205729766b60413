//! The JSON-RPC envelope of replies, read without copying what has to travel on unchanged.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::ErrorObject;

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
    use super::*;

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
