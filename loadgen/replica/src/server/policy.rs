use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::watch;

/// What a server does with its connections. Each part can be changed while it serves, from any
/// thread; everything is off at first.
#[derive(Debug)]
pub struct ConnectionPolicy {
    /// Most connections in the low half, [`OverLimit`] above it; 0 for no limit.
    accept: AtomicU64,
    /// Microseconds; 0 for never.
    idle_us: AtomicU64,
    /// Requests; 0 for no end.
    recycle: AtomicU32,
    /// Bytes in the low half, milliseconds above it; 0 for no dripping.
    drip: AtomicU64,
    /// Tells those who wait for a deadline that it has moved.
    changed: watch::Sender<()>,
}

/// How many connections may be open at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AcceptLimit {
    /// Most connections that are open at once.
    pub open: NonZeroU32,
    /// What happens to the others.
    pub over: OverLimit,
}

/// What happens to connections beyond an [`AcceptLimit`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverLimit {
    /// They stay in the listener's backlog until one of the open ones ends, as with Tomcat's
    /// `maxConnections` or `HAProxy`'s `maxconn`: clients connect and get no answer.
    Wait,
    /// They are accepted and closed at once, as with Node's `server.maxConnections`.
    Close,
}

/// A reply body that is sent piece by piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drip {
    /// Bytes in a piece.
    pub piece_bytes: NonZeroU32,
    /// Pause before each piece, in whole milliseconds.
    pub pause: Duration,
}

impl Default for ConnectionPolicy {
    fn default() -> Self {
        Self {
            accept: AtomicU64::new(0),
            idle_us: AtomicU64::new(0),
            recycle: AtomicU32::new(0),
            drip: AtomicU64::new(0),
            changed: watch::Sender::new(()),
        }
    }
}

impl ConnectionPolicy {
    /// Limits how many connections are open at once; `None` lifts the limit. Connections that are
    /// open already stay.
    pub fn limit_accepts(&self, limit: Option<AcceptLimit>) {
        let packed = limit.map_or(0, |limit| {
            u64::from(limit.open.get()) | u64::from(limit.over == OverLimit::Close) << 32
        });
        self.accept.store(packed, Ordering::Relaxed);
        self.changed.send_replace(());
    }

    /// The limit on open connections.
    pub fn accept_limit(&self) -> Option<AcceptLimit> {
        let packed = self.accept.load(Ordering::Relaxed);
        Some(AcceptLimit {
            open: low(packed)?,
            over: if packed >> 32 == 0 {
                OverLimit::Wait
            } else {
                OverLimit::Close
            },
        })
    }

    /// Closes connections on which no request was in flight for `idle`, exact to a microsecond as
    /// far as the runtime's timer is (1 ms); `None` keeps them for ever. Time before the call does
    /// not count. HTTP/2 connections are told by GOAWAY.
    pub fn close_idle(&self, idle: Option<Duration>) {
        let us = idle.map_or(0, |idle| {
            u64::try_from(idle.as_micros()).unwrap_or(u64::MAX).max(1)
        });
        self.idle_us.store(us, Ordering::Relaxed);
        self.changed.send_replace(());
    }

    /// After how long without a request in flight a connection is closed.
    pub fn idle(&self) -> Option<Duration> {
        match self.idle_us.load(Ordering::Relaxed) {
            0 => None,
            us => Some(Duration::from_micros(us)),
        }
    }

    /// Ends each connection after this many requests: HTTP/1.1 by `Connection: close` in the last
    /// reply, HTTP/2 by GOAWAY with `NO_ERROR`, after which streams that had begun are finished.
    /// `None` for no end.
    pub fn recycle_after(&self, requests: Option<NonZeroU32>) {
        self.recycle
            .store(requests.map_or(0, NonZeroU32::get), Ordering::Relaxed);
    }

    /// After how many requests a connection ends.
    pub fn recycle(&self) -> Option<NonZeroU32> {
        NonZeroU32::new(self.recycle.load(Ordering::Relaxed))
    }

    /// Sends the bodies of the replies that follow in pieces; `None` sends them as they come.
    /// Pauses beyond 49 days are that long.
    pub fn drip_replies(&self, drip: Option<Drip>) {
        let packed = drip.map_or(0, |drip| {
            let ms = u32::try_from(drip.pause.as_millis()).unwrap_or(u32::MAX);
            u64::from(drip.piece_bytes.get()) | u64::from(ms) << 32
        });
        self.drip.store(packed, Ordering::Relaxed);
    }

    /// How reply bodies are sent in pieces.
    pub fn drip(&self) -> Option<Drip> {
        let packed = self.drip.load(Ordering::Relaxed);
        Some(Drip {
            piece_bytes: low(packed)?,
            pause: Duration::from_millis(packed >> 32),
        })
    }

    /// Becomes ready whenever a limit or an idle time was set.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }
}

impl Drip {
    pub(crate) fn piece(self) -> NonZeroUsize {
        NonZeroUsize::try_from(self.piece_bytes).unwrap_or(NonZeroUsize::MAX)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the low half is what is asked for"
)]
fn low(packed: u64) -> Option<NonZeroU32> {
    NonZeroU32::new(packed as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n(n: u32) -> NonZeroU32 {
        NonZeroU32::new(n).unwrap()
    }

    #[test]
    fn everything_is_off_at_first_and_after_none() {
        let policy = ConnectionPolicy::default();
        let off = |p: &ConnectionPolicy| {
            p.accept_limit().is_none()
                && p.idle().is_none()
                && p.recycle().is_none()
                && p.drip().is_none()
        };
        assert!(off(&policy));
        policy.limit_accepts(Some(AcceptLimit {
            open: n(1),
            over: OverLimit::Wait,
        }));
        policy.close_idle(Some(Duration::ZERO));
        policy.recycle_after(Some(n(1)));
        policy.drip_replies(Some(Drip {
            piece_bytes: n(1),
            pause: Duration::ZERO,
        }));
        assert!(policy.accept_limit().is_some() && policy.idle().is_some());
        assert!(policy.recycle().is_some() && policy.drip().is_some());
        policy.limit_accepts(None);
        policy.close_idle(None);
        policy.recycle_after(None);
        policy.drip_replies(None);
        assert!(off(&policy));
    }

    #[test]
    fn what_was_set_is_read_back() {
        let policy = ConnectionPolicy::default();
        for over in [OverLimit::Wait, OverLimit::Close] {
            let limit = AcceptLimit {
                open: n(u32::MAX),
                over,
            };
            policy.limit_accepts(Some(limit));
            assert_eq!(policy.accept_limit(), Some(limit));
        }
        let drip = Drip {
            piece_bytes: n(u32::MAX),
            pause: Duration::from_millis(u64::from(u32::MAX)),
        };
        policy.drip_replies(Some(drip));
        assert_eq!(policy.drip(), Some(drip));
        policy.close_idle(Some(Duration::from_millis(1500)));
        assert_eq!(policy.idle(), Some(Duration::from_millis(1500)));
        policy.recycle_after(Some(n(7)));
        assert_eq!(policy.recycle(), Some(n(7)));
    }

    #[test]
    fn those_who_wait_hear_of_a_new_deadline() {
        let policy = ConnectionPolicy::default();
        let changes = policy.changes();
        assert!(!changes.has_changed().unwrap());
        policy.close_idle(Some(Duration::from_secs(1)));
        assert!(changes.has_changed().unwrap());
    }
}
