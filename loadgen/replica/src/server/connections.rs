use std::sync::atomic::{AtomicU64, Ordering};

/// What became of a server's connections, counted while it serves.
#[derive(Debug, Default)]
pub struct Connections {
    accepted: AtomicU64,
    ended: AtomicU64,
    http1: AtomicU64,
    http2: AtomicU64,
    refused_by_limit: AtomicU64,
    closed_idle: AtomicU64,
    closed_slow: AtomicU64,
    recycled: AtomicU64,
    cut: AtomicU64,
    handshake_failed: AtomicU64,
}

/// One thing that happens to a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Happened {
    Accepted,
    Ended,
    Http1,
    Http2,
    RefusedByLimit,
    ClosedIdle,
    ClosedSlow,
    Recycled,
    Cut,
    HandshakeFailed,
}

/// [`Connections`] at one moment. Counts are read one by one, so under load they belong to slightly
/// different moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionCounts {
    /// Taken from the listener, with those refused by the limit.
    pub accepted: u64,
    /// Open now.
    pub open: u64,
    /// Connections whose first request came over HTTP/1.0 or HTTP/1.1.
    pub http1: u64,
    /// Connections whose first request came over HTTP/2.
    pub http2: u64,
    /// Closed at once because too many were open.
    pub refused_by_limit: u64,
    /// Closed because no request was in flight for the time that the policy gives.
    pub closed_idle: u64,
    /// Cut off because a handshake, a request head or the reading of a reply took too long.
    pub closed_slow: u64,
    /// Ended because they had served as many requests as the policy gives.
    pub recycled: u64,
    /// Requests whose connection (HTTP/1.1) or stream (HTTP/2) was cut off instead of a reply.
    pub cut: u64,
    /// TLS handshakes that failed.
    pub handshake_failed: u64,
}

impl Connections {
    pub(crate) fn count(&self, what: Happened) {
        let counter = match what {
            Happened::Accepted => &self.accepted,
            Happened::Ended => &self.ended,
            Happened::Http1 => &self.http1,
            Happened::Http2 => &self.http2,
            Happened::RefusedByLimit => &self.refused_by_limit,
            Happened::ClosedIdle => &self.closed_idle,
            Happened::ClosedSlow => &self.closed_slow,
            Happened::Recycled => &self.recycled,
            Happened::Cut => &self.cut,
            Happened::HandshakeFailed => &self.handshake_failed,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// How many are open now.
    pub fn open(&self) -> u64 {
        // The ends first: one that comes between the two readings must not make the count negative.
        let ended = self.ended.load(Ordering::Relaxed);
        self.accepted.load(Ordering::Relaxed).saturating_sub(ended)
    }

    /// All counts now.
    pub fn read(&self) -> ConnectionCounts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        ConnectionCounts {
            open: self.open(),
            accepted: read(&self.accepted),
            http1: read(&self.http1),
            http2: read(&self.http2),
            refused_by_limit: read(&self.refused_by_limit),
            closed_idle: read(&self.closed_idle),
            closed_slow: read(&self.closed_slow),
            recycled: read(&self.recycled),
            cut: read(&self.cut),
            handshake_failed: read(&self.handshake_failed),
        }
    }
}
