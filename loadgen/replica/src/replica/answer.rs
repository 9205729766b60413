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
use crate::http::gate::{self, Caller, Head};
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
        let waits = gate::waits(&head.headers);
        let caller = match self.gate.check(head) {
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
            headers: &head.headers,
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
        if self.may_stream(&head.headers) {
            let misled = misled.cloned();
            let headers = mem::take(&mut head.headers);
            return self.stream(visit, caller, headers, body, misled).await;
        }
        let misled = misled.map(|misled| &**misled);
        let reply = self
            .handle(visit, from, &body, &Notifier::none(), misled)
            .await;
        if self.replies == ReplyForm::Sse {
            reply::as_events(reply)
        } else {
            reply
        }
    }

    /// Whether the reply may have to be a stream. The headers tell before the body is read, and
    /// headers that say something else than the body are refused in either form.
    fn may_stream(&self, headers: &HeaderMap) -> bool {
        self.replies != ReplyForm::Json
            && (mirror::name(headers).is_some_and(|name| self.surface.may_speak(&name))
                || mirror::is_listen(headers))
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
            let head = Head {
                caller,
                headers: &headers,
            };
            let misled = misled.as_deref();
            replica
                .handle(&mut visit, head, &body, &notifier, misled)
                .await
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

    /// Answers with one whole reply.
    async fn handle(
        &self,
        visit: &mut Visit<'_>,
        head: Head<'_>,
        body: &[u8],
        notifier: &Notifier,
        misled: Option<&Misled>,
    ) -> Reply {
        let mut timing = Timing::start();
        let message = Message::parse(body);
        let mut reply = match &message {
            Ok(Message::Request(request))
                if request.method == method::LISTEN && body.len() > REQUEST_MAX_BYTES =>
            {
                let why = "The request to listen is too long";
                self.refusal(visit, Some(request.id), &Refusal::Params(why.into()))
            }
            Ok(Message::Request(request)) => {
                visit.note(|entry| entry.request(request.id, &request.method));
                let performed = self
                    .perform(visit, head, request, notifier, misled, &mut timing)
                    .await;
                match performed {
                    Ok((event, outcome)) => {
                        self.tally.count(event);
                        visit.note(|entry| entry.outcome(event.name()));
                        match misled.and_then(|misled| misled.rewrite(&outcome)) {
                            None => reply::outcome(request.id, &outcome),
                            Some(wrong) => reply::result(request.id, &wrong),
                        }
                    }
                    Err(refusal) => match misled {
                        None => self.refusal(visit, Some(request.id), &refusal),
                        Some(misled) => self.misled_refusal(visit, request, &refusal, misled),
                    },
                }
            }
            Ok(Message::Notification) => {
                self.tally.count(Event::Notified);
                visit.note(|entry| entry.outcome(Event::Notified.name()));
                let reply = reply::accepted();
                visit.answered(&reply);
                return reply;
            }
            Err(unusable) => self.refusal(visit, unusable.id, &unusable.fault.into()),
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
