use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::header::CONNECTION;
use http::{HeaderValue, Request, Response, Version};
use hyper::body::{Body, Incoming};
use tokio::task::yield_now;

use crate::server::connections::Happened;
use crate::server::cut::Cut;
use crate::server::intake::Intake;
use crate::server::link::{Link, Order};
use crate::server::outgoing::Outgoing;

/// What the replica's replies are made of.
pub(crate) trait ReplyBody:
    Body<Data = Bytes, Error = Infallible> + Send + Unpin + 'static
{
}

impl<B: Body<Data = Bytes, Error = Infallible> + Send + Unpin + 'static> ReplyBody for B {}

/// Answers one request of a connection.
///
/// # Errors
/// When the connection is to be cut instead of answered.
pub(crate) fn answer(
    link: Arc<Link>,
    request: Request<Incoming>,
) -> impl Future<Output = Result<Response<Outgoing<impl ReplyBody>>, Cut>> {
    let version = request.version();
    // Counted here and not in the future: HTTP/2 runs that elsewhere and later.
    let (number, in_flight) = Link::begin(link, version);
    let link = in_flight.link();
    let shared = &link.shared;
    let is_last = shared.policy.recycle().is_some_and(|n| number >= n.get());
    if is_last && link.order() == Order::Serve {
        shared.connections.count(Happened::Recycled);
        if version == Version::HTTP_2 {
            link.tell(Order::Finish);
        }
    }
    let limit_bytes = shared.replica.body_limit_bytes();
    let (mut head, body) = request.into_parts();
    let mut body = Intake::new(body, limit_bytes, &shared.large_bodies);
    // Streams of HTTP/2 have turns of their own.
    let must_wait = version != Version::HTTP_2 && link.has_had_its_turn();
    async move {
        if must_wait {
            yield_now().await;
        }
        let shared = &in_flight.link().shared;
        let mut reply = shared.replica.reply_to(&mut head, &mut body).await;
        if Cut::is_wanted(&reply) {
            shared.connections.count(Happened::Cut);
            return Err(Cut);
        }
        if is_last && version != Version::HTTP_2 {
            let close = HeaderValue::from_static("close");
            reply.headers_mut().insert(CONNECTION, close);
        }
        let drip = shared.policy.drip();
        Ok(reply.map(|body| Outgoing::new(body, drip, in_flight)))
    }
}
