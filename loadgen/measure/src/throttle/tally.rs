use std::time::Duration;

use super::{Bursts, SdkView, ThrottleSignal};
use crate::Latency;

/// One attempt that was refused by a rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// Replica that refused, a position in [`crate::Shape::replicas`].
    pub replica: u16,
    /// How it said so.
    pub signal: ThrottleSignal,
    /// Whether that is certain, or guessed from words.
    pub certain: bool,
    /// What a client on an official SDK sees of it.
    pub sdk: SdkView,
    /// The wait that it told; `None` when it told none.
    pub told: Option<Duration>,
    /// Whether it told a wait that cannot be read.
    pub unreadable: bool,
    /// When the reply was whole, from the start of the run.
    pub at: Duration,
}

/// What is known about refusals, waits and new attempts. Made on first use.
#[derive(Debug, Clone, Default)]
pub(crate) struct ThrottleTally {
    /// By replica, then by signal.
    pub(crate) signals: Vec<[SignalTally; ThrottleSignal::ALL.len()]>,
    pub(crate) told: Latency,
    pub(crate) waited: Latency,
    pub(crate) recovery: Latency,
    pub(crate) unreadable: u64,
    pub(crate) clipped: u64,
    pub(crate) budget_refusals: u64,
    /// Rounds by their attempts, from 2 on.
    pub(crate) attempts: Vec<u64>,
    pub(crate) new_attempts: Bursts,
    /// Second of the run in which the first refusal came.
    pub(crate) first_second: Option<u64>,
    pub(crate) limit_per_s: Option<f64>,
}

/// Refusals of one replica by one signal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SignalTally {
    pub(crate) count: u64,
    pub(crate) guessed: u64,
    pub(crate) told: u64,
    pub(crate) sdk: [u64; SdkView::ALL.len()],
}

impl ThrottleTally {
    pub(crate) fn refused(&mut self, refusal: &Refusal) {
        let replica = usize::from(refusal.replica);
        if self.signals.len() <= replica {
            self.signals.resize(replica + 1, Default::default());
        }
        let signal = &mut self.signals[replica][refusal.signal.index()];
        signal.count += 1;
        signal.guessed += u64::from(!refusal.certain);
        signal.told += u64::from(refusal.told.is_some());
        signal.sdk[refusal.sdk.index()] += 1;
        self.unreadable += u64::from(refusal.unreadable);
        if let Some(told) = refusal.told {
            self.told.record(told);
        }
        let second = refusal.at.as_secs();
        self.first_second = Some(self.first_second.map_or(second, |first| first.min(second)));
    }

    /// A round ended after so many attempts, at least 2.
    pub(crate) fn attempts(&mut self, attempts: u16) {
        let index = usize::from(attempts) - 2;
        if self.attempts.len() <= index {
            self.attempts.resize(index + 1, 0);
        }
        self.attempts[index] += 1;
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        if self.signals.len() < other.signals.len() {
            self.signals.resize(other.signals.len(), Default::default());
        }
        for (mine, theirs) in self.signals.iter_mut().zip(&other.signals) {
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                mine.merge(theirs);
            }
        }
        self.told.merge(&other.told);
        self.waited.merge(&other.waited);
        self.recovery.merge(&other.recovery);
        self.unreadable += other.unreadable;
        self.clipped += other.clipped;
        self.budget_refusals += other.budget_refusals;
        if self.attempts.len() < other.attempts.len() {
            self.attempts.resize(other.attempts.len(), 0);
        }
        for (mine, theirs) in self.attempts.iter_mut().zip(&other.attempts) {
            *mine += theirs;
        }
        self.new_attempts.merge(&other.new_attempts);
        self.first_second = match (self.first_second, other.first_second) {
            (Some(mine), Some(theirs)) => Some(mine.min(theirs)),
            (mine, theirs) => mine.or(theirs),
        };
        self.limit_per_s = self.limit_per_s.or(other.limit_per_s);
    }
}

impl SignalTally {
    pub(crate) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.guessed += other.guessed;
        self.told += other.told;
        for (mine, theirs) in self.sdk.iter_mut().zip(other.sdk) {
            *mine += theirs;
        }
    }
}
