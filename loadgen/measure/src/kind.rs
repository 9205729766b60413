use std::borrow::Cow;
use std::time::Duration;

use crate::by_outcome::{ByOutcome, merge_optional};
use crate::{Latency, Outcome, RoundSample, ServerTiming, Sizes};

/// What is known about one workflow kind.
#[derive(Debug, Clone, Default)]
pub(crate) struct KindTally {
    pub(crate) started: u64,
    pub(crate) workflows: ByOutcome,
    pub(crate) workflow_rounds: u64,
    pub(crate) think_ns: u64,
    pub(crate) sojourn_ns: u64,
    pub(crate) rounds: Vec<RoundTally>,
}

/// What is known about one round of one workflow kind.
#[derive(Debug, Clone, Default)]
pub(crate) struct RoundTally {
    pub(crate) outcomes: ByOutcome,
    pub(crate) superseded: ByOutcome,
    /// Service times of the successful ones over connections that carried nothing before.
    pub(crate) fresh: Option<Box<Latency>>,
    /// Superseded attempts of which something was sent.
    pub(crate) superseded_sent: u64,
    pub(crate) attempts: u64,
    /// Rounds of which an attempt was made.
    pub(crate) attempted: u64,
    pub(crate) sent: u64,
    /// Rounds of which nothing was sent, by outcome.
    pub(crate) never_sent: [u64; Outcome::COUNT],
    /// Rounds whose last attempt was sent.
    pub(crate) last_sent: u64,
    pub(crate) request: Sizes,
    pub(crate) response: Sizes,
    pub(crate) state_sent: Sizes,
    pub(crate) state_received: Sizes,
    pub(crate) open: Option<Box<Latency>>,
    pub(crate) handle: Option<Box<Latency>>,
    pub(crate) seal: Option<Box<Latency>>,
    pub(crate) store: Option<Box<Latency>>,
    /// Open and seal times together, of the successful rounds that reported either.
    pub(crate) open_and_seal: Option<Box<Latency>>,
    /// Successful rounds of which the server said how long any part took, and what they came to.
    pub(crate) timed: Timed,
    /// Handle times of the rounds with an open or a seal time.
    pub(crate) timed_handle_ns: u64,
    /// Service times of the successful rounds that reported an open or a seal time.
    pub(crate) timed_service_ns: u64,
}

/// Rounds of which the server said how long it took.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Timed {
    pub(crate) rounds: u64,
    /// Open, handle and seal times.
    pub(crate) server_ns: u64,
    pub(crate) request_bytes: u64,
    pub(crate) response_bytes: u64,
}

impl KindTally {
    /// All kinds as one. A single one is that, and not copied.
    pub(crate) fn together(kinds: &[Self]) -> Cow<'_, Self> {
        match kinds {
            [only] => Cow::Borrowed(only),
            _ => {
                let mut all = Self::default();
                for kind in kinds {
                    all.merge(kind);
                }
                Cow::Owned(all)
            }
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.started += other.started;
        self.workflows.merge(&other.workflows);
        self.workflow_rounds += other.workflow_rounds;
        self.think_ns = self.think_ns.saturating_add(other.think_ns);
        self.sojourn_ns = self.sojourn_ns.saturating_add(other.sojourn_ns);
        if self.rounds.len() < other.rounds.len() {
            self.rounds
                .resize_with(other.rounds.len(), RoundTally::default);
        }
        for (mine, theirs) in self.rounds.iter_mut().zip(&other.rounds) {
            mine.merge(theirs);
        }
    }
}

impl RoundTally {
    pub(crate) fn record(
        &mut self,
        sample: &RoundSample,
        response: Duration,
        service: Option<Duration>,
    ) {
        let sent = sample.first_sent.is_some();
        if sample.attempts > 0 {
            self.outcomes.record(sample.outcome, response, service);
            self.attempted += 1;
        } else {
            // Held back to its end: how long that was is no time of an answer.
            self.outcomes.count_untimed(sample.outcome);
        }
        self.attempts += u64::from(sample.attempts);
        self.last_sent += u64::from(sample.sent.is_some());
        if sent {
            self.sent += 1;
            self.request.record(sample.request_bytes);
        } else {
            self.never_sent[sample.outcome.index()] += 1;
        }
        for (sizes, bytes) in [
            (&mut self.response, sample.response_bytes),
            (
                &mut self.state_sent,
                sample.state_sent_bytes.filter(|_| sent),
            ),
            (&mut self.state_received, sample.state_received_bytes),
        ] {
            if let Some(bytes) = bytes {
                sizes.record(bytes);
            }
        }
        if sample.outcome != Outcome::Ok {
            return;
        }
        if let (false, Some(service)) = (sample.reused_connection, service) {
            self.fresh.get_or_insert_default().record(service);
        }
        for (latency, time) in [
            (&mut self.open, sample.server.open),
            (&mut self.handle, sample.server.handle),
            (&mut self.seal, sample.server.seal),
            (&mut self.store, sample.server.store),
        ] {
            if let Some(time) = time {
                latency.get_or_insert_default().record(time);
            }
        }
        let ServerTiming {
            open, handle, seal, ..
        } = sample.server;
        if let Some(server) = [open, handle, seal].into_iter().flatten().reduce(add) {
            self.timed.add(&Timed {
                rounds: 1,
                server_ns: add_ns(0, server),
                request_bytes: sample.request_bytes,
                response_bytes: sample.response_bytes.unwrap_or(0),
            });
        }
        if open.is_none() && seal.is_none() {
            return;
        }
        let both = open
            .unwrap_or_default()
            .saturating_add(seal.unwrap_or_default());
        self.open_and_seal.get_or_insert_default().record(both);
        self.timed_handle_ns = add_ns(self.timed_handle_ns, handle.unwrap_or_default());
        if let Some(service) = service {
            self.timed_service_ns = add_ns(self.timed_service_ns, service);
        }
    }

    fn merge(&mut self, other: &Self) {
        self.outcomes.merge(&other.outcomes);
        self.superseded.merge(&other.superseded);
        merge_optional(&mut self.fresh, other.fresh.as_deref());
        self.superseded_sent += other.superseded_sent;
        self.attempts += other.attempts;
        self.attempted += other.attempted;
        self.sent += other.sent;
        for (mine, theirs) in self.never_sent.iter_mut().zip(other.never_sent) {
            *mine += theirs;
        }
        self.last_sent += other.last_sent;
        self.request.merge(&other.request);
        self.response.merge(&other.response);
        self.state_sent.merge(&other.state_sent);
        self.state_received.merge(&other.state_received);
        merge_optional(&mut self.open, other.open.as_deref());
        merge_optional(&mut self.handle, other.handle.as_deref());
        merge_optional(&mut self.seal, other.seal.as_deref());
        merge_optional(&mut self.store, other.store.as_deref());
        merge_optional(&mut self.open_and_seal, other.open_and_seal.as_deref());
        self.timed.add(&other.timed);
        self.timed_handle_ns = self.timed_handle_ns.saturating_add(other.timed_handle_ns);
        self.timed_service_ns = self.timed_service_ns.saturating_add(other.timed_service_ns);
    }
}

impl Timed {
    pub(crate) fn add(&mut self, other: &Self) {
        self.rounds += other.rounds;
        self.server_ns = self.server_ns.saturating_add(other.server_ns);
        self.request_bytes += other.request_bytes;
        self.response_bytes += other.response_bytes;
    }
}

fn add(a: Duration, b: Duration) -> Duration {
    a.saturating_add(b)
}

/// Adds a time to a sum of nanoseconds, stopping at the highest.
pub(crate) fn add_ns(sum: u64, time: Duration) -> u64 {
    sum.saturating_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}
