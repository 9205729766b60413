//! The values that single faults have.

use std::num::NonZeroU32;

use http::StatusCode;
use serde::Deserialize;

use crate::faults::millis::Millis;

/// How an injected error looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub(crate) enum ErrorKind {
    /// A line of text with status 500.
    #[default]
    #[serde(rename = "http-500")]
    Http500,
    /// A line of text with status 503.
    #[serde(rename = "http-503")]
    Http503,
    /// JSON-RPC -32603 with status 500, as this replica's own internal errors.
    #[serde(rename = "rpc-500")]
    Rpc500,
    /// JSON-RPC -32603 with status 200.
    #[serde(rename = "rpc-200")]
    Rpc200,
}

/// How a refused state is told instead of -32602 with status 400.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StateRefusal {
    /// The same error with status 200.
    #[serde(rename = "http-200")]
    Http200,
    /// A tool result with `isError` and the message as text; methods without such results: as
    /// `http-200`.
    ToolError,
}

/// What becomes of connections beyond the accept limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Over {
    #[default]
    Wait,
    Close,
}

/// Reply bodies in pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Drip {
    /// Bytes of a piece.
    pub(crate) bytes: NonZeroU32,
    /// Pause before each piece.
    pub(crate) every_ms: Millis,
}

/// An HTTP status of a final reply that has a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u16")]
pub(crate) struct Status(StatusCode);

/// A text that is not empty.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Text(String);

/// Bytes leaked by each request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "usize")]
pub(crate) struct Leak(usize);

impl Status {
    pub(crate) const fn get(self) -> StatusCode {
        self.0
    }
}

impl TryFrom<u16> for Status {
    type Error = &'static str;

    fn try_from(status: u16) -> Result<Self, Self::Error> {
        StatusCode::from_u16(status)
            .ok()
            // The three without a body.
            .filter(|_| (200..600).contains(&status) && ![204, 205, 304].contains(&status))
            .map(Self)
            .ok_or("a status must be from 200 to 599 and allow a body")
    }
}

impl Text {
    pub(crate) fn get(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Text {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.is_empty() {
            Err("the text must not be empty")
        } else {
            Ok(Self(text))
        }
    }
}

impl Leak {
    /// The most that one request may leak, in bytes.
    const MAX: usize = 16 << 20;

    pub(crate) const fn get(self) -> usize {
        self.0
    }
}

impl TryFrom<usize> for Leak {
    type Error = String;

    fn try_from(bytes: usize) -> Result<Self, String> {
        if (1..=Self::MAX).contains(&bytes) {
            Ok(Self(bytes))
        } else {
            Err(format!("bytes must be from 1 to {}", Self::MAX))
        }
    }
}
