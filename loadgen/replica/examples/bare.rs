//! The least that hyper can do: answers every request, once its body is there, with one reply that
//! it was given, on the same socket options and runtime as the replica. `scripts/replica-speed`
//! measures the replica beside it.
//!
//! Reads one JSON object from standard input, `{"headers": [[NAME, VALUE]...], "body": TEXT}`,
//! prints `{"ready": true, "url": ...}` and ends when standard input does.

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
    runtime.block_on(serve(headers, given.body.into()))?;
    Ok(())
}

async fn serve(headers: HeaderMap, body: Bytes) -> io::Result<()> {
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
        let (headers, body) = (headers.clone(), body.clone());
        let service = service_fn(move |request: Request<Incoming>| {
            let (headers, body) = (headers.clone(), body.clone());
            async move {
                // A body that breaks off ends its connection, whatever is answered.
                let _ = request.into_body().collect().await;
                let mut reply = Response::new(Full::new(body));
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
