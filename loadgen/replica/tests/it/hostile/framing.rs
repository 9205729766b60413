//! Requests whose end is a matter of opinion, which is how requests are smuggled past a proxy.

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::client::Post;
use crate::running::Running;

/// What follows every case: answered 404 if and only if the replica takes the case to have ended
/// where it does.
const NEXT: &[u8] = b"POST /next HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}";

/// A request line, the fields of a good request and more of them, and a body.
fn request(line: &str, fields: &[&str], body: &[u8]) -> Vec<u8> {
    let mut out = format!("{line}\r\n").into_bytes();
    for (name, value) in echo().headers {
        out.extend([name.as_bytes(), b": ", &value, b"\r\n"].concat());
    }
    for field in fields {
        out.extend([field.as_bytes(), b"\r\n"].concat());
    }
    [out, b"\r\n".to_vec(), body.to_vec()].concat()
}

fn echo() -> Post {
    Post::call("echo", json!({ "text": "hi" }))
}

fn post(fields: &[&str], body: &[u8]) -> Vec<u8> {
    request("POST /mcp HTTP/1.1", fields, body)
}

fn chunked(body: &[u8]) -> Vec<u8> {
    let size = format!("{:x}\r\n", body.len());
    [size.as_bytes(), body, b"\r\n0\r\n\r\n"].concat()
}

/// The statuses of all replies to these bytes, and whether the connection was closed after them.
/// Reads until the replica closes or has answered [`NEXT`].
async fn statuses(replica: &Running, bytes: &[u8]) -> (Vec<u16>, bool) {
    let mut stream = TcpStream::connect(replica.address).await.unwrap();
    // The replica may refuse before it has read all.
    let _ = stream.write_all(&[bytes, NEXT].concat()).await;
    let mut seen = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&seen);
        let all: Vec<u16> = text
            .split("HTTP/1.")
            .skip(1)
            .map(|reply| reply[2..5].parse().unwrap())
            .collect();
        if all.contains(&404) {
            return (all, false);
        }
        match stream.read_buf(&mut seen).await {
            Ok(n) if n > 0 => {}
            _ => return (all, true),
        }
    }
}

#[tokio::test]
async fn an_end_that_could_be_elsewhere_closes_the_connection() {
    let replica = Running::start().await;
    let body = echo().body;
    let length = format!("content-length: {}", body.len());
    let (plain, chunks) = (&*length, "transfer-encoding: chunked");
    let chunked = chunked(&body);
    // RFC 9112 6.3: chunked overrides a length, and nothing more may be read from the connection.
    for length in [plain, "content-length: 4", "content-length: 99999"] {
        for fields in [[length, chunks], [chunks, length]] {
            let got = statuses(&replica, &post(&fields, &chunked)).await;
            assert_eq!(got, (vec![200], true), "{fields:?}");
        }
    }
    let plus = format!("content-length: +{}", body.len());
    let list = format!("content-length: {0}, {0}", body.len());
    let spaced = format!("content-length : {}", body.len());
    let refused: [(&[&str], &[u8]); 15] = [
        (&[plain, "content-length: 4"], &body),
        (&[&plus], &body),
        (&[&list], &body),
        (&[&spaced], &body),
        (&["content-length: -1"], &body),
        (&["content-length: 0x10"], &body),
        (&["content-length: 18446744073709551616"], &body),
        (&["transfer-encoding: xchunked"], &chunked),
        (&["transfer-encoding: chunked, identity"], &chunked),
        (&[chunks, "transfer-encoding: identity"], &chunked),
        (&["transfer-encoding : chunked"], &chunked),
        (&["x-a: b\r\n c: d", plain], &body),
        (&["x-a: b\rc: d", plain], &body),
        (&["x-a: b\0c", plain], &body),
        (&["junk", plain], &body),
    ];
    for (fields, body) in refused {
        let got = statuses(&replica, &post(fields, body)).await;
        assert_eq!(got, (vec![400], true), "{fields:?}");
    }
    assert_eq!(
        statuses(&replica, &post(&[plain, plain], &body)).await.0,
        [200, 404]
    );
}

#[tokio::test]
async fn malformed_chunks_end_the_connection() {
    let replica = Running::start().await;
    let body = echo().body;
    let text = String::from_utf8(body.clone()).unwrap();
    let n = body.len();
    let huge = "b".repeat(200_000);
    for chunks in [
        "ffffffffffffffff1\r\nx".to_owned(),
        "-1\r\nx".to_owned(),
        format!("{n:x}\n{text}\n0\n\n"),
        format!("{:x}\r\n{text}\r\n0\r\n\r\n", n - 3),
        format!("{n:x};a={huge}\r\n{text}\r\n0\r\n\r\n"),
        format!("{n:x}\r\n{text}\r\n0\r\nx-a: {huge}\r\n\r\n"),
    ] {
        let bytes = post(&["transfer-encoding: chunked"], chunks.as_bytes());
        let shown = &chunks[..chunks.len().min(40)];
        assert_eq!(
            statuses(&replica, &bytes).await,
            (vec![400], true),
            "{shown}"
        );
    }
    for chunks in [
        format!("{n:x};a=b\r\n{text}\r\n0\r\n\r\n"),
        format!("{n:x}\r\n{text}\r\n0\r\nx-a: b\r\n\r\n"),
    ] {
        let bytes = post(&["transfer-encoding: chunked"], chunks.as_bytes());
        assert_eq!(statuses(&replica, &bytes).await.0, [200, 404], "{chunks}");
    }
}

#[tokio::test]
async fn old_and_unknown_versions_have_their_answers() {
    let replica = Running::start().await;
    let body = echo().body;
    let length = format!("content-length: {}", body.len());
    let of = |line: &str, fields: &[&str]| request(line, fields, &body);
    let old = "POST /mcp HTTP/1.0";
    let got = statuses(&replica, &of(old, &[&length])).await;
    assert_eq!(got, (vec![200], true), "1.0 ends after a reply");
    let kept = of(old, &[&length, "connection: keep-alive"]);
    assert_eq!(statuses(&replica, &kept).await.0, [200, 404]);
    let chunks = request(old, &["transfer-encoding: chunked"], &chunked(&body));
    assert_eq!(statuses(&replica, &chunks).await, (vec![400], true));
    for line in [
        "POST /mcp HTTP/1.2",
        "POST /mcp HTTP/2.0",
        "POST /mcp",
        "PO\0ST /mcp HTTP/1.1",
    ] {
        let got = statuses(&replica, &of(line, &[&length])).await;
        assert_eq!(got, (vec![400], true), "{line}");
    }
}

#[tokio::test]
async fn heads_beyond_reason_are_refused_and_large_ones_are_not() {
    let replica = Running::start().await;
    let body = echo().body;
    let length = format!("content-length: {}", body.len());
    let field = |n: usize| format!("x-a: {}", "b".repeat(n));
    let many: Vec<String> = (0..120).map(|i| format!("x-{i}: y")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let uri = format!("POST /{} HTTP/1.1", "a".repeat(70_000));
    for bytes in [
        post(&[&field(70_000), &length], &body),
        post(&many, &body),
        request(&uri, &[&length], &body),
    ] {
        assert_eq!(statuses(&replica, &bytes).await, (vec![431], true));
    }
    let large = post(&[&field(60_000), &length], &body);
    assert_eq!(statuses(&replica, &large).await.0, [200, 404]);
}
