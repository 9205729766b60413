use std::str::FromStr;

use loadgen_protocol::{ErrorCode, ErrorObject};
use serde_json::{Map, Value, json};

use super::{Body, seconds};
use crate::limit::Allowance;

/// What a refusal's body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A JSON-RPC error with the wait in its data.
    Rpc {
        code: i64,
        wait: Option<WaitMember>,
    },
    IsError,
    IsErrorText,
    ResultText,
    ResultError,
    Problem,
    Text,
    Html,
}

/// Under which name the `data` of a JSON-RPC error tells how long to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitMember {
    /// `retryAfter`, in seconds.
    RetryAfter,
    /// `retryAfterMs`, in milliseconds.
    RetryAfterMs,
    /// `retryAfterSeconds`.
    RetryAfterSeconds,
    /// `retry_after`, in seconds.
    RetryAfterSnake,
    /// `retry_after_seconds`.
    RetryAfterSecondsSnake,
    /// `reset_in`, in seconds.
    ResetIn,
    /// `reset_in`, in seconds, inside `details`.
    DetailsResetIn,
}

impl Form {
    /// JSON-RPC codes that belong to an application lie outside -32768..-32000, as this one does.
    pub(super) const RPC: Self = Self::Rpc {
        code: 429,
        wait: Some(WaitMember::RetryAfterSeconds),
    };

    /// Whether it is the `result` of a JSON-RPC response.
    pub(super) const fn is_result(self) -> bool {
        matches!(
            self,
            Self::IsError | Self::IsErrorText | Self::ResultText | Self::ResultError
        )
    }

    pub(super) fn body(self, left: &Allowance, policy: &str, is_tool: bool) -> Body {
        let form = if self.is_result() && !is_tool {
            Self::RPC
        } else {
            self
        };
        let wait_s = seconds(left.next);
        let text = format!("Rate limit exceeded. Try again in {wait_s} s.");
        match form {
            Self::Rpc { code, wait } => {
                let error = ErrorObject::new(ErrorCode(code), text);
                Body::Rpc(match wait {
                    Some(member) => error.with_data(member.data(left)),
                    None => error,
                })
            }
            Self::IsError => {
                let error = json!({
                    "type": "rate_limited",
                    "retry_after_seconds": wait_s,
                    "limit": left.limit,
                });
                let structured = json!({ "error": error });
                tool(
                    &text,
                    [("isError", true.into()), ("structuredContent", structured)],
                )
            }
            Self::IsErrorText => tool(&text, [("isError", true.into())]),
            Self::ResultText => tool(&text, []),
            Self::ResultError => {
                let error = json!({ "type": "rate_limited", "retry_after_seconds": wait_s });
                tool(&text, [("type", "error".into()), ("error", error)])
            }
            Self::Problem => {
                let problem = json!({
                    "type": "https://iana.org/assignments/http-problem-types#quota-exceeded",
                    "title": "Request cannot be satisfied as assigned quota has been exceeded",
                    "detail": text,
                    "violated-policies": [policy],
                });
                Body::Other("application/problem+json", problem.to_string())
            }
            Self::Text => Body::Other("text/plain; charset=utf-8", format!("{text}\n")),
            Self::Html => Body::Other(
                "text/html; charset=utf-8",
                format!(
                    "<!doctype html>\n<title>Too Many Requests</title>\n\
                     <h1>Too Many Requests</h1>\n<p>{text}</p>\n"
                ),
            ),
        }
    }
}

fn tool<const N: usize>(text: &str, more: [(&str, Value); N]) -> Body {
    let mut result = Map::new();
    result.insert("resultType".into(), "complete".into());
    result.insert("content".into(), json!([{ "type": "text", "text": text }]));
    result.extend(more.map(|(name, value)| (name.to_owned(), value)));
    Body::Result(result)
}

impl WaitMember {
    fn data(self, left: &Allowance) -> Value {
        let wait_s = seconds(left.next);
        match self {
            Self::RetryAfter => json!({ "retryAfter": wait_s }),
            Self::RetryAfterMs => json!({ "retryAfterMs": millis(left.next) }),
            Self::RetryAfterSeconds => json!({ "retryAfterSeconds": wait_s }),
            Self::RetryAfterSnake => json!({ "retry_after": wait_s }),
            Self::RetryAfterSecondsSnake => json!({ "retry_after_seconds": wait_s }),
            Self::ResetIn => json!({ "reset_in": wait_s }),
            Self::DetailsResetIn => {
                json!({ "details": { "remaining": left.remaining, "reset_in": wait_s } })
            }
        }
    }
}

/// Whole milliseconds, rounded up.
fn millis(wait: std::time::Duration) -> u64 {
    u64::try_from(wait.as_nanos().div_ceil(1_000_000)).expect("a wait is at most 30 days")
}

impl FromStr for WaitMember {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Ok(match name {
            "retryAfter" => Self::RetryAfter,
            "retryAfterMs" => Self::RetryAfterMs,
            "retryAfterSeconds" => Self::RetryAfterSeconds,
            "retry_after" => Self::RetryAfterSnake,
            "retry_after_seconds" => Self::RetryAfterSecondsSnake,
            "reset_in" => Self::ResetIn,
            "details.reset_in" => Self::DetailsResetIn,
            _ => return Err(()),
        })
    }
}
