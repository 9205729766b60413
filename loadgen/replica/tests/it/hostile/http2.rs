//! HTTP/2 frames that no honest client sends, byte by byte.

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::client::Post;
use crate::h2_client::Client;
use crate::running::Running;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const CONTINUATION: u8 = 9;

const END_HEADERS: u8 = 4;
const ACK: u8 = 1;

const ENHANCE_YOUR_CALM: u32 = 0xb;
const REFUSED_STREAM: u32 = 0x7;
const CANCEL: u32 = 0x8;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// RFC 9113, section 4.1.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut out = length[1..].to_vec();
    out.extend([kind, flags]);
    out.extend(stream.to_be_bytes());
    out.extend(payload);
    out
}

/// A field as RFC 7541, section 6.2.2, writes one that is not indexed; both parts under 127 bytes.
fn field(name: &str, value: &str) -> Vec<u8> {
    let mut out = vec![0];
    for text in [name, value] {
        out.push(u8::try_from(text.len()).unwrap());
        out.extend(text.as_bytes());
    }
    out
}

/// The head of a request whose body is still to come.
fn head() -> Vec<u8> {
    let pseudo = [
        (":method", "POST"),
        (":scheme", "http"),
        (":authority", "x"),
        (":path", "/mcp"),
    ];
    let mut out: Vec<u8> = pseudo.iter().flat_map(|(n, v)| field(n, v)).collect();
    for (name, value) in echo().headers.iter().filter(|(name, _)| *name != "host") {
        out.extend(field(name, std::str::from_utf8(value).unwrap()));
    }
    out
}

fn echo() -> Post {
    Post::call("echo", json!({ "text": "hi" }))
}

/// Writes the preface and `frames`, and reads frames until the connection ends or one is `last`.
/// Gives all that came: kind, flags, stream and payload.
async fn exchange(replica: &Running, frames: &[u8], last: impl Fn(&Frame) -> bool) -> Vec<Frame> {
    let stream = TcpStream::connect(replica.address).await.unwrap();
    let (mut read, mut write) = stream.into_split();
    let bytes = [PREFACE, &frame(SETTINGS, 0, 0, &[]), frames].concat();
    let sending = tokio::spawn(async move {
        // The replica may end the connection before it has read all.
        let _ = write.write_all(&bytes).await;
        std::future::pending::<()>().await;
    });
    let mut all = Vec::new();
    while let Some(frame) = next(&mut read).await {
        let end = last(&frame);
        all.push(frame);
        if end {
            break;
        }
    }
    sending.abort();
    all
}

#[derive(Debug, PartialEq)]
struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
    payload: Vec<u8>,
}

impl Frame {
    /// The error code of a RST_STREAM or GOAWAY frame.
    fn error(&self) -> u32 {
        let at = if self.kind == GOAWAY { 4 } else { 0 };
        u32::from_be_bytes(self.payload[at..at + 4].try_into().unwrap())
    }
}

async fn next(from: &mut (impl tokio::io::AsyncRead + Unpin)) -> Option<Frame> {
    let mut head = [0; 9];
    from.read_exact(&mut head).await.ok()?;
    let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
    let mut payload = vec![0; usize::try_from(length).unwrap()];
    from.read_exact(&mut payload).await.ok()?;
    Some(Frame {
        kind: head[3],
        flags: head[4],
        stream: u32::from_be_bytes(head[5..9].try_into().unwrap()),
        payload,
    })
}

/// What the replica said when it ended the connection.
fn goodbye(frames: &[Frame]) -> Option<u32> {
    frames
        .iter()
        .rev()
        .find(|frame| frame.kind == GOAWAY)
        .map(Frame::error)
}

async fn others_are_served(replica: &Running) {
    let mut client = Client::connect(replica).await;
    assert_eq!(client.post(&echo()).await.unwrap().text(), "hi");
}

#[tokio::test]
async fn rapid_resets_end_their_connection() {
    let replica = Running::start().await;
    let reset = CANCEL.to_be_bytes();
    let frames: Vec<u8> = (0..500)
        .map(|n| 2 * n + 1)
        .flat_map(|id| {
            let open = frame(HEADERS, END_HEADERS, id, &head());
            [open, frame(RST_STREAM, 0, id, &reset)].concat()
        })
        .collect();
    let got = exchange(&replica, &frames, |_| false).await;
    assert_eq!(goodbye(&got), Some(ENHANCE_YOUR_CALM), "{got:?}");
    others_are_served(&replica).await;
}

#[tokio::test]
async fn streams_made_to_be_reset_by_the_replica_end_their_connection() {
    let replica = Running::start().await;
    // A window update of 0 is an error of its stream (RFC 9113, 6.9): CVE-2025-8671.
    let frames: Vec<u8> = (0..500)
        .map(|n| 2 * n + 1)
        .flat_map(|id| {
            let open = frame(HEADERS, END_HEADERS, id, &head());
            [open, frame(8, 0, id, &[0; 4])].concat()
        })
        .collect();
    let got = exchange(&replica, &frames, |_| false).await;
    assert!(goodbye(&got).is_some(), "{got:?}");
    others_are_served(&replica).await;
}

#[tokio::test]
async fn a_head_without_end_ends_its_connection() {
    let replica = Running::start().await;
    let more: Vec<u8> = (0..100)
        .flat_map(|_| field("x-a", &"b".repeat(100)))
        .collect();
    let mut frames = frame(HEADERS, 0, 1, &head());
    for _ in 0..200 {
        frames.extend(frame(CONTINUATION, 0, 1, &more));
    }
    let got = exchange(&replica, &frames, |_| false).await;
    assert!(goodbye(&got).is_some(), "{got:?}");
    // Frames without content are counted too.
    let mut frames = frame(HEADERS, 0, 1, &head());
    for _ in 0..10_000 {
        frames.extend(frame(CONTINUATION, 0, 1, &[]));
    }
    let got = exchange(&replica, &frames, |_| false).await;
    assert!(goodbye(&got).is_some(), "{got:?}");
    others_are_served(&replica).await;
}

#[tokio::test]
async fn a_head_beyond_the_announced_size_is_refused() {
    let replica = Running::start().await;
    let mut client = Client::connect(&replica).await;
    let large = echo().header("x-a", vec![b'b'; 70_000]);
    // 431, or the stream is reset: it must not be served.
    let reply = client.post(&large).await;
    assert!(
        reply.is_err() || reply.as_ref().is_ok_and(|r| r.status == 431),
        "{reply:?}"
    );
    others_are_served(&replica).await;
}

#[tokio::test]
async fn streams_beyond_the_announced_number_are_refused() {
    let replica = Running::start().await;
    let mut frames = Vec::new();
    for n in 0..129 {
        frames.extend(frame(HEADERS, END_HEADERS, 2 * n + 1, &head()));
    }
    let got = exchange(&replica, &frames, |frame| frame.kind == RST_STREAM).await;
    let refused = got.last().unwrap();
    assert_eq!((refused.stream, refused.error()), (257, REFUSED_STREAM));
    let settings = got
        .iter()
        .find(|f| f.kind == SETTINGS && f.flags & ACK == 0);
    let announced = settings.unwrap().payload.chunks(6);
    // SETTINGS_MAX_CONCURRENT_STREAMS is 3 (RFC 9113, 6.5.2).
    let streams = announced.filter(|s| s[..2] == [0, 3]).map(|s| s[5]);
    assert_eq!(streams.collect::<Vec<_>>(), [128]);
    others_are_served(&replica).await;
}

#[tokio::test]
async fn pings_are_answered_and_bodies_on_no_stream_are_an_error() {
    let replica = Running::start().await;
    let got = exchange(&replica, &frame(PING, 0, 0, b"12345678"), |f| {
        f.kind == PING
    })
    .await;
    let pong = got.last().unwrap();
    assert_eq!((pong.flags, &*pong.payload), (ACK, &b"12345678"[..]));
    let got = exchange(&replica, &frame(DATA, 0, 7, b"x"), |_| false).await;
    assert!(goodbye(&got).is_some_and(|error| error != 0), "{got:?}");
    others_are_served(&replica).await;
}
