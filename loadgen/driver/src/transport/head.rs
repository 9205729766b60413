//! The head of a reply as it usually is, read without a map of its fields.

use std::mem::MaybeUninit;
use std::ops::ControlFlow;

use httparse::{Header, ParserConfig, Response, Status};
use loadgen_measure::ServerTiming;

use super::reply::note;
use crate::classify::Reply;

/// Most header fields of a head that is read here.
const FIELDS: usize = 32;
/// Longest head that is waited for here.
const LONGEST: usize = 16 << 10;
/// Longest body of a reply that is read here.
const LONGEST_BODY: u64 = 64 << 10;

/// A head that is whole, of a reply whose body has a length and whose connection stays.
#[derive(Debug, Clone)]
pub(super) struct Head {
    /// What it says so far.
    pub(super) reply: Reply,
    /// Its own bytes, with the empty line.
    pub(super) bytes: usize,
    /// Bytes of head and body.
    pub(super) whole: usize,
}

/// The newest head, since the next one often has the very same bytes.
#[derive(Debug, Default)]
pub(super) struct Heads {
    text: Vec<u8>,
    head: Option<Head>,
}

impl Heads {
    /// As [`look`], which need not read what was read before.
    pub(super) fn look(&mut self, bytes: &[u8]) -> ControlFlow<(), Option<Head>> {
        if let Some(head) = self.head.as_ref().filter(|_| bytes.starts_with(&self.text)) {
            return ControlFlow::Continue(Some(head.clone()));
        }
        let seen = look(bytes);
        if let ControlFlow::Continue(Some(head)) = &seen
            // Times will not be the same again.
            && head.reply.server == ServerTiming::default()
        {
            self.text.clear();
            self.text.extend_from_slice(&bytes[..head.bytes]);
            self.head = Some(head.clone());
        }
        seen
    }
}

/// What bytes from the beginning of a reply on are. Breaks with anything but the usual: no HTTP/1.1,
/// an interim reply or one that has no body, chunks, an event stream, a connection that is to close,
/// something wrong, or simply a lot.
fn look(bytes: &[u8]) -> ControlFlow<(), Option<Head>> {
    let mut fields = [const { MaybeUninit::<Header<'_>>::uninit() }; FIELDS];
    let mut head = Response::new(&mut []);
    let parser = ParserConfig::default();
    let parsed = match parser.parse_response_with_uninit_headers(&mut head, bytes, &mut fields) {
        Ok(Status::Complete(parsed)) => parsed,
        Ok(Status::Partial) if bytes.len() <= LONGEST => return ControlFlow::Continue(None),
        Ok(Status::Partial) | Err(_) => return ControlFlow::Break(()),
    };
    let usual = match (head.version, head.code) {
        (Some(1), Some(status @ 200..)) if status != 204 && status != 304 => usual(status, &head),
        _ => None,
    };
    let Some((reply, length)) = usual else {
        return ControlFlow::Break(());
    };
    ControlFlow::Continue(Some(Head {
        reply,
        bytes: parsed,
        whole: parsed + length,
    }))
}

fn usual(status: u16, head: &Response<'_, '_>) -> Option<(Reply, usize)> {
    let mut reply = Reply {
        status,
        ..Reply::default()
    };
    let mut length = None;
    for Header { name, value } in head.headers.iter() {
        if name.eq_ignore_ascii_case("content-length") {
            if length.is_some() {
                return None;
            }
            length = Some(number(value).filter(|length| *length <= LONGEST_BODY)?);
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            return None;
        } else if name.eq_ignore_ascii_case("connection") {
            if !value.eq_ignore_ascii_case(b"keep-alive") {
                return None;
            }
        } else {
            note(&mut reply, name, value);
        }
    }
    let length = usize::try_from(length?).ok()?;
    (reply.media_type != "text/event-stream").then_some((reply, length))
}

fn number(digits: &[u8]) -> Option<u64> {
    let all_digits = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(digits).ok().filter(|_| all_digits)?;
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use http_body_util::{BodyExt as _, Full};
    use hyper::Request;
    use hyper::client::conn::http1::handshake;
    use hyper_util::rt::TokioIo;
    use proptest::prelude::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::super::reply::begin;
    use super::*;

    fn seen(text: &str) -> Option<Head> {
        match look(text.as_bytes()) {
            ControlFlow::Continue(head) => head,
            ControlFlow::Break(()) => None,
        }
    }

    #[test]
    fn a_usual_head_is_read_when_it_is_whole() {
        let text = "HTTP/1.1 429 Slow down\r\nContent-Type: Application/JSON; charset=utf-8\r\n\
            CONTENT-LENGTH: 12\r\nConnection: keep-alive\r\nMcp-Session-Id: 1\r\n\
            server-timing: open;dur=1.5\r\nretry-after: 1\r\n\r\n";
        for end in 0..text.len() {
            assert!(matches!(
                look(&text.as_bytes()[..end]),
                ControlFlow::Continue(None)
            ));
        }
        let head = seen(&format!("{text}{{}}")).unwrap();
        assert_eq!((head.bytes, head.whole), (text.len(), text.len() + 12));
        assert_eq!(head.reply.status, 429);
        assert_eq!(head.reply.media_type, "application/json");
        assert!(head.reply.session);
        assert_eq!(head.reply.server.open, Some(Duration::from_micros(1500)));
    }

    #[test]
    fn a_head_that_was_seen_is_told_from_others() {
        let mut heads = Heads::default();
        let text = |length: u32, more: &str| {
            format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n{more}\r\n")
        };
        let timed = text(2, "server-timing: open;dur=1\r\n");
        for whole in [
            text(2, ""),
            text(2, "") + "{}",
            text(3, ""),
            timed.clone() + "{}",
            timed,
            text(2, "mcp-session-id: 1\r\n"),
            text(2, ""),
        ] {
            for _ in 0..2 {
                let (new, seen) = (seen(&whole), heads.look(whole.as_bytes()));
                assert_eq!(format!("{seen:?}"), format!("Continue({new:?})"), "{whole}");
            }
            let half = &whole.as_bytes()[..20];
            assert!(matches!(heads.look(half), ControlFlow::Continue(None)));
        }
        assert!(heads.look(b"HTTP/1.0 200 OK\r\n\r\n").is_break());
    }

    #[test]
    fn whatever_is_unusual_is_left() {
        let whole = |status: &str, fields: &str| format!("HTTP/1.{status}\r\n{fields}\r\n");
        assert!(seen(&whole("1 200 OK", "content-length: 2\r\n")).is_some());
        for (status, fields) in [
            ("0 200 OK", "content-length: 2\r\n"),
            ("1 100 Continue", "content-length: 2\r\n"),
            ("1 204 No Content", "content-length: 2\r\n"),
            ("1 304 Not Modified", "content-length: 2\r\n"),
            ("1 200 OK", ""),
            ("1 200 OK", "content-length: +2\r\n"),
            ("1 200 OK", "content-length: 2, 2\r\n"),
            ("1 200 OK", "content-length:\r\n"),
            ("1 200 OK", "content-length: 99999999999999999999\r\n"),
            ("1 200 OK", "content-length: 65537\r\n"),
            ("1 200 OK", "content-length: 2\r\ncontent-length: 2\r\n"),
            (
                "1 200 OK",
                "content-length: 2\r\ntransfer-encoding: chunked\r\n",
            ),
            ("1 200 OK", "content-length: 2\r\nconnection: close\r\n"),
            (
                "1 200 OK",
                "content-length: 2\r\nconnection: keep-alive, close\r\n",
            ),
            (
                "1 200 OK",
                "content-length: 2\r\ncontent-type: text/event-stream\r\n",
            ),
            ("1 200 OK", "content-length : 2\r\n"),
        ] {
            assert!(
                look(whole(status, fields).as_bytes()).is_break(),
                "{fields}"
            );
        }
        let many = "x: 1\r\n".repeat(FIELDS);
        assert!(
            look(whole("1 200 OK", &format!("{many}content-length: 2\r\n")).as_bytes()).is_break()
        );
        assert!(look("x".repeat(9).as_bytes()).is_break());
        let endless = format!("HTTP/1.1 200 OK\r\nx: {}", "x".repeat(LONGEST));
        assert!(look(endless.as_bytes()).is_break());
    }

    /// What hyper makes of these bytes: the reply, its body, and whether the connection stays.
    async fn by_hyper(bytes: &[u8]) -> Option<(Reply, usize, bool)> {
        let (near, mut far) = duplex(1 << 18);
        let (mut half, connection) = handshake(TokioIo::new(near)).await.ok()?;
        tokio::spawn(connection);
        let request = Request::post("/").body(Full::<Bytes>::default()).ok()?;
        let answer = async {
            far.read_u8().await.ok()?;
            far.write_all(bytes).await.ok()
        };
        let (response, _) = tokio::join!(half.send_request(request), answer);
        let (head, body) = response.ok()?.into_parts();
        let body = body.collect().await.ok()?.to_bytes();
        Some((begin(head), body.len(), half.ready().await.is_ok()))
    }

    const WHOLE: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\
        Connection: keep-alive\r\nMcp-Session-Id: 1\r\nServer-Timing: open;dur=1, seal;dur=2\r\n\
        Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n";

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        /// Bytes put anywhere in a head, in place of what was there, and a stretch of it given twice.
        #[test]
        fn a_head_that_is_taken_is_what_hyper_reads(
            changes in prop::collection::vec(
                (0..WHOLE.len(), 0..3_usize, "[:, \r\n\t0-9a-zA-Z\\-\\x00-\\x1f\\x7f]{0,2}"),
                0..3,
            ),
            twice in prop::option::of((0..WHOLE.len(), 0..60_usize)),
        ) {
            let mut text = WHOLE.to_owned();
            for (at, length, with) in changes {
                let end = (at + length).min(text.len());
                text.replace_range(at.min(end)..end, &with);
            }
            if let Some((at, length)) = twice {
                let end = (at + length).min(text.len());
                let stretch = text[at.min(end)..end].to_owned();
                text.insert_str(at.min(end), &stretch);
            }
            if let Some(head) = seen(&text) {
                let mut bytes = text.as_bytes()[..head.bytes].to_vec();
                bytes.resize(head.whole, b'x');
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .start_paused(true)
                    .build()
                    .unwrap();
                let patience = Duration::from_secs(1);
                let read = runtime.block_on(async {
                    tokio::time::timeout(patience, by_hyper(&bytes)).await.ok().flatten()
                });
                let (reply, length, stays) = read.expect("hyper reads it too");
                let says = |reply: &Reply| {
                    let Reply { status, media_type, session, server, .. } = reply;
                    format!("{status} {media_type} {session} {server:?}")
                };
                prop_assert_eq!(says(&head.reply), says(&reply));
                prop_assert_eq!((head.whole - head.bytes, true), (length, stays), "{}", text);
            }
        }
    }
}
