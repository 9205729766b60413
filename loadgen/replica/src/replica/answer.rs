//! How a request is read and answered.

use std::future::ready;
use std::mem;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, request};
use hyper::body::Body;
use loadgen_protocol::Message;
use loadgen_protocol::names::method;

use crate::faults::Misled;
use crate::http::body::{self, BodyFault};
use crate::http::event_stream::{EventStream, Work};
use crate::http::fields::Fields;
use crate::http::gate::{Caller, Head};
use crate::http::mirror;
use crate::http::reply::{self, Reply};
use crate::notifier::Notifier;
use crate::refusal::Refusal;
use crate::replica::Replica;
use crate::reply_form::ReplyForm;
use crate::subscriptions::REQUEST_MAX_BYTES;
use crate::tally::Event;
use crate::timing::Timing;
use crate::visit::Visit;

impl Replica {
    pub(super) async fn answer<B>(
        self: &Arc<Self>,
        visit: &mut Visit<'_>,
        head: &mut request::Parts,
        body: &mut B,
        misled: Option<&Arc<Misled>>,
    ) -> Reply
    where
        B: Body<Data = Bytes, Error: Into<BodyFault>> + Unpin,
    {
        let fields = Fields::of(&head.headers);
        let waits = fields.wait();
        let caller = match self.gate.check(head, &fields) {
            Ok(caller) => caller,
            Err(refusal) => {
                // A client that is still sending would miss the reply if its body were left unread.
                if !waits {
                    Box::pin(body::drain(body)).await;
                }
                return self.refuse(visit, &refusal);
            }
        };
        let from = Head {
            caller,
            fields: &fields,
        };
        visit.note(|entry| {
            let verified = caller != Caller::Anybody;
            entry.principal(self.gate.name(from), verified);
        });
        let body = match body::collect(body, self.body_limit_bytes, waits).await {
            Ok(body) => body,
            Err(body::Incomplete::TooLarge) => return self.refuse(visit, &Refusal::BodySize),
            Err(body::Incomplete::Broken) => return self.refuse(visit, &Refusal::BodyBroken),
            Err(body::Incomplete::Slow) => return self.refuse(visit, &Refusal::BodySlow),
        };
        visit.note(|entry| entry.body(body.len()));
        if let Some(instead) = misled.and_then(|misled| misled.instead(&body)) {
            visit.note(|entry| entry.outcome("fault"));
            visit.answered(&instead);
            return instead;
        }
        if self.may_stream(&fields) {
            let misled = misled.cloned();
            let headers = mem::take(&mut head.headers);
            return self.stream(visit, caller, headers, body, misled).await;
        }
        let misled = misled.map(|misled| &**misled);
        let mut timing = Timing::start();
        let handled = self
            .handle(visit, from, &body, &Notifier::none(), misled, &mut timing)
            .await;
        let room = mem::take(&mut head.headers);
        let reply = self.finish(visit, handled, room, timing).await;
        if self.replies == ReplyForm::Sse {
            reply::as_events(reply)
        } else {
            reply
        }
    }

    /// Whether the reply may have to be a stream. The headers tell before the body is read, and
    /// headers that say something else than the body are refused in either form.
    fn may_stream(&self, fields: &Fields<'_>) -> bool {
        self.replies != ReplyForm::Json
            && (mirror::name(fields).is_some_and(|name| self.surface.may_speak(&name))
                || mirror::is_listen(fields))
    }

    /// Answers with events if anything comes before the last message; else as any other request.
    async fn stream(
        self: &Arc<Self>,
        visit: &mut Visit<'_>,
        caller: Caller,
        headers: HeaderMap,
        body: Bytes,
        misled: Option<Arc<Misled>>,
    ) -> Reply {
        let (notifier, mut notices) = Notifier::channel();
        let replica = Arc::clone(self);
        let paused = visit.pause();
        // Polled at once, so that the visit is resumed before its client can be lost.
        let mut work = Box::pin(self.faults.hold(async move {
            let mut visit = Visit::resume(paused, &replica.tally, replica.access_log.as_ref());
            let fields = Fields::of(&headers);
            let head = Head {
                caller,
                fields: &fields,
            };
            let misled = misled.as_deref();
            let mut timing = Timing::start();
            let handled = replica
                .handle(&mut visit, head, &body, &notifier, misled, &mut timing)
                .await;
            replica.finish(&mut visit, handled, headers, timing).await
        }));
        let (first, last): (_, Work) = tokio::select! {
            biased;
            Some(first) = notices.recv() => {
                (first, Box::pin(async move { reply::message(work.await) }))
            }
            reply = &mut work => match notices.try_recv() {
                Ok(first) => (first, Box::pin(ready(reply::message(reply)))),
                Err(_) if self.replies == ReplyForm::Sse => return reply::as_events(reply),
                Err(_) => return reply,
            },
        };
        reply::streaming(EventStream::new(first, notices, last))
    }

    /// Does what the request asks for.
    async fn handle(
        &self,
        visit: &mut Visit<'_>,
        head: Head<'_>,
        body: &[u8],
        notifier: &Notifier,
        misled: Option<&Misled>,
        timing: &mut Timing,
    ) -> Handled {
        let request = match Message::parse(body) {
            Ok(Message::Request(request)) => request,
            Ok(Message::Notification) => return Handled::Notification,
            Err(unusable) => {
                return otherwise(self.refusal(visit, unusable.id, &unusable.fault.into()));
            }
        };
        if request.method == method::LISTEN && body.len() > REQUEST_MAX_BYTES {
            let why = Refusal::Params("The request to listen is too long".into());
            return otherwise(self.refusal(visit, Some(request.id), &why));
        }
        visit.note(|entry| entry.request(request.id, &request.method));
        let performed = self
            .perform(visit, head, &request, notifier, misled, timing)
            .await;
        match performed {
            Ok((event, outcome)) => {
                self.tally.count(event);
                visit.note(|entry| entry.outcome(event.name()));
                match misled.and_then(|misled| misled.rewrite(&outcome)) {
                    None => Handled::Result(reply::outcome(request.id, &outcome)),
                    Some(wrong) => otherwise(reply::result(request.id, &wrong)),
                }
            }
            Err(refusal) => otherwise(match misled {
                None => self.refusal(visit, Some(request.id), &refusal),
                Some(misled) => self.misled_refusal(visit, &request, &refusal, misled),
            }),
        }
    }

    /// Makes one whole reply of what was done. The request's header map, which nobody needs any more,
    /// becomes the reply's: hyper keeps that for the next request of the connection, and so it never
    /// grows again.
    async fn finish(
        &self,
        visit: &mut Visit<'_>,
        handled: Handled,
        room: HeaderMap,
        timing: Timing,
    ) -> Reply {
        let mut reply = match handled {
            Handled::Result(body) => reply::with_body(body, room),
            Handled::Otherwise(reply) => *reply,
            Handled::Notification => {
                self.tally.count(Event::Notified);
                visit.note(|entry| entry.outcome(Event::Notified.name()));
                let reply = reply::accepted();
                visit.answered(&reply);
                return reply;
            }
        };
        reply::add(&mut reply, &visit.fields);
        let spent = timing.finish();
        reply::say_timing(&mut reply, &spent);
        self.tally.spent(&spent);
        visit.note(|entry| entry.spent(&spent));
        // A freeze may have begun since.
        if self.faults.is_active() {
            Box::pin(self.faults.wait()).await;
        }
        visit.answered(&reply);
        reply
    }
}

/// What has become of a request that was read.
enum Handled {
    /// The body of a reply with its result.
    Result(Vec<u8>),
    /// Any other reply; in a box, since it is far longer and this is moved on.
    Otherwise(Box<Reply>),
    Notification,
}

fn otherwise(reply: Reply) -> Handled {
    Handled::Otherwise(Box::new(reply))
}
