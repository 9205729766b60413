use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{CONNECTION, CONTENT_TYPE, HOST, HeaderValue, RETRY_AFTER};
use hyper::http::uri::PathAndQuery;
use hyper::{HeaderMap, Method, Request, Response, Uri};
use loadgen_protocol::names::header::SESSION_ID;
use loadgen_protocol::{Response as RpcResponse, SseParser};
use rustix::io::Errno;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use super::pool::{Lease, Pool, Sender};
use super::stream::Stream;
use super::timing::server_timing;
use super::{Failure, Outgoing, Trace, Transport};
use crate::classify::Reply;
use crate::target::Target;

/// Largest reply body that is read.
const MAX_BODY_BYTES: usize = 64 << 20;
/// How long an event stream may go on after the reply before its connection is given up, at first.
const LONGEST_TAIL: Duration = Duration::from_millis(500);
/// The same for a replica whose streams never end.
const SHORTEST_TAIL: Duration = Duration::from_millis(1);

/// HTTP/1.1 over kept-alive TCP connections with TCP_NODELAY. Lives inside a `LocalSet`.
#[derive(Debug)]
pub(crate) struct Http1 {
    targets: Vec<Endpoint>,
    pool: Rc<Pool>,
}

#[derive(Debug)]
struct Endpoint {
    target: Target,
    host: HeaderValue,
    uri: Uri,
    /// How long its next event stream may go on after the reply.
    tail: Rc<Cell<Duration>>,
}

impl Http1 {
    /// To these targets, over at most `connections` connections at one time.
    pub(crate) fn new(targets: &[Target], connections: usize) -> Self {
        let endpoint = |target: &Target| Endpoint {
            host: HeaderValue::from_str(&target.authority)
                .expect("the authority of an address is legal in a header"),
            uri: origin_form(&target.path),
            tail: Rc::new(Cell::new(LONGEST_TAIL)),
            target: target.clone(),
        };
        Self {
            targets: targets.iter().map(endpoint).collect(),
            pool: Pool::new(targets.len(), connections),
        }
    }

    async fn exchange(
        &self,
        request: &Outgoing<'_>,
        mut lease: Lease,
        trace: &Trace,
    ) -> Result<(Reply, Instant), Failure> {
        let endpoint = &self.targets[usize::from(request.to)];
        let mut message = endpoint.message(request);
        loop {
            let kept = lease.take_kept();
            let reused = kept.is_some();
            let mut sender = match kept {
                Some(sender) => sender,
                None => connect(&endpoint.target, trace).await?,
            };
            // A kept connection that the peer closed meanwhile is noticed here, before anything is
            // written: another one takes its place.
            if sender.ready().await.is_err() {
                if reused {
                    continue;
                }
                return Err(Failure::Connection("closed at once".to_owned()));
            }
            trace.reused.set(reused);
            trace.sent.set(Some(Instant::now()));
            let response = match sender.try_send_request(message).await {
                Ok(response) => response,
                Err(mut error) => {
                    if let (true, Some(unsent)) = (reused, error.take_message()) {
                        trace.sent.set(None);
                        message = unsent;
                        continue;
                    }
                    return Err(failure(error.error(), reused));
                }
            };
            return read(response, request.id, endpoint, sender, lease).await;
        }
    }
}

impl Transport for Http1 {
    async fn send(
        &self,
        request: Outgoing<'_>,
        trace: &Trace,
    ) -> Result<(Reply, Instant), Failure> {
        let lease = self.pool.lease(request.to).await;
        match timeout(request.timeout, self.exchange(&request, lease, trace)).await {
            Ok(result) => result,
            Err(_) => Err(Failure::Timeout),
        }
    }

    fn open_max(&self) -> u64 {
        self.pool.open_max() as u64
    }
}

impl Endpoint {
    fn message(&self, request: &Outgoing<'_>) -> Request<Full<Bytes>> {
        let mut message = Request::new(Full::new(request.body.clone()));
        *message.method_mut() = Method::POST;
        *message.uri_mut() = self.uri.clone();
        let mut headers: HeaderMap = request.headers.clone();
        headers.insert(HOST, self.host.clone());
        for (name, value) in request.own_headers {
            headers.insert(name.clone(), value.clone());
        }
        *message.headers_mut() = headers;
        message
    }
}

fn origin_form(path: &PathAndQuery) -> Uri {
    Uri::from(path.clone())
}

/// Connects to the first address that accepts.
async fn connect(target: &Target, trace: &Trace) -> Result<Sender, Failure> {
    let begin = Instant::now();
    let mut last = None;
    for address in &target.addresses {
        match TcpStream::connect(address).await {
            Ok(stream) => {
                stream.set_nodelay(true).map_err(|e| connect_failure(&e))?;
                let (sender, connection) = http1::handshake(Stream::new(stream))
                    .await
                    .map_err(|e| Failure::Connection(e.to_string()))?;
                tokio::task::spawn_local(async move {
                    // Its errors reach the request that they break.
                    let _ = connection.await;
                });
                trace.connect.set(Some(begin.elapsed()));
                return Ok(sender);
            }
            Err(e) => last = Some(e),
        }
    }
    Err(last.map_or_else(
        || Failure::Connection("no address".to_owned()),
        |e| connect_failure(&e),
    ))
}

fn connect_failure(error: &io::Error) -> Failure {
    let code = error.raw_os_error();
    let own = [
        Errno::MFILE,
        Errno::NFILE,
        Errno::ADDRNOTAVAIL,
        Errno::NOBUFS,
    ];
    if own.iter().any(|e| Some(e.raw_os_error()) == code) {
        return Failure::Generator(format!("cannot open a connection: {error}"));
    }
    Failure::Connection(match error.kind() {
        io::ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        _ => format!("cannot connect: {error}"),
    })
}

/// An error before the head of the reply came.
fn failure(error: &hyper::Error, reused: bool) -> Failure {
    if error.is_parse() {
        return Failure::Connection(format!("the head of the reply is no HTTP/1.1: {error}"));
    }
    if reused {
        return Failure::Stale;
    }
    Failure::Connection(format!("broke before the reply: {}", chain(error)))
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

async fn read(
    response: Response<Incoming>,
    id: &str,
    endpoint: &Endpoint,
    sender: Sender,
    lease: Lease,
) -> Result<(Reply, Instant), Failure> {
    let (head, mut body) = response.into_parts();
    let media_type = head
        .headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.split(';').next())
        .map(|text| text.trim().to_ascii_lowercase())
        .unwrap_or_default();
    let mut reply = Reply {
        status: head.status.as_u16(),
        retry_after: head.headers.contains_key(RETRY_AFTER),
        session: head.headers.contains_key(SESSION_ID),
        server: server_timing(&head.headers),
        media_type,
        ..Reply::default()
    };
    let closes = says_close(&head.headers);
    let stream = reply.media_type == "text/event-stream";
    let mut parser = SseParser::new();
    let mut events = Vec::new();
    while let Some(data) = next_data(&mut body).await? {
        reply.body_bytes += data.len() as u64;
        if !stream {
            reply.body.extend_from_slice(&data);
        } else {
            parser.push(&data, &mut events);
            for event in events.drain(..) {
                if answers(&event.data, id) {
                    reply.body = event.data;
                    let done = Instant::now();
                    finish(body, Rc::clone(&endpoint.tail), sender, lease);
                    return Ok((reply, done));
                }
                reply.body.extend_from_slice(&event.data);
                reply.body.push(b'\n');
            }
        }
        if reply.body.len() + parser.pending_bytes() > MAX_BODY_BYTES {
            return Err(Failure::Connection(format!(
                "the reply is larger than {} MiB",
                MAX_BODY_BYTES >> 20
            )));
        }
    }
    let done = Instant::now();
    // After a reply that says `close` the connection can stay half alive for as long as the peer
    // does not read the rest of the request.
    if !closes {
        lease.keep(sender);
    }
    Ok((reply, done))
}

fn says_close(headers: &HeaderMap) -> bool {
    let values = headers.get_all(CONNECTION).iter();
    values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|text| text.split(','))
        .any(|option| option.trim().eq_ignore_ascii_case("close"))
}

async fn next_data(body: &mut Incoming) -> Result<Option<Bytes>, Failure> {
    loop {
        match body.frame().await {
            None => return Ok(None),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
            Some(Err(e)) => {
                return Err(Failure::Connection(format!(
                    "broke inside the reply: {}",
                    chain(&e)
                )));
            }
        }
    }
}

/// Whether this message of an event stream is the response to the request with this id.
fn answers(message: &[u8], id: &str) -> bool {
    serde_json::from_slice::<RpcResponse<'_>>(message).is_ok_and(|response| {
        response.method.is_none()
            && (response.result.is_some() || response.error.is_some())
            && response.id.is_none_or(|echoed| echoed.get() == id)
    })
}

/// Reads the rest of an event stream aside, so that its connection can be used again.
fn finish(mut body: Incoming, tail: Rc<Cell<Duration>>, sender: Sender, lease: Lease) {
    tokio::task::spawn_local(async move {
        let rest = async { while let Ok(Some(_)) = next_data(&mut body).await {} };
        let ended = timeout(tail.get(), rest).await.is_ok();
        tail.set(next_tail(tail.get(), ended));
        if ended {
            lease.keep(sender);
        }
    });
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
