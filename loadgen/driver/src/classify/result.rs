use loadgen_measure::Outcome;
use loadgen_protocol::{Entries, ResultHead, ResultType};
use serde_json::Value;
use serde_json::value::RawValue;

use super::error::says_state_rejected;
use super::meaning::{Meaning, failed, protocol, throttled_or};
use super::reply::Reply;
use super::words::clip;
use crate::throttle::{Notice, Said};

/// What a result means, whose head has been read.
pub(super) fn read_result(
    reply: &Reply,
    result: &RawValue,
    head: Result<ResultHead<'_>, serde_json::Error>,
    sent_state: bool,
    result_text: &[String],
) -> Meaning {
    // serde would take the members of an array for those of an object.
    if !result.get().starts_with('{') {
        return protocol("the result is not an object".to_owned());
    }
    let head = match head {
        Ok(head) => head,
        Err(e) => return protocol(format!("unreadable result: {e}")),
    };
    match head.kind() {
        ResultType::Complete if head.is_error == Some(true) => {
            tool_error(reply, result, sent_state)
        }
        ResultType::Complete if head.is_of_type_error() => typed_error(reply, result),
        ResultType::Complete if !result_text.is_empty() => {
            success_or_refusal(reply, head.content, result_text)
        }
        ResultType::Complete => Meaning::Complete,
        ResultType::Unknown(kind) => protocol(format!("unknown resultType `{}`", clip(&kind))),
        ResultType::InputRequired => {
            let state = head.request_state.map(ToOwned::to_owned);
            if state.as_ref().is_some_and(|s| !s.get().starts_with('"')) {
                return protocol("requestState is not a string".to_owned());
            }
            let Some(questions) = head.input_requests else {
                return match state {
                    Some(_) => Meaning::Ask {
                        questions: Entries::default(),
                        state,
                    },
                    None => protocol(
                        "input_required with neither inputRequests nor requestState".to_owned(),
                    ),
                };
            };
            Meaning::Ask { questions, state }
        }
    }
}

/// A result with `isError`: some SDKs wrap refused states and rate limits into one.
fn tool_error(reply: &Reply, result: &RawValue, sent_state: bool) -> Meaning {
    let value: Value = serde_json::from_str(result.get()).unwrap_or(Value::Null);
    let text = texts(&value["content"]);
    let why = format!("isError: {}", clip(&text));
    if sent_state && says_state_rejected(&text) {
        return failed(Outcome::StateRejected, why);
    }
    let said = Said::by_tool_error(&value, &text);
    throttled_or(reply, said, why, Outcome::ToolError)
}

/// A result with `type: "error"`: where that is a rate limit it is no success.
fn typed_error(reply: &Reply, result: &RawValue) -> Meaning {
    let value: Value = serde_json::from_str(result.get()).unwrap_or(Value::Null);
    let said = Said::by_result_type(&value);
    match Notice::read(reply.status, &reply.fields.map(), said) {
        Some(notice) => Meaning::Throttled {
            notice,
            why: format!(
                "a result of the type error: {}",
                clip(&texts(&value["content"]))
            ),
        },
        None => Meaning::Complete,
    }
}

/// A success, unless its text is one that the scenario takes for a refusal.
fn success_or_refusal(
    reply: &Reply,
    content: Option<&RawValue>,
    result_text: &[String],
) -> Meaning {
    let content = content.and_then(|content| serde_json::from_str(content.get()).ok());
    let text = texts(&content.unwrap_or(Value::Null));
    if result_text.iter().any(|sign| text.contains(sign.as_str()))
        && let Some(notice) =
            Notice::read(reply.status, &reply.fields.map(), Said::by_result_text())
    {
        let why = format!("a success that says: {}", clip(&text));
        return Meaning::Throttled { notice, why };
    }
    Meaning::Complete
}

/// The texts of content blocks.
fn texts(content: &Value) -> String {
    let blocks = content.as_array().into_iter().flatten();
    blocks
        .filter_map(|block| block["text"].as_str())
        .collect::<Vec<_>>()
        .join(" ")
}
