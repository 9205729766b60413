use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_TYPE, HeaderName};
use http::{HeaderValue, Response, StatusCode};
use http_body_util::Full;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::http::gate::ALLOWED;
use crate::refusal::{Refusal, RpcError, Wire};
use crate::timing::Timing;

const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// A whole HTTP reply.
pub(crate) type Reply = Response<Full<Bytes>>;

/// The reply to a notification that was taken.
pub(crate) fn accepted() -> Reply {
    let mut reply = Response::new(Full::default());
    *reply.status_mut() = StatusCode::ACCEPTED;
    reply
}

/// A result under the id it answers.
pub(crate) fn result(id: &RawValue, result: &impl Serialize, timing: Timing) -> Reply {
    #[derive(Serialize)]
    struct Success<'a, R> {
        jsonrpc: &'static str,
        id: &'a RawValue,
        result: &'a R,
    }

    let body = to_json(&Success {
        jsonrpc: "2.0",
        id,
        result,
    });
    let mut reply = json(StatusCode::OK, body);
    insert(&mut reply, SERVER_TIMING, &timing.finish().to_string());
    reply
}

/// A refusal, under the id if one could be read; timed once the body had been read.
pub(crate) fn refusal(id: Option<&RawValue>, refusal: &Refusal, timing: Option<Timing>) -> Reply {
    #[derive(Serialize)]
    struct Failure<'a> {
        jsonrpc: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a RawValue>,
        error: &'a RpcError,
    }

    let mut reply = match refusal.wire() {
        Wire::Rpc(error) => {
            let body = to_json(&Failure {
                jsonrpc: "2.0",
                id,
                error: &error,
            });
            json(refusal.status(), body)
        }
        Wire::Text(text) => {
            let mut reply = Response::new(Full::from(Bytes::from_static(text.as_bytes())));
            *reply.status_mut() = refusal.status();
            insert(&mut reply, CONTENT_TYPE, "text/plain; charset=utf-8");
            reply
        }
    };
    match refusal {
        Refusal::HttpMethod => insert(&mut reply, ALLOWED.0, ALLOWED.1),
        // Part of the body may still be on its way: nothing more can be read from this connection.
        Refusal::BodySize | Refusal::BodyBroken => insert(&mut reply, CONNECTION, "close"),
        _ => {}
    }
    if let Some(timing) = timing {
        insert(&mut reply, SERVER_TIMING, &timing.finish().to_string());
    }
    reply
}

fn json(status: StatusCode, body: Vec<u8>) -> Reply {
    let mut reply = Response::new(Full::from(Bytes::from(body)));
    *reply.status_mut() = status;
    insert(&mut reply, CONTENT_TYPE, "application/json");
    reply
}

fn insert(reply: &mut Reply, name: HeaderName, value: &str) {
    let value = HeaderValue::from_str(value).expect("every value here is visible ASCII");
    reply.headers_mut().insert(name, value);
}

fn to_json(message: &impl Serialize) -> Vec<u8> {
    let mut body = Vec::with_capacity(512);
    serde_json::to_writer(&mut body, message).expect("strings and maps with string keys serialise");
    body
}
