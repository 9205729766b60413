//! The least that hyper can do: answers every request, once its body is there, with one reply that
//! it was given, on the same socket options and runtime as the replica. `scripts/replica-speed`
//! measures the replica beside it.
//!
//! Reads one JSON object from standard input, `{"headers": [[NAME, VALUE]...], "body": TEXT}`,
//! prints `{"ready": true, "url": ...}` and ends when standard input does. Where the text has `@ID@`
//! the request's own JSON-RPC id is put, for clients that look at it: `scripts/driver-speed` measures
//! those.

use std::convert::Infallible;
use std::io::{self, BufRead as _, Read as _};
use std::net::Ipv4Addr;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use tokio::net::TcpListener;

#[derive(Deserialize)]
struct Given {
    headers: Vec<(String, String)>,
    body: String,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let given: Given = serde_json::from_str(&line)?;
    let mut headers = HeaderMap::new();
    for (name, value) in given.headers {
        let name = HeaderName::from_bytes(name.as_bytes())?;
        headers.append(name, HeaderValue::from_str(&value)?);
    }
    // A thread of its own, since a blocked read must not keep the runtime from serving.
    std::thread::spawn(|| {
        let mut ignored = [0; 256];
        while io::stdin().lock().read(&mut ignored).is_ok_and(|n| n > 0) {}
        std::process::exit(0);
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(serve(headers, Text::new(&given.body)))?;
    Ok(())
}

/// The body of every reply.
#[derive(Clone)]
struct Text {
    before: Bytes,
    /// What follows the id; `None` where none is put in.
    after: Option<Bytes>,
}

impl Text {
    fn new(body: &str) -> Self {
        let (before, after) = match body.split_once("@ID@") {
            Some((before, after)) => (before, Some(after)),
            None => (body, None),
        };
        let bytes = |text: &str| Bytes::copy_from_slice(text.as_bytes());
        Self {
            before: bytes(before),
            after: after.map(bytes),
        }
    }

    fn answer(&self, request: &[u8]) -> Bytes {
        let Some(after) = &self.after else {
            return self.before.clone();
        };
        [&self.before, id(request), after].concat().into()
    }
}

/// The id of a request as written; `null` where none is found.
fn id(request: &[u8]) -> &[u8] {
    const KEY: &[u8] = br#""id":"#;
    let from = request.windows(KEY.len()).position(|at| at == KEY);
    let rest = from.map_or(&b"null"[..], |from| &request[from + KEY.len()..]);
    let end = rest.iter().position(|b| matches!(b, b',' | b'}'));
    &rest[..end.unwrap_or(rest.len())]
}

async fn serve(headers: HeaderMap, text: Text) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let ready = serde_json::json!({
        "ready": true,
        "url": format!("http://{}/mcp", listener.local_addr()?),
        "pid": std::process::id(),
    });
    println!("{ready}");
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let (headers, text) = (headers.clone(), text.clone());
        let service = service_fn(move |request: Request<Incoming>| {
            let (headers, text) = (headers.clone(), text.clone());
            async move {
                // A body that breaks off ends its connection, whatever is answered.
                let body = request.into_body().collect().await;
                let body = body.map(|body| body.to_bytes()).unwrap_or_default();
                let mut reply = Response::new(Full::new(text.answer(&body)));
                *reply.headers_mut() = headers;
                Ok::<_, Infallible>(reply)
            }
        });
        tokio::spawn(async move {
            // wrk closes its connections in the middle of a request when its time is up.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}
