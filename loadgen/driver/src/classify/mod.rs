//! What a reply means: the JSON-RPC body first, the HTTP status second.

mod content;
mod error;
mod fault;
mod meaning;
mod page;
mod reply;
mod result;
mod words;

use loadgen_measure::Outcome;
use serde_json::value::RawValue;

use self::error::read_error;
use self::meaning::{protocol, throttled_or};
use self::page::without_body;
use self::result::read_result;
use crate::throttle::Said;

pub(crate) use content::lacks;
pub(crate) use meaning::Meaning;
pub(crate) use reply::{Fields, Reply};
pub(crate) use words::{beginning, clip, header_hint};

/// Reads the reply to the request with this id. `sent_state`: whether that request carried a state,
/// without which nothing can be a refused one. `result_text`: texts that mark a success as a refusal
/// by a rate limit.
pub(crate) fn classify(
    reply: &Reply,
    id: &str,
    sent_state: bool,
    result_text: &[String],
) -> Meaning {
    let response = match fault::response(reply) {
        Ok(response) => response,
        Err(why) => return without_body(reply, &why),
    };
    if let Some(error) = &response.error {
        return read_error(reply, error, sent_state);
    }
    match response.id {
        Some(echoed) if echoed.get() == id => {}
        other => {
            let got = clip(other.map_or("none", RawValue::get));
            // Without the request's own id, so that the same fault is the same sentence.
            return protocol(format!("the reply's id is {got}, not the request's"));
        }
    }
    if reply.status != 200 {
        let why = format!("a result with HTTP status {}", reply.status);
        return throttled_or(reply, Said::nothing(), why, Outcome::ProtocolError);
    }
    match response.result {
        Some(result) => read_result(reply, result, response.into_head(), sent_state, result_text),
        None => protocol("neither result nor error".to_owned()),
    }
}

#[cfg(test)]
mod tests;
