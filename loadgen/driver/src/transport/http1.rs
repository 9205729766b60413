use std::rc::Rc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1;
use hyper::header::{CONNECTION, CONTENT_LENGTH, HOST, HeaderValue};
use hyper::{HeaderMap, Method, Request};
use loadgen_measure::ConnectionFacts;
use tokio::time::{Instant, timeout};

use super::answering::Answering;
use super::dial::Endpoint;
use super::driven::Driven;
use super::pool::{Lease, Pool, Sender};
use super::reply::{Body, Read, chain, read};
use super::stream::Stream;
use super::{Failure, Outgoing, Trace, Transport};
use crate::classify::Reply;
use crate::plan::HttpPlan;

/// HTTP/1.1: one request at a time on a connection.
#[derive(Debug)]
pub(crate) struct Http1 {
    targets: Vec<Endpoint>,
    pool: Rc<Pool>,
    answering: Rc<Answering>,
    reuse: bool,
    resend_stale: bool,
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
            reuse: plan.reuse,
            resend_stale: plan.resend_stale,
        }
    }

    async fn exchange(
        &self,
        request: &mut Outgoing<'_>,
        mut lease: Lease,
        trace: &Trace,
    ) -> Result<(Reply, Instant), Failure> {
        let endpoint = &self.targets[usize::from(request.to)];
        // Kept only where it may be needed again: sharing it costs an allocation.
        let body = if self.resend_stale {
            request.body.clone()
        } else {
            std::mem::take(&mut request.body)
        };
        let mut message = self.message(endpoint, request, body);
        loop {
            let kept = lease.take_kept();
            let reused = kept.is_some();
            let mut sender = match kept {
                Some(sender) => sender,
                None => connect(endpoint, trace).await?,
            };
            // A kept connection that the peer closed meanwhile is noticed here, before anything is
            // written: another one takes its place.
            if sender.half.ready().await.is_err() {
                if reused {
                    continue;
                }
                return Err(Failure::connection("closed at once"));
            }
            let reads = sender.reads.get();
            trace.sending(reused);
            match sender.half.try_send_request(message).await {
                Ok(response) => {
                    let (head, body) = response.into_parts();
                    let Read { reply, done, rest } =
                        read(head, Body::Http1(body), request.id).await?;
                    // With the lease, so that it is closed first where it is not kept.
                    lease.hold(sender);
                    if let Some(rest) = rest {
                        let reuse = self.reuse;
                        endpoint.tail.finish(rest, move || {
                            if reuse {
                                lease.keep(Instant::now());
                            }
                        });
                    // After a reply that says `close` the connection can stay half alive for as
                    // long as the peer does not read the rest of the request.
                    } else if self.reuse && !says_close(&reply.fields) {
                        lease.keep(done);
                    }
                    return Ok((reply, done));
                }
                Err(mut error) => {
                    if let (true, Some(unsent)) = (reused, error.take_message()) {
                        trace.not_sent();
                        message = unsent;
                        continue;
                    }
                    let silent = sender.reads.get() == reads;
                    let failure = failure(error.error(), reused && silent);
                    // Once, and only over a connection that is new.
                    if failure != Failure::Stale || !self.resend_stale {
                        return Err(failure);
                    }
                    trace.resent.set(trace.resent.get() + 1);
                    message = self.message(endpoint, request, request.body.clone());
                }
            }
        }
    }

    fn message(
        &self,
        endpoint: &Endpoint,
        request: &Outgoing<'_>,
        body: Bytes,
    ) -> Request<Full<Bytes>> {
        let length = HeaderValue::from(body.len());
        let mut message = Request::new(Full::new(body));
        *message.method_mut() = Method::POST;
        *message.uri_mut() = endpoint.path.clone();
        let mut headers: HeaderMap = request.headers.clone();
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
        mut request: Outgoing<'_>,
        trace: &Trace,
    ) -> Result<(Reply, Instant), Failure> {
        let lease = self.pool.lease(request.to, trace).await;
        match timeout(request.timeout, self.exchange(&mut request, lease, trace)).await {
            Ok(result) => result,
            Err(_) => Err(Failure::Timeout),
        }
    }

    fn connections(&self) -> ConnectionFacts {
        self.answering
            .facts(self.pool.open_max() as u64, self.reuse)
    }
}

async fn connect(endpoint: &Endpoint, trace: &Trace) -> Result<Sender, Failure> {
    let begin = Instant::now();
    let io = endpoint.connect().await?;
    let reads = io.reads();
    let (half, connection) = http1::handshake(Stream::new(io))
        .await
        .map_err(|e| Failure::connection(&e.to_string()))?;
    trace.connect.set(Some(begin.elapsed()));
    Ok(Sender {
        half,
        reads,
        _connection: Driven::new(connection),
    })
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
