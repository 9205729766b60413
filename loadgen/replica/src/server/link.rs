use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Waker};
use std::time::Duration;

use http::Version;
use tokio::time::Instant;

use crate::server::connections::Happened;
use crate::server::shared::Shared;

/// What is known of one connection while it is open. Its own task writes it and the keeper reads
/// it, on the same thread: the atomics are plain loads and stores in effect.
pub(crate) struct Link {
    pub(crate) shared: Arc<Shared>,
    opened_at: Instant,
    requests: AtomicU32,
    /// Of those, the ones begun before the task's present turn.
    requests_before: AtomicU32,
    in_flight: AtomicU32,
    http2: AtomicBool,
    /// Bytes have come since the last request began.
    head_begun: AtomicBool,
    /// Goes up when a write has to wait and again when it goes on: odd while it waits.
    stalls: AtomicU32,
    /// Nanoseconds from `opened_at` to the end of the last request, kept only under an idle limit.
    ended_ns: AtomicU64,
    order: AtomicU8,
    task: OnceLock<Waker>,
}

/// What a connection has been told to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
#[repr(u8)]
pub(crate) enum Order {
    Serve = 0,
    /// Finish what has begun, take nothing new.
    Finish = 1,
    /// End now.
    Cut = 2,
}

/// A connection's state at one moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) order: Order,
    pub(crate) requests: u32,
    pub(crate) in_flight: u32,
    pub(crate) opened_at: Instant,
    /// The end of the last request, or the opening.
    pub(crate) last_end: Instant,
    /// A request head has begun to arrive; never so for HTTP/2, where other frames come too.
    pub(crate) head_begun: bool,
    /// Odd while a write waits.
    pub(crate) stalls: u32,
}

impl Link {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            opened_at: Instant::now(),
            requests: AtomicU32::new(0),
            requests_before: AtomicU32::new(0),
            in_flight: AtomicU32::new(0),
            http2: AtomicBool::new(false),
            head_begun: AtomicBool::new(false),
            stalls: AtomicU32::new(0),
            ended_ns: AtomicU64::new(0),
            order: AtomicU8::new(Order::Serve as u8),
            task: OnceLock::new(),
        }
    }

    /// A request begins: its number on this connection, from 1, and a guard that ends it.
    pub(crate) fn begin(self: Arc<Self>, version: Version) -> (u32, InFlight) {
        let number = self.requests.load(Ordering::Relaxed).saturating_add(1);
        self.requests.store(number, Ordering::Relaxed);
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        self.head_begun.store(false, Ordering::Relaxed);
        if number == 1 {
            let http2 = version == Version::HTTP_2;
            self.http2.store(http2, Ordering::Relaxed);
            self.shared.connections.count(if http2 {
                Happened::Http2
            } else {
                Happened::Http1
            });
        }
        (number, InFlight(self))
    }

    /// The connection's task has its turn.
    pub(crate) fn turn_begins(&self) {
        let requests = self.requests.load(Ordering::Relaxed);
        self.requests_before.store(requests, Ordering::Relaxed);
    }

    /// Whether this turn has begun more than one request, since its client sends them without
    /// waiting for replies. Others should have their turn first.
    pub(crate) fn has_had_its_turn(&self) -> bool {
        let before = self.requests_before.load(Ordering::Relaxed);
        self.requests.load(Ordering::Relaxed) - before > 1
    }

    pub(crate) fn bytes_came(&self) {
        if self.in_flight.load(Ordering::Relaxed) == 0 {
            self.head_begun.store(true, Ordering::Relaxed);
        }
    }

    /// A write was tried; `waits` says that the socket took nothing.
    pub(crate) fn wrote(&self, waits: bool) {
        let stalls = self.stalls.load(Ordering::Relaxed);
        if waits != (stalls % 2 == 1) {
            self.stalls.store(stalls.wrapping_add(1), Ordering::Relaxed);
        }
    }

    pub(crate) fn seen(&self) -> Seen {
        let ended = Duration::from_nanos(self.ended_ns.load(Ordering::Relaxed));
        Seen {
            order: self.order(),
            requests: self.requests.load(Ordering::Relaxed),
            in_flight: self.in_flight.load(Ordering::Relaxed),
            opened_at: self.opened_at,
            last_end: self.opened_at + ended,
            head_begun: self.head_begun.load(Ordering::Relaxed)
                && !self.http2.load(Ordering::Relaxed),
            stalls: self.stalls.load(Ordering::Relaxed),
        }
    }

    pub(crate) fn order(&self) -> Order {
        match self.order.load(Ordering::Relaxed) {
            0 => Order::Serve,
            1 => Order::Finish,
            _ => Order::Cut,
        }
    }

    /// Tells the connection's task what to do. Orders only get stricter.
    pub(crate) fn tell(&self, order: Order) {
        self.order.fetch_max(order as u8, Ordering::Relaxed);
        if let Some(task) = self.task.get() {
            task.wake_by_ref();
        }
    }

    /// Remembers whom to wake. A task keeps one waker for its whole life, so the first is enough.
    pub(crate) fn listen(&self, cx: &Context<'_>) {
        self.task.get_or_init(|| cx.waker().clone());
    }
}

/// A request that has begun and whose reply has not been handed over wholly.
pub(crate) struct InFlight(Arc<Link>);

impl InFlight {
    pub(crate) fn link(&self) -> &Link {
        &self.0
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let link = &*self.0;
        link.in_flight.fetch_sub(1, Ordering::Relaxed);
        if link.shared.policy.idle().is_some() {
            let ns = u64::try_from(link.opened_at.elapsed().as_nanos()).unwrap_or(u64::MAX);
            link.ended_ns.store(ns, Ordering::Relaxed);
        }
    }
}
