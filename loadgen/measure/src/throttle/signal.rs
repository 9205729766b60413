use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a target says that a limit is reached, in the order in which a client looks.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ThrottleSignal {
    /// `Retry-After` in seconds (RFC 9110, 10.2.3).
    RetryAfterSeconds,
    /// `Retry-After` as a date.
    RetryAfterDate,
    /// `RateLimit` with nothing left (draft-ietf-httpapi-ratelimit-headers, RFC 9651).
    RateLimit,
    /// `RateLimit-Reset` of the drafts before it.
    RateLimitReset,
    /// `X-RateLimit-Reset`.
    XRateLimitReset,
    /// A JSON-RPC error.
    JsonRpcError,
    /// A tool result with `isError` and `structuredContent.error.type` of `rate_limited`.
    IsErrorStructured,
    /// A tool result with `isError` whose text says so.
    IsErrorText,
    /// A problem document (RFC 9457) of a type about quotas.
    Problem,
    /// HTTP 429 with a page, another body or none.
    HttpStatus,
    /// A tool result with `type: "error"` and no `isError`.
    ResultTypeError,
    /// A success whose text is one that the scenario names.
    ResultText,
}

/// Whether a client on an official SDK could have seen a refusal for what it was.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SdkView {
    /// It stands in a body with HTTP status 200, which every SDK hands on.
    Seen,
    /// It stands in the body of a reply with another status. The Go SDK drops such bodies unread
    /// and the TypeScript SDK makes a general failure of them.
    InPart,
    /// It stands in the HTTP status, header fields or a page. No official SDK reads `Retry-After`
    /// or `RateLimit` fields: its user sees a failed request.
    Hidden,
    /// It passes for a success.
    AsSuccess,
}

impl ThrottleSignal {
    /// Every signal, in the order of [`ThrottleSignal::index`].
    pub const ALL: [Self; 12] = [
        Self::RetryAfterSeconds,
        Self::RetryAfterDate,
        Self::RateLimit,
        Self::RateLimitReset,
        Self::XRateLimitReset,
        Self::JsonRpcError,
        Self::IsErrorStructured,
        Self::IsErrorText,
        Self::Problem,
        Self::HttpStatus,
        Self::ResultTypeError,
        Self::ResultText,
    ];

    /// Position in [`ThrottleSignal::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for ThrottleSignal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::RetryAfterSeconds => "Retry-After in seconds",
            Self::RetryAfterDate => "Retry-After as a date",
            Self::RateLimit => "a RateLimit field",
            Self::RateLimitReset => "RateLimit-Reset",
            Self::XRateLimitReset => "X-RateLimit-Reset",
            Self::JsonRpcError => "a JSON-RPC error",
            Self::IsErrorStructured => "a tool error of the type rate_limited",
            Self::IsErrorText => "the text of a tool error",
            Self::Problem => "a problem document",
            Self::HttpStatus => "HTTP status 429 alone",
            Self::ResultTypeError => "a result of the type error",
            Self::ResultText => "the text of a success",
        })
    }
}

impl SdkView {
    /// Every view, in the order of [`SdkView::index`].
    pub const ALL: [Self; 4] = [Self::Seen, Self::InPart, Self::Hidden, Self::AsSuccess];

    /// Position in [`SdkView::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for SdkView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Seen => "an SDK client sees it",
            Self::InPart => "SDK clients see it in part: the Go and TypeScript SDKs lose it",
            Self::Hidden => "an SDK client sees a failed request and no wait",
            Self::AsSuccess => "an SDK client takes it for a success",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_the_lists() {
        for (position, signal) in ThrottleSignal::ALL.into_iter().enumerate() {
            assert_eq!(signal.index(), position);
        }
        for (position, view) in SdkView::ALL.into_iter().enumerate() {
            assert_eq!(view.index(), position);
        }
    }
}
