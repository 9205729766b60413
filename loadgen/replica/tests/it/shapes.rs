//! What each message of a server must look like, as types written by hand from the revision's
//! pages. Branches on `resultType` first, then reads the one type that is left. Required members
//! must be there and of their type; members that no type knows are let through, as the revision
//! demands, except inside a form's schema, whose members it counts up.

mod blocks;
mod broken;
mod forms;
mod listings;
mod notifications;
mod questions;
mod results;
mod typed;
mod unique;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::client::Reply;
use typed::{Id, shape, typed};

pub(crate) use notifications::notification;

/// The one value that `jsonrpc` has.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Version {
    #[serde(rename = "2.0")]
    Two,
}

shape! {
    /// A reply that has a result.
    Answered { jsonrpc: Version, id: Id, result: Value, }
}

shape! {
    /// A reply that has an error. Without a readable id it has none, and not null either.
    Refused { jsonrpc: Version, error: ErrorObject, } may { id: Id, }
}

shape! {
    ErrorObject { code: i64, message: String, } may { data: Value, }
}

shape! {
    LackingData { required_capabilities: Map<String, Value>, }
}

shape! {
    VersionData { supported: Vec<String>, requested: String, }
}

/// Checks the message that answers a request. The method is `None` when the request was not
/// readable.
pub(crate) fn check(method: Option<&str>, reply: &Reply, message: &Value) {
    assert!(
        message.get("method").is_none(),
        "a server asks nothing of its own: {message}"
    );
    typed::no_nulls(message);
    match (message.get("result"), message.get("error")) {
        (Some(_), None) => {
            assert_eq!(reply.status, 200);
            let answered: Answered = typed(message);
            let method = method.expect("a result answers a readable request");
            results::result(method, &answered.result);
            // Written before the work began where something came before the result.
            if let Some(timing) = reply.header("server-timing") {
                assert!(timing.contains("handle;dur="), "{timing}");
            } else {
                assert_eq!(reply.header("content-type"), Some("text/event-stream"));
            }
        }
        (None, Some(_)) => error(reply, &typed::<Refused>(message).error),
        _ => panic!("neither result nor error: {message}"),
    }
}

/// Checks, in the bytes, that no member comes twice (a parser would drop one of the two) and that
/// the id is the request's, where that has one.
pub(crate) fn same_id(request: &[u8], reply: &[u8]) {
    #[derive(Deserialize)]
    struct Message<'a> {
        #[serde(borrow)]
        id: Option<&'a RawValue>,
    }
    unique::members(reply);
    let asked = serde_json::from_slice::<Message<'_>>(request)
        .ok()
        .and_then(|message| message.id)
        .map(RawValue::get)
        .filter(|id| id.starts_with('"') || id.parse::<f64>().is_ok() && !id.contains(['.', 'e']));
    let Message { id } = serde_json::from_slice(reply).unwrap();
    assert_eq!(id.map(RawValue::get), asked);
}

fn error(reply: &Reply, error: &ErrorObject) {
    assert_ne!(reply.status, 200);
    assert!(!error.message.is_empty());
    let data = || error.data.as_ref().expect("data");
    match error.code {
        -32700 | -32600 | -32601 | -32602 | -32603 | -32020 => {}
        -32021 => {
            let required = typed::<LackingData>(data()).required_capabilities;
            assert!(!required.is_empty());
        }
        -32022 => {
            let VersionData {
                supported,
                requested,
            } = typed(data());
            assert!(!supported.is_empty() && !supported.contains(&requested));
        }
        other => panic!("an error of code {other}"),
    }
}
