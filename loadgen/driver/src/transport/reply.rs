use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use h2::RecvStream;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use hyper::http::response::Parts;
use loadgen_protocol::names::header::{SERVER_TIMING, SESSION_ID};
use loadgen_protocol::{Response as RpcResponse, SseParser};
use memchr::memmem;
use tokio::time::{Instant, timeout};

use super::Failure;
use super::timing::server_timing;
use crate::classify::Reply;

/// Largest reply body that is read.
const MAX_BODY_BYTES: usize = 64 << 20;
/// How long an event stream may go on after the reply before its connection is given up, at first.
const LONGEST_TAIL: Duration = Duration::from_millis(500);
/// The same for a replica whose streams never end.
const SHORTEST_TAIL: Duration = Duration::from_millis(1);

/// The body of a reply, in either version of HTTP.
#[derive(Debug)]
pub(super) enum Body {
    Http1(Incoming),
    Http2(RecvStream),
}

/// A reply that was read.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) reply: Reply,
    /// When it was whole.
    pub(super) done: Instant,
    /// The rest of an event stream that goes on after it.
    pub(super) rest: Option<Body>,
}

/// Reads the reply to the request with this id.
pub(super) async fn read(head: Parts, mut body: Body, id: &str) -> Result<Read, Failure> {
    let mut reply = begin(head);
    let stream = reply.media_type == "text/event-stream";
    let mut parser = SseParser::new();
    let mut events = Vec::new();
    while let Some(data) = body.next().await? {
        reply.body_bytes += data.len() as u64;
        if !stream {
            reply.body.extend_from_slice(&data);
        } else {
            parser.push(&data, &mut events);
            for event in events.drain(..) {
                if answers(&event.data, id) {
                    reply.body = event.data;
                    return Ok(Read {
                        reply,
                        done: Instant::now(),
                        rest: Some(body),
                    });
                }
                reply.body.extend_from_slice(&event.data);
                reply.body.push(b'\n');
            }
        }
        if reply.body.len() + parser.pending_bytes() > MAX_BODY_BYTES {
            return Err(Failure::connection(&format!(
                "the reply is larger than {} MiB",
                MAX_BODY_BYTES >> 20
            )));
        }
    }
    Ok(Read {
        reply,
        done: Instant::now(),
        rest: None,
    })
}

/// Whether a reply is to another request of ours than that with this id: then what comes next over the
/// connection is not to the next request either. Nothing is parsed where the id stands in the reply.
pub(super) fn is_foreign(reply: &Reply, id: &str) -> bool {
    if memmem::find(&reply.body, id.as_bytes()).is_some() {
        return false;
    }
    let parsed = RpcResponse::parse(&reply.body);
    let echoed = parsed.ok().and_then(|response| response.id);
    echoed.is_some_and(|echoed| is_ours(echoed.get()))
}

/// Whether an id is of the form of ours: whole numbers with points between them, as text.
fn is_ours(id: &str) -> bool {
    let inside = id.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    inside.is_some_and(|id| id.contains('.') && id.split('.').all(is_number))
}

/// What the head says, found in one pass: a look-up by name costs more than a comparison.
pub(super) fn begin(head: Parts) -> Reply {
    let mut reply = Reply {
        status: head.status.as_u16(),
        ..Reply::default()
    };
    for (name, value) in &head.headers {
        note(&mut reply, name.as_str(), value.as_bytes());
    }
    reply.fields = head.headers.into();
    reply
}

/// Takes what a header field says that is looked at in every reply.
pub(super) fn note(reply: &mut Reply, name: &str, value: &[u8]) {
    if name.eq_ignore_ascii_case(CONTENT_TYPE.as_str()) {
        if reply.media_type.is_empty() {
            reply.media_type = media_type(value);
        }
    } else if name.eq_ignore_ascii_case(SESSION_ID) {
        reply.session = true;
    } else if name.eq_ignore_ascii_case(SERVER_TIMING) {
        server_timing(text(value), &mut reply.server);
    }
}

/// The text of a field's value; empty when it holds anything but visible ASCII and white space.
fn text(value: &[u8]) -> &str {
    let is_text = value.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\t'));
    let text = std::str::from_utf8(value).ok().filter(|_| is_text);
    text.unwrap_or_default()
}

/// The type without its parameters, in lower case; nothing is copied of the usual one.
fn media_type(value: &[u8]) -> Cow<'static, str> {
    if value == b"application/json" {
        return Cow::Borrowed("application/json");
    }
    let kind = text(value).split(';').next().unwrap_or_default();
    Cow::Owned(kind.trim().to_ascii_lowercase())
}

impl Body {
    async fn next(&mut self) -> Result<Option<Bytes>, Failure> {
        match self {
            Self::Http1(body) => loop {
                match body.frame().await {
                    None => return Ok(None),
                    Some(Ok(frame)) => {
                        if let Ok(data) = frame.into_data() {
                            return Ok(Some(data));
                        }
                    }
                    Some(Err(e)) => return Err(broke(&e)),
                }
            },
            Self::Http2(body) => match body.data().await {
                None => Ok(None),
                Some(Ok(data)) => {
                    body.flow_control()
                        .release_capacity(data.len())
                        .map_err(|e| broke(&e))?;
                    Ok(Some(data))
                }
                Some(Err(e)) => Err(broke(&e)),
            },
        }
    }
}

fn broke(error: &dyn std::error::Error) -> Failure {
    Failure::connection(&format!("broke inside the reply: {}", chain(error)))
}

/// An error with its causes.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

/// Whether this message of an event stream is the response to the request with this id.
fn answers(message: &[u8], id: &str) -> bool {
    RpcResponse::parse(message).is_ok_and(|response| {
        response.method.is_none()
            && (response.result.is_some() || response.error.is_some())
            && response.id.is_none_or(|echoed| echoed.get() == id)
    })
}

/// How long the next event stream of a replica may go on after the reply.
#[derive(Debug)]
pub(super) struct Tail(Cell<Duration>);

impl Default for Tail {
    fn default() -> Self {
        Self(Cell::new(LONGEST_TAIL))
    }
}

impl Tail {
    /// Reads the rest of an event stream aside. When it ends in time its connection is good for
    /// more, and `keep` is called.
    pub(super) fn finish(self: &Rc<Self>, mut rest: Body, keep: impl FnOnce() + 'static) {
        let tail = Rc::clone(self);
        tokio::task::spawn_local(async move {
            let rest = async { while let Ok(Some(_)) = rest.next().await {} };
            let ended = timeout(tail.0.get(), rest).await.is_ok();
            tail.0.set(next_tail(tail.0.get(), ended));
            if ended {
                keep();
            }
        });
    }
}

/// How long to wait for the end of the next stream of a replica whose last one did or did not end
/// in time: one that leaves its streams open must not hold connections that others wait for.
fn next_tail(last: Duration, ended: bool) -> Duration {
    if ended {
        LONGEST_TAIL
    } else {
        (last / 8).max(SHORTEST_TAIL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_readable_fields_are_read() {
        let mut reply = Reply::default();
        note(&mut reply, "Server-Timing", b"seal;dur=\xff");
        note(&mut reply, "content-type", b"a\xff");
        assert!(reply.server.seal.is_none() && reply.media_type.is_empty());
        note(&mut reply, "server-timing", b"open;dur=2, seal;dur=1");
        note(&mut reply, "CONTENT-TYPE", b" Text/X ; a=b");
        note(&mut reply, "content-type", b"text/second");
        assert_eq!(reply.server.seal, Some(Duration::from_millis(1)));
        assert_eq!(reply.media_type, "text/x");
    }

    #[test]
    fn streams_that_stay_open_are_waited_for_less_and_less() {
        let mut tail = LONGEST_TAIL;
        for _ in 0..4 {
            let next = next_tail(tail, false);
            assert!(next < tail || next == SHORTEST_TAIL);
            tail = next;
        }
        assert_eq!(tail, SHORTEST_TAIL);
        assert_eq!(next_tail(tail, true), LONGEST_TAIL);
    }
}
