use std::cell::RefCell;
use std::pin::pin;
use std::rc::Rc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1;
use hyper::header::{CONNECTION, CONTENT_LENGTH, HOST, HeaderValue};
use hyper::{HeaderMap, Method, Request};
use loadgen_measure::ConnectionFacts;
use tokio::time::Instant;

use super::answering::Answering;
use super::dial::Endpoint;
use super::driven::Driven;
use super::io::Io;
use super::lane::{self, Begun, Broken, Desk, Turn};
use super::patience::Patience;
use super::pool::{Lease, Line, Pool, Sender};
use super::reply::{Body, Read, chain, is_foreign, read};
use super::request::{digits, line};
use super::stream::Stream;
use super::{Failure, Outgoing, Trace, Transport};
use crate::classify::Reply;
use crate::plan::HttpPlan;

/// A request with a longer body is hyper's: what it is written from would stay as long as the thread.
const LONGEST_BODY: usize = 64 << 10;

/// HTTP/1.1: one request at a time on a connection. A usual exchange is made in one pass (`lane`); one
/// that turns out to be unusual is begun once more by hyper, which has the connection from then on.
#[derive(Debug)]
pub(crate) struct Http1 {
    targets: Vec<Endpoint>,
    pool: Rc<Pool>,
    answering: Rc<Answering>,
    desk: RefCell<Desk>,
    patience: Patience,
    reuse: bool,
    resend_stale: bool,
}

/// Why there is no reply over one connection.
#[derive(Debug)]
enum Fate {
    /// It was closed before anything was written.
    Unsent,
    Failed(Failure),
}

/// What has been done on a connection before hyper has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Nothing at all.
    Nothing,
    /// Other requests.
    Requests,
    /// This very request was sent, and something has come.
    This,
}

impl Http1 {
    pub(super) fn new(
        plan: &HttpPlan,
        targets: Vec<Endpoint>,
        connections: usize,
        answering: Rc<Answering>,
    ) -> Self {
        Self {
            pool: Pool::new(targets.len(), connections, plan.idle_timeout),
            targets,
            answering,
            desk: RefCell::default(),
            patience: Patience::default(),
            reuse: plan.reuse,
            resend_stale: plan.resend_stale,
        }
    }

    async fn exchange(
        &self,
        request: &Outgoing<'_>,
        lease: &mut Option<Lease>,
        trace: &Trace,
    ) -> Result<(Reply, Instant), Failure> {
        loop {
            let kept = lease.as_mut().and_then(Lease::take_kept);
            let reused = kept.is_some();
            // What not every request needs is boxed, and takes no room in the others.
            let line = match kept {
                Some(line) => line,
                None => Box::pin(self.connect(request.to, trace)).await?,
            };
            let ended = match line {
                Line::Bare(io) if request.body.len() <= LONGEST_BODY => {
                    self.by_lane(request, io, lease, reused, trace).await
                }
                line => Box::pin(self.by_hyper(request, line, lease, reused, trace)).await,
            };
            match ended {
                Ok(reply) => return Ok(reply),
                // A kept connection that the peer closed meanwhile: another one takes its place.
                Err(Fate::Unsent) if reused => {}
                Err(Fate::Unsent) => return Err(Failure::connection("closed at once")),
                // Once, and only over a connection that is new.
                Err(Fate::Failed(Failure::Stale)) if self.resend_stale => {
                    trace.resent.set(trace.resent.get() + 1);
                }
                Err(Fate::Failed(failure)) => return Err(failure),
            }
        }
    }

    async fn connect(&self, to: u16, trace: &Trace) -> Result<Line, Failure> {
        let begin = Instant::now();
        let io = self.targets[usize::from(to)].connect().await?;
        let line = if self.reuse {
            Line::Bare(io)
        } else {
            Line::Hyper(hand_over(io, Begun::default()).await?)
        };
        trace.connect.set(Some(begin.elapsed()));
        Ok(line)
    }

    #[expect(
        clippy::manual_async_fn,
        reason = "an async function would hold the connection twice, in each round"
    )]
    fn by_lane(
        &self,
        request: &Outgoing<'_>,
        mut io: Io,
        lease: &mut Option<Lease>,
        reused: bool,
        trace: &Trace,
    ) -> impl Future<Output = Result<(Reply, Instant), Fate>> {
        async move {
            trace.sending(reused);
            let write = |text: &mut Vec<u8>| self.write(request, text);
            match lane::exchange(&mut io, &self.desk, write).await {
                Ok(Turn::Whole(reply, is_tidy)) => {
                    let done = Instant::now();
                    // Left as it is, it is closed before its right is given back.
                    let stays = is_tidy && !is_foreign(&reply, request.id);
                    if stays && let Some(mut lease) = lease.take() {
                        lease.hold(Line::Bare(io));
                        lease.keep(done);
                    }
                    Ok((reply, done))
                }
                Ok(Turn::Unusual(begun)) if begun.came.is_empty() => Err(Fate::Failed(if reused {
                    Failure::Stale
                } else {
                    Failure::connection("broke before the reply: connection closed")
                })),
                Ok(Turn::Unusual(begun)) => {
                    Box::pin(self.by_taking_over(request, io, begun, lease, trace)).await
                }
                Err(broken) => Err(Fate::Failed(broke(&broken, reused))),
            }
        }
    }

    async fn by_taking_over(
        &self,
        request: &Outgoing<'_>,
        io: Io,
        begun: Begun,
        lease: &mut Option<Lease>,
        trace: &Trace,
    ) -> Result<(Reply, Instant), Fate> {
        let sender = hand_over(io, begun).await.map_err(Fate::Failed)?;
        self.send(request, sender, lease, Before::This, trace).await
    }

    async fn by_hyper(
        &self,
        request: &Outgoing<'_>,
        line: Line,
        lease: &mut Option<Lease>,
        reused: bool,
        trace: &Trace,
    ) -> Result<(Reply, Instant), Fate> {
        let sender = match line {
            Line::Hyper(sender) => sender,
            Line::Bare(io) => hand_over(io, Begun::default())
                .await
                .map_err(Fate::Failed)?,
        };
        let before = match reused {
            true => Before::Requests,
            false => Before::Nothing,
        };
        self.send(request, sender, lease, before, trace).await
    }

    async fn send(
        &self,
        request: &Outgoing<'_>,
        mut sender: Sender,
        lease: &mut Option<Lease>,
        before: Before,
        trace: &Trace,
    ) -> Result<(Reply, Instant), Fate> {
        let endpoint = &self.targets[usize::from(request.to)];
        // A kept connection that the peer closed meanwhile is noticed here, before anything is written.
        if sender.half.ready().await.is_err() {
            return Err(Fate::Unsent);
        }
        let reads = sender.reads.get();
        if before != Before::This {
            trace.sending(before == Before::Requests);
        }
        let message = self.message(endpoint, request);
        match sender.half.try_send_request(message).await {
            Ok(response) => {
                let (head, body) = response.into_parts();
                let read = read(head, Body::Http1(body), request.id).await;
                let Read { reply, done, rest } = read.map_err(Fate::Failed)?;
                let Some(mut lease) = lease.take() else {
                    return Ok((reply, done));
                };
                // With the lease, so that it is closed first where it is not kept. After a reply that
                // says `close` the connection can stay half alive for as long as the peer does not
                // read the rest of the request.
                let stays = self.reuse
                    && !says_close(&reply.fields.map())
                    && !is_foreign(&reply, request.id);
                lease.hold(Line::Hyper(sender));
                if let Some(rest) = rest {
                    let reuse = self.reuse;
                    endpoint.tail.finish(rest, move || {
                        if reuse {
                            lease.keep(Instant::now());
                        }
                    });
                } else if stays {
                    lease.keep(done);
                }
                Ok((reply, done))
            }
            Err(mut error) => {
                let was_kept = before == Before::Requests;
                if was_kept && error.take_message().is_some() {
                    trace.not_sent();
                    return Err(Fate::Unsent);
                }
                let silent = sender.reads.get() == reads;
                Err(Fate::Failed(failure(error.error(), was_kept && silent)))
            }
        }
    }

    /// Writes a request, byte for byte as hyper does.
    fn write(&self, request: &Outgoing<'_>, text: &mut Vec<u8>) {
        text.extend_from_slice(&self.targets[usize::from(request.to)].beginning);
        digits(text, request.body.len());
        text.extend_from_slice(b"\r\n");
        text.extend_from_slice(&request.headers.lines);
        for (name, value) in request.own_headers {
            line(text, name, value);
        }
        text.extend_from_slice(b"\r\n");
        text.extend_from_slice(&request.body);
    }

    fn message(&self, endpoint: &Endpoint, request: &Outgoing<'_>) -> Request<Full<Bytes>> {
        let length = HeaderValue::from(request.body.len());
        let mut message = Request::new(Full::new(request.body.clone()));
        *message.method_mut() = Method::POST;
        *message.uri_mut() = endpoint.path.clone();
        let mut headers: HeaderMap = request.headers.map.clone();
        headers.insert(HOST, endpoint.host.clone());
        headers.insert(CONTENT_LENGTH, length);
        if !self.reuse {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        for (name, value) in request.own_headers {
            headers.insert(name.clone(), value.clone());
        }
        *message.headers_mut() = headers;
        message
    }
}

impl Transport for Http1 {
    async fn send(
        &self,
        request: &Outgoing<'_>,
        trace: &Trace,
    ) -> Result<(Reply, Instant), Failure> {
        let lease = match self.pool.lease_at_once(request.to) {
            Some(lease) => lease,
            None => Box::pin(self.pool.lease(request.to, trace)).await,
        };
        let mut lease = Some(lease);
        let exchange = pin!(self.exchange(request, &mut lease, trace));
        let result = self.patience.within(request.timeout, exchange).await;
        result.unwrap_or(Err(Failure::Timeout))
    }

    fn connections(&self) -> ConnectionFacts {
        self.pool.look();
        self.answering
            .facts(self.pool.open_max() as u64, self.reuse)
    }
}

/// Gives a connection to hyper, with what has gone over it.
async fn hand_over(io: Io, begun: Begun) -> Result<Sender, Failure> {
    let reads = io.reads();
    let (half, connection) = http1::handshake(Stream::new(io, begun))
        .await
        .map_err(|e| Failure::connection(&e.to_string()))?;
    Ok(Sender {
        half,
        reads,
        _connection: Driven::new(connection),
    })
}

/// A connection that broke before its reply was whole. `reused`: it had carried another request.
fn broke(broken: &Broken, reused: bool) -> Failure {
    if reused && broken.silent {
        return Failure::Stale;
    }
    let place = if broken.inside { "inside" } else { "before" };
    Failure::connection(&format!(
        "broke {place} the reply: connection error: {}",
        broken.error
    ))
}

/// An error before the head of the reply came. `stale`: on a connection that had carried another
/// request, and without a byte since this one was sent.
fn failure(error: &hyper::Error, stale: bool) -> Failure {
    if error.is_parse() {
        let why = error.to_string();
        // Both limits are hyper's. More fields would cost every reply an allocation.
        return Failure::connection(&match why.as_str() {
            "message head is too large" => {
                "the head of the reply is no HTTP/1.1 that is read here: \
                more than 100 header fields, or too long"
                    .to_owned()
            }
            why => format!("the head of the reply is no HTTP/1.1: {why}"),
        });
    }
    if stale {
        return Failure::Stale;
    }
    Failure::connection(&format!("broke before the reply: {}", chain(error)))
}

fn says_close(headers: &HeaderMap) -> bool {
    let values = headers.get_all(CONNECTION).iter();
    values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|text| text.split(','))
        .any(|option| option.trim().eq_ignore_ascii_case("close"))
}
