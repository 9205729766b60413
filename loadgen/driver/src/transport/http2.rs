use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use h2::client::{Builder, SendRequest};
use h2::{Ping, Reason};
use hyper::header::{CONTENT_LENGTH, HOST, HeaderValue};
use hyper::http::Version;
use hyper::{Method, Request};
use loadgen_measure::ConnectionFacts;
use tokio::time::{Instant, timeout};

use super::answering::Answering;
use super::crowd::{Crowd, Place, Shared};
use super::dial::Endpoint;
use super::reply::{Body, Read, chain, read};
use super::{Failure, Outgoing, Trace, Transport};
use crate::classify::Reply;
use crate::plan::HttpPlan;

/// How much a server may send ahead on one stream, and on one connection.
const STREAM_WINDOW: u32 = 1 << 20;
const CONNECTION_WINDOW: u32 = 4 << 20;
/// A server that turns one request away so often does not want it. It is generous, since each of the
/// connections that a server ends after a number of requests may have carried many that are left out.
const MOST_MOVES: u8 = 50;
/// Longest time for a connection to be made, TLS and settings included. It outlives the request that
/// it is made for, since others may wait for it.
const LONGEST_CONNECT: Duration = Duration::from_secs(30);

/// HTTP/2: requests share connections.
#[derive(Debug)]
pub(crate) struct Http2 {
    targets: Vec<Rc<Endpoint>>,
    crowd: Rc<Crowd>,
    answering: Rc<Answering>,
    reuse: bool,
    resend_stale: bool,
}

/// What an error before the head of the reply means.
#[derive(Debug)]
enum Fate {
    /// The server has not looked at the request and says so.
    Unprocessed,
    /// The connection closed, and said nothing about it.
    Closed,
    Broken(String),
}

impl Http2 {
    pub(super) fn new(
        plan: &HttpPlan,
        targets: Vec<Endpoint>,
        connections: usize,
        answering: Rc<Answering>,
    ) -> Self {
        Self {
            crowd: Crowd::new(targets.len(), connections, plan.reuse, plan.idle_timeout),
            answering,
            reuse: plan.reuse,
            targets: targets.into_iter().map(Rc::new).collect(),
            resend_stale: plan.resend_stale,
        }
    }

    async fn exchange(
        &self,
        request: &Outgoing<'_>,
        mut place: Place,
        trace: &Trace,
    ) -> Result<(Reply, Instant), Failure> {
        let endpoint = &self.targets[usize::from(request.to)];
        loop {
            if place.makes {
                make(Rc::clone(endpoint), place.crowd(), Rc::clone(&place.on));
            }
            let sender = place.on.sender().await?;
            if place.makes {
                trace.connect.set(place.on.connect.get());
            }
            if place.allows_none() {
                // Another connection would fare no better.
                place.leave();
                return Err(Failure::connection(
                    "the server allows no stream: SETTINGS_MAX_CONCURRENT_STREAMS is 0",
                ));
            }
            if place.is_too_many() {
                drop(place);
                place = self.crowd.place(request.to, trace).await;
                continue;
            }
            let reused = place.on.used.replace(true);
            let fate = match send(sender, endpoint, request, trace, reused).await {
                Ok(response) => {
                    let (head, body) = response.into_parts();
                    let Read { reply, done, rest } =
                        read(head, Body::Http2(body), request.id).await?;
                    if let Some(rest) = rest {
                        endpoint.tail.finish(rest, move || drop(place));
                    }
                    return Ok((reply, done));
                }
                Err(fate) => fate,
            };
            match fate {
                // Never handed over: another connection takes its place, without a word.
                None => place.leave(),
                Some(Fate::Unprocessed) if trace.moved.get() < MOST_MOVES => {
                    trace.moved.set(trace.moved.get() + 1);
                    place.leave();
                }
                Some(Fate::Unprocessed) => {
                    return Err(Failure::connection(&format!(
                        "told {} times to take the request to another connection",
                        MOST_MOVES + 1
                    )));
                }
                Some(Fate::Closed) if reused => {
                    place.leave();
                    if !self.resend_stale || trace.resent.get() > 0 {
                        return Err(Failure::Stale);
                    }
                    trace.resent.set(trace.resent.get() + 1);
                }
                Some(Fate::Closed) => {
                    return Err(Failure::connection(
                        "broke before the reply: connection closed",
                    ));
                }
                Some(Fate::Broken(why)) => {
                    return Err(Failure::connection(&format!(
                        "broke before the reply: {why}"
                    )));
                }
            }
            drop(place);
            place = self.crowd.place(request.to, trace).await;
        }
    }
}

impl Transport for Http2 {
    async fn send(
        &self,
        request: &Outgoing<'_>,
        trace: &Trace,
    ) -> Result<(Reply, Instant), Failure> {
        let place = self.crowd.place(request.to, trace).await;
        match timeout(request.timeout, self.exchange(request, place, trace)).await {
            Ok(result) => result,
            Err(_) => Err(Failure::Timeout),
        }
    }

    fn connections(&self) -> ConnectionFacts {
        self.answering
            .facts(self.crowd.open_max() as u64, self.reuse)
    }
}

/// Sends one request and waits for the head of its reply. `Err(None)` when it was not handed over.
async fn send(
    sender: Option<SendRequest<Bytes>>,
    endpoint: &Endpoint,
    request: &Outgoing<'_>,
    trace: &Trace,
    reused: bool,
) -> Result<hyper::http::Response<h2::RecvStream>, Option<Fate>> {
    let mut sender = sender.ok_or(None)?.ready().await.map_err(|_| None)?;
    let mut head = Request::new(());
    *head.method_mut() = Method::POST;
    *head.uri_mut() = endpoint.whole.clone();
    *head.version_mut() = Version::HTTP_2;
    let mut headers = request.headers.map.clone();
    // The whole address says it already.
    headers.remove(HOST);
    headers.insert(CONTENT_LENGTH, HeaderValue::from(request.body.len()));
    for (name, value) in request.own_headers {
        headers.insert(name.clone(), value.clone());
    }
    *head.headers_mut() = headers;
    trace.sending(reused);
    let Ok((response, mut body)) = sender.send_request(head, false) else {
        trace.not_sent();
        return Err(None);
    };
    // When the connection has broken meanwhile the response says so.
    let _ = body.send_data(request.body.clone(), true);
    response.await.map_err(|e| Some(fate(&e)))
}

/// A stream that ends in GOAWAY without an error had a number above the last one that the server
/// took up, and REFUSED_STREAM says the same of a single one (RFC 9113, sections 6.8 and 8.7).
fn fate(error: &h2::Error) -> Fate {
    let reason = error.reason();
    let unprocessed = error.is_remote()
        && ((error.is_go_away() && reason == Some(Reason::NO_ERROR))
            || (error.is_reset() && reason == Some(Reason::REFUSED_STREAM)));
    if unprocessed {
        Fate::Unprocessed
    } else if error.is_io() {
        Fate::Closed
    } else {
        Fate::Broken(chain(error))
    }
}

/// Makes a connection aside and tells all that wait for it.
fn make(endpoint: Rc<Endpoint>, crowd: Rc<Crowd>, on: Rc<Shared>) {
    tokio::task::spawn_local(async move {
        let begin = Instant::now();
        let made = match timeout(LONGEST_CONNECT, open(&endpoint, &crowd, &on)).await {
            Ok(made) => made,
            Err(_) => Err(Failure::Timeout),
        };
        match &made {
            Ok(_) => on.connect.set(Some(begin.elapsed())),
            Err(_) => crowd.leave(&on),
        }
        on.is_made(made);
    });
}

/// A connection whose settings are known: the answer to a PING comes after them.
async fn open(
    endpoint: &Endpoint,
    crowd: &Rc<Crowd>,
    on: &Rc<Shared>,
) -> Result<SendRequest<Bytes>, Failure> {
    let io = endpoint.connect().await?;
    let no_http2 =
        |e: h2::Error| Failure::connection(&format!("does not speak HTTP/2: {}", chain(&e)));
    let (sender, mut connection) = Builder::new()
        .enable_push(false)
        .initial_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .handshake(io)
        .await
        .map_err(no_http2)?;
    let ping = connection.ping_pong();
    let (crowd, on) = (Rc::clone(crowd), Rc::clone(on));
    tokio::task::spawn_local(async move {
        // Its errors reach the requests that they break.
        let _ = connection.await;
        crowd.leave(&on);
    });
    if let Some(mut ping) = ping {
        ping.ping(Ping::opaque()).await.map_err(no_http2)?;
    }
    Ok(sender)
}
