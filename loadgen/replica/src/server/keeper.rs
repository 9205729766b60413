use std::time::Duration;

use tokio::time::Instant;

use crate::server::link::{Order, Seen};

/// How often connections are looked at for what is not exact to the moment.
pub(crate) const TICK: Duration = Duration::from_secs(1);

/// How long a connection may take to its first request (a TLS handshake and the HTTP/2 preface
/// included), and an HTTP/1.1 request head from its first byte to its last.
const HEAD_TIME: Duration = Duration::from_secs(30);

/// How long a client may leave a reply unread once the socket takes nothing more.
const UNREAD_TIME: Duration = Duration::from_secs(60);

/// How long a connection that was told to finish may stay without a request in flight.
const LINGER: Duration = Duration::from_secs(10);

/// Judges one connection again and again, and remembers since when it has been as it is.
#[derive(Debug, Default)]
pub(crate) struct Keeper {
    head: Option<Since>,
    stall: Option<Since>,
    finishing: Option<Instant>,
}

/// Since when something has been seen to stand still at `count`.
#[derive(Debug, Clone, Copy)]
struct Since {
    count: u32,
    at: Instant,
}

/// The idle limit in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Idle {
    pub(crate) after: Duration,
    /// Time before this does not count.
    pub(crate) since: Instant,
}

/// What to do with a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Keep,
    /// Too long without a request in flight.
    Idle,
    /// Too slow a client: cut it off.
    Slow,
    /// Told to finish and nothing in flight, yet still there.
    Leftover,
}

impl Keeper {
    /// Judges what is `seen` at `now`. Handshakes, heads and unread replies are timed between
    /// calls, so their limits are exact to the time between two.
    pub(crate) fn judge(&mut self, seen: &Seen, idle: Option<Idle>, now: Instant) -> Verdict {
        if seen.order != Order::Serve {
            let told = *self.finishing.get_or_insert(now);
            if seen.in_flight == 0 && now - told >= LINGER {
                return Verdict::Leftover;
            }
        }
        let stalled = seen.stalls % 2 == 1;
        if stands(&mut self.stall, stalled, seen.stalls, now) >= UNREAD_TIME {
            return Verdict::Slow;
        }
        if seen.in_flight > 0 {
            self.head = None;
            return Verdict::Keep;
        }
        let first =
            seen.requests == 0 && now.saturating_duration_since(seen.opened_at) >= HEAD_TIME;
        if first || stands(&mut self.head, seen.head_begun, seen.requests, now) >= HEAD_TIME {
            return Verdict::Slow;
        }
        match idle {
            Some(idle) if now >= idle.deadline(seen) && seen.order == Order::Serve => Verdict::Idle,
            _ => Verdict::Keep,
        }
    }
}

impl Idle {
    /// When a connection has been idle for too long, if nothing happens on it until then; it
    /// cannot be earlier.
    pub(crate) fn deadline(&self, seen: &Seen) -> Instant {
        seen.last_end.max(self.since) + self.after
    }
}

/// How long something has been seen to be so, at one and the same count.
fn stands(since: &mut Option<Since>, is_so: bool, count: u32, now: Instant) -> Duration {
    if !is_so {
        *since = None;
        return Duration::ZERO;
    }
    match since {
        Some(since) if since.count == count => now - since.at,
        _ => {
            *since = Some(Since { count, at: now });
            Duration::ZERO
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(at: Instant) -> Seen {
        Seen {
            order: Order::Serve,
            requests: 1,
            in_flight: 0,
            opened_at: at,
            last_end: at,
            head_begun: false,
            stalls: 0,
        }
    }

    fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_used_connection_may_stay_for_ever_without_an_idle_limit() {
        let (mut keeper, now) = (Keeper::default(), Instant::now());
        assert_eq!(
            keeper.judge(&seen(now), None, now + s(1_000_000)),
            Verdict::Keep
        );
    }

    #[test]
    fn the_first_request_must_begin_in_time() {
        let (mut keeper, now) = (Keeper::default(), Instant::now());
        let unused = Seen {
            requests: 0,
            ..seen(now)
        };
        let almost = now + HEAD_TIME - s(1);
        assert_eq!(keeper.judge(&unused, None, almost), Verdict::Keep);
        assert_eq!(keeper.judge(&unused, None, now + HEAD_TIME), Verdict::Slow);
    }

    #[test]
    fn a_head_must_end_in_time_and_each_request_starts_anew() {
        let (mut keeper, now) = (Keeper::default(), Instant::now());
        let mut half = Seen {
            head_begun: true,
            ..seen(now)
        };
        for t in 0..30 {
            assert_eq!(keeper.judge(&half, None, now + s(t)), Verdict::Keep, "{t}");
        }
        half.requests = 2;
        assert_eq!(keeper.judge(&half, None, now + s(30)), Verdict::Keep);
        assert_eq!(keeper.judge(&half, None, now + s(59)), Verdict::Keep);
        assert_eq!(keeper.judge(&half, None, now + s(60)), Verdict::Slow);
    }

    #[test]
    fn an_unread_reply_is_given_up_unless_it_moves() {
        let (mut keeper, now) = (Keeper::default(), Instant::now());
        let mut stuck = Seen {
            in_flight: 1,
            stalls: 1,
            ..seen(now)
        };
        assert_eq!(keeper.judge(&stuck, None, now), Verdict::Keep);
        stuck.stalls = 3;
        assert_eq!(keeper.judge(&stuck, None, now + s(59)), Verdict::Keep);
        assert_eq!(keeper.judge(&stuck, None, now + s(118)), Verdict::Keep);
        assert_eq!(keeper.judge(&stuck, None, now + s(119)), Verdict::Slow);
        stuck.stalls = 4;
        assert_eq!(keeper.judge(&stuck, None, now + s(200)), Verdict::Keep);
    }

    #[test]
    fn idleness_counts_from_the_last_end_or_from_the_limit_if_that_is_later() {
        let (mut keeper, now) = (Keeper::default(), Instant::now());
        let limit = |since| {
            Some(Idle {
                after: s(5),
                since: now + s(since),
            })
        };
        let mut link = seen(now + s(10));
        let mut judge = |link: &Seen, since, at| keeper.judge(link, limit(since), now + s(at));
        assert_eq!(judge(&link, 0, 14), Verdict::Keep);
        assert_eq!(judge(&link, 0, 15), Verdict::Idle);
        assert_eq!(judge(&link, 12, 16), Verdict::Keep);
        assert_eq!(judge(&link, 12, 17), Verdict::Idle);
        link.in_flight = 1;
        assert_eq!(judge(&link, 0, 29), Verdict::Keep);
    }

    #[test]
    fn a_finished_connection_that_stays_is_cut_and_a_busy_one_is_not() {
        let (mut keeper, now) = (Keeper::default(), Instant::now());
        let mut told = Seen {
            order: Order::Finish,
            in_flight: 1,
            ..seen(now)
        };
        assert_eq!(keeper.judge(&told, None, now), Verdict::Keep);
        assert_eq!(keeper.judge(&told, None, now + s(3600)), Verdict::Keep);
        told.in_flight = 0;
        assert_eq!(keeper.judge(&told, None, now + s(3600)), Verdict::Leftover);
    }
}
