use loadgen_measure::Outcome;
use loadgen_protocol::{ErrorCode, ErrorObject, STATE_REJECTED_REASON};
use serde_json::Value;

use super::meaning::{Meaning, failed, throttled_or};
use super::reply::Reply;
use super::words::{clip, header_hint};
use crate::throttle::Said;

/// What a JSON-RPC error means.
pub(super) fn read_error(reply: &Reply, error: &ErrorObject<'_>, sent_state: bool) -> Meaning {
    let why = describe(reply, error);
    let reason = error
        .data
        .as_ref()
        .map_or(&Value::Null, |data| &data["reason"]);
    let invalid = error.code == ErrorCode::INVALID_PARAMS;
    if sent_state
        && (reason == STATE_REJECTED_REASON || (invalid && says_state_rejected(&error.message)))
    {
        return failed(Outcome::StateRejected, why);
    }
    throttled_or(reply, Said::by_error(error), why, Outcome::ProtocolError)
}

/// Whether words mean that the state was refused.
pub(super) fn says_state_rejected(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.contains("requeststate") && (text.contains("invalid") || text.contains("expired"))
}

fn describe(reply: &Reply, error: &ErrorObject<'_>) -> String {
    format!(
        "HTTP {}, error {}: {}{}",
        reply.status,
        error.code.0,
        clip(&error.message),
        header_hint(reply.status)
    )
}
