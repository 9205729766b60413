//! JSON-RPC errors.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Error codes of JSON-RPC 2.0 and of this revision. Any other number is legal on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ErrorCode(pub i64);

impl ErrorCode {
    /// The body is not JSON; HTTP 400.
    pub const PARSE: Self = Self(-32700);
    /// Not a JSON-RPC request (batch, posted response, null id); HTTP 400.
    pub const INVALID_REQUEST: Self = Self(-32600);
    /// Unknown method or a capability that is not offered; HTTP 404.
    pub const METHOD_NOT_FOUND: Self = Self(-32601);
    /// Bad parameters; by convention also a refused `requestState`.
    pub const INVALID_PARAMS: Self = Self(-32602);
    /// The server failed.
    pub const INTERNAL: Self = Self(-32603);
    /// A required MCP header is missing, malformed or differs from the body; HTTP 400.
    pub const HEADER_MISMATCH: Self = Self(-32020);
    /// The client did not declare a capability that the request needs; HTTP 400.
    pub const MISSING_CAPABILITY: Self = Self(-32021);
    /// The revision is not implemented; HTTP 400.
    pub const UNSUPPORTED_VERSION: Self = Self(-32022);

    /// The HTTP status that this revision gives to the error; `None` where it gives none, or
    /// one only in some cases.
    #[must_use]
    pub fn http_status(self) -> Option<u16> {
        match self {
            Self::HEADER_MISMATCH | Self::MISSING_CAPABILITY | Self::UNSUPPORTED_VERSION => {
                Some(400)
            }
            Self::METHOD_NOT_FOUND => Some(404),
            _ => None,
        }
    }
}

/// The `error` member of a response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorObject<'a> {
    /// Which error.
    pub code: ErrorCode,
    /// One sentence for people; empty when the peer left it out.
    #[serde(borrow, default)]
    pub message: Cow<'a, str>,
    /// Details, by code; absent when there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl<'a> ErrorObject<'a> {
    /// An error without details.
    pub fn new(code: ErrorCode, message: impl Into<Cow<'a, str>>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// The same error with details.
    #[must_use]
    pub fn with_data(self, data: Value) -> Self {
        Self {
            data: Some(data),
            ..self
        }
    }
}
