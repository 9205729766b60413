//! Requests out, replies in. Everything that touches a socket is below here.

mod answering;
mod client;
mod crowd;
mod dial;
mod driven;
mod head;
mod http1;
mod http2;
mod io;
mod lane;
mod patience;
mod pool;
mod reply;
mod request;
mod sources;
mod stream;
mod timing;
mod tls;

use std::cell::Cell;
use std::time::Duration;

use bytes::Bytes;
use hyper::header::{HeaderName, HeaderValue};
use loadgen_measure::{ConnectionFacts, SlotLimit};
use tokio::time::Instant;

use crate::classify::{Reply, clip};

pub(crate) use client::Http;
pub(crate) use request::RequestHeaders;
pub(crate) use tls::tls;

/// One request.
#[derive(Debug)]
pub(crate) struct Outgoing<'a> {
    /// Position of the replica.
    pub(crate) to: u16,
    /// Headers that other requests have too.
    pub(crate) headers: &'a RequestHeaders,
    /// Those that only this request has; none of them is among the others.
    pub(crate) own_headers: &'a [(HeaderName, HeaderValue)],
    /// The JSON-RPC id as written: in an event stream the reply is the message that echoes it.
    pub(crate) id: &'a str,
    /// The JSON text.
    pub(crate) body: Bytes,
    /// Longest time from having a connection slot to the whole reply.
    pub(crate) timeout: Duration,
}

/// What can be known of an exchange before it is over.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    /// When the request was first handed to a connection.
    pub(crate) first_sent: Cell<Option<Instant>>,
    /// When it was last handed to one.
    pub(crate) sent: Cell<Option<Instant>>,
    /// Whether that connection had carried another request.
    pub(crate) reused: Cell<bool>,
    /// How long connecting took, if a connection was made.
    pub(crate) connect: Cell<Option<Duration>>,
    /// What was waited for before a connection could be used, and how long; see
    /// [`Trace::slot_wait`].
    wait: Cell<Option<(SlotLimit, Duration)>>,
    /// What is waited for now, and since when.
    in_line: Cell<Option<(SlotLimit, Instant)>>,
    /// How often it was sent again after a stale connection.
    pub(crate) resent: Cell<u8>,
    /// How often the server told it to go to another connection.
    pub(crate) moved: Cell<u8>,
}

impl Trace {
    /// The request is handed to a connection, now.
    fn sending(&self, reused: bool) {
        let now = Instant::now();
        self.reused.set(reused);
        self.sent.set(Some(now));
        if self.first_sent.get().is_none() {
            self.first_sent.set(Some(now));
        }
    }

    /// It was not handed over after all: that connection was closed.
    fn not_sent(&self) {
        self.sent.set(None);
        if self.resent.get() + self.moved.get() == 0 {
            self.first_sent.set(None);
        }
    }

    /// The request stands in line for a connection or a stream, from now on.
    pub(crate) fn stands_in_line(&self, limit: SlotLimit) {
        self.in_line.set(Some((limit, Instant::now())));
    }

    /// It has what it stood in line for.
    fn has_slot(&self) {
        self.wait.set(self.slot_wait());
        self.in_line.set(None);
    }

    /// What was waited for, or still is, before a connection could be used, and how long so far.
    pub(crate) fn slot_wait(&self) -> Option<(SlotLimit, Duration)> {
        let before = self.wait.get();
        let Some((limit, since)) = self.in_line.get() else {
            return before;
        };
        let before = before.map_or(Duration::ZERO, |(_, time)| time);
        Some((limit, before + since.elapsed()))
    }
}

/// Why there is no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// No connection could be made, or it broke before the reply was whole.
    Connection(String),
    /// A kept-alive connection was closed by the peer before the head of the reply was whole.
    Stale,
    /// Not whole in the allowed time.
    Timeout,
    /// Our own shortage: file descriptors, ports.
    Generator(String),
}

impl Failure {
    /// No connection, or a broken one. Some of the words may be the peer's: GOAWAY carries as many as
    /// it likes.
    fn connection(why: &str) -> Self {
        Self::Connection(clip(why))
    }
}

/// Carries requests to replicas.
pub(crate) trait Transport {
    /// Sends one request and gives the reply with the moment it was whole.
    fn send(
        &self,
        request: &Outgoing<'_>,
        trace: &Trace,
    ) -> impl Future<Output = Result<(Reply, Instant), Failure>>;

    /// How many connections were open, and answered.
    fn connections(&self) -> ConnectionFacts;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_peer_do_not_flood_or_steer_the_terminal() {
        let long = format!("broke: \u{1b}[2J\n{}", "x".repeat(10_000));
        let Failure::Connection(why) = Failure::connection(&long) else {
            panic!("it is one of a connection");
        };
        assert!(why.chars().count() < 300, "{}", why.len());
        assert!(!why.contains(char::is_control), "{why:?}");
    }
}
