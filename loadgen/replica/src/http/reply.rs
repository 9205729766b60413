use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderName, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, StatusCode};
use loadgen_protocol::names::header;
use loadgen_protocol::{ErrorObject, Response};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::http::event_stream::{self, EventStream};
use crate::http::gate::ALLOWED;
use crate::http::reply_body::ReplyBody;
use crate::limit::signal::Body;
use crate::outcome::Outcome;
use crate::refusal::{Refusal, Wire};
use crate::timing::Spent;

const SERVER_TIMING: HeaderName = HeaderName::from_static(header::SERVER_TIMING);
/// Why writing a reply cannot fail.
const WRITES: &str = "strings and maps with string keys serialise";

const JSON: &str = "application/json";

/// A header field.
pub(crate) type Field = (HeaderName, HeaderValue);

/// A whole HTTP reply.
pub(crate) type Reply = http::Response<ReplyBody>;

/// The reply to a notification that was taken.
pub(crate) fn accepted() -> Reply {
    let mut reply = Reply::new(ReplyBody::empty());
    *reply.status_mut() = StatusCode::ACCEPTED;
    reply
}

/// The body of a reply with an outcome under the id it answers.
pub(crate) fn outcome(id: &RawValue, outcome: &Outcome<'_>) -> Vec<u8> {
    Response::write_result_with(id, |text| outcome.write(text)).expect(WRITES)
}

/// A reply with a result; its header fields find place in `room`, whatever that holds.
pub(crate) fn with_body(body: Vec<u8>, room: HeaderMap) -> Reply {
    let mut fields = room;
    fields.clear();
    fields.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    let mut reply = Reply::new(ReplyBody::whole(body.into()));
    *reply.headers_mut() = fields;
    reply
}

/// A result under the id it answers.
pub(crate) fn result(id: &RawValue, result: &impl Serialize) -> Reply {
    let body = Response::write_result(id, result).expect(WRITES);
    json(StatusCode::OK, body)
}

/// A refusal, under the id if one could be read.
pub(crate) fn refusal(id: Option<&RawValue>, refusal: &Refusal) -> Reply {
    let mut reply = match refusal.wire() {
        Wire::Rpc(error) => {
            let body = Response::write_error(id, &error).expect(WRITES);
            json(refusal.status(), body)
        }
        Wire::Text(text) => {
            let mut reply = Reply::new(ReplyBody::whole(Bytes::from_static(text.as_bytes())));
            *reply.status_mut() = refusal.status();
            insert(&mut reply, CONTENT_TYPE, "text/plain; charset=utf-8");
            reply
        }
        Wire::Limited(body) => limited(id, refusal.status(), body),
    };
    match refusal {
        Refusal::Limited(signalled) => add(&mut reply, &signalled.headers),
        Refusal::HttpMethod => insert(&mut reply, ALLOWED.0, ALLOWED.1),
        // Part of the body may still be on its way: nothing more can be read from this connection.
        Refusal::BodySize | Refusal::BodyBroken | Refusal::BodySlow => {
            insert(&mut reply, CONNECTION, "close");
        }
        _ => {
            if let Some(challenge) = refusal.challenge() {
                insert(&mut reply, WWW_AUTHENTICATE, &challenge);
            }
        }
    }
    reply
}

/// Says in a reply that is otherwise ready what the time was spent on.
pub(crate) fn say_timing(reply: &mut Reply, spent: &Spent) {
    let mut room = [0; Spent::FIELD_MAX];
    let mut rest = &mut room[..];
    spent
        .write(&mut rest)
        .expect("there is room for the longest");
    let length = Spent::FIELD_MAX - rest.len();
    let value =
        HeaderValue::from_bytes(&room[..length]).expect("digits and names are visible ASCII");
    reply.headers_mut().insert(SERVER_TIMING, value);
}

/// A JSON-RPC error with a status of its own.
pub(crate) fn error(status: StatusCode, id: Option<&RawValue>, error: &ErrorObject<'_>) -> Reply {
    json(status, Response::write_error(id, error).expect(WRITES))
}

/// A text that is no JSON-RPC.
pub(crate) fn text(status: StatusCode, kind: &str, text: String) -> Reply {
    let mut reply = Reply::new(ReplyBody::whole(text.into()));
    *reply.status_mut() = status;
    insert(&mut reply, CONTENT_TYPE, kind);
    reply
}

/// Adds these fields to the reply.
pub(crate) fn add(reply: &mut Reply, fields: &[Field]) {
    for (name, value) in fields {
        reply.headers_mut().insert(name, value.clone());
    }
}

/// A result that is there, as a stream of one event. Other replies stay as they are.
pub(crate) fn as_events(reply: Reply) -> Reply {
    let is_json = reply.headers().get(CONTENT_TYPE).is_some_and(|t| t == JSON);
    if reply.status() != StatusCode::OK || !is_json {
        return reply;
    }
    let (head, body) = reply.into_parts();
    let body = match body.into_bytes() {
        Ok(message) => ReplyBody::whole(event_stream::event(&message)),
        Err(streaming) => streaming,
    };
    let mut reply = Reply::from_parts(head, body);
    mark_as_events(&mut reply);
    reply
}

/// A reply that streams.
pub(crate) fn streaming(events: EventStream) -> Reply {
    let mut reply = Reply::new(ReplyBody::events(events));
    mark_as_events(&mut reply);
    reply
}

/// The last message of a stream: the body of what would have been the reply.
pub(crate) fn message(reply: Reply) -> Bytes {
    reply.into_body().into_bytes().unwrap_or_default()
}

/// Proxies must not hold events back, and nobody may keep them.
fn mark_as_events(reply: &mut Reply) {
    insert(reply, CONTENT_TYPE, "text/event-stream");
    insert(reply, CACHE_CONTROL, "no-cache");
    insert(reply, HeaderName::from_static("x-accel-buffering"), "no");
}

/// What the limiter says to a request.
fn limited(id: Option<&RawValue>, status: StatusCode, body: &Body) -> Reply {
    match (body, id) {
        (Body::Rpc(error), id) => self::error(status, id, error),
        (Body::Result(result), Some(id)) => {
            json(status, Response::write_result(id, result).expect(WRITES))
        }
        (Body::Result(_), None) => unreachable!("only requests, which have ids, are limited"),
        (Body::Other(media_type, text), _) => self::text(status, media_type, text.clone()),
    }
}

fn json(status: StatusCode, body: Vec<u8>) -> Reply {
    let mut reply = Reply::new(ReplyBody::whole(body.into()));
    *reply.status_mut() = status;
    let kind = HeaderValue::from_static(JSON);
    reply.headers_mut().insert(CONTENT_TYPE, kind);
    reply
}

fn insert(reply: &mut Reply, name: HeaderName, value: &str) {
    let value = HeaderValue::from_str(value).expect("every value here is visible ASCII");
    reply.headers_mut().insert(name, value);
}
