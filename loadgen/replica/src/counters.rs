use std::sync::atomic::{AtomicU64, Ordering};

use crate::refusal::Cause;

/// What a replica has answered, counted while it serves.
#[derive(Default)]
pub(crate) struct Tally {
    completed: AtomicU64,
    failed: AtomicU64,
    asked: AtomicU64,
    listed: AtomicU64,
    notified: AtomicU64,
    refused: [AtomicU64; Cause::ALL.len()],
}

/// What one reply was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    Completed,
    Failed,
    Asked,
    Listed,
    Notified,
}

impl Tally {
    pub(crate) fn count(&self, event: Event) {
        let counter = match event {
            Event::Completed => &self.completed,
            Event::Failed => &self.failed,
            Event::Asked => &self.asked,
            Event::Listed => &self.listed,
            Event::Notified => &self.notified,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn refused(&self, cause: Cause) {
        self.refused[cause as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn read(&self, state: loadgen_seal::Counters) -> Counters {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counters {
            completed: read(&self.completed),
            failed: read(&self.failed),
            asked: read(&self.asked),
            listed: read(&self.listed),
            notified: read(&self.notified),
            refused: Cause::ALL.map(|cause| (cause, read(&self.refused[cause as usize]))),
            state,
        }
    }
}

/// What a replica has answered since it started. Counts are read one by one, so under load they
/// belong to slightly different moments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters {
    /// Tool calls, prompts and resources that completed without an error.
    pub completed: u64,
    /// Tool calls that completed with `isError`.
    pub failed: u64,
    /// Rounds that ended with questions.
    pub asked: u64,
    /// Lists and discoveries.
    pub listed: u64,
    /// Notifications taken.
    pub notified: u64,
    /// Refusals by cause, in the order of the checks.
    pub refused: [(Cause, u64); Cause::ALL.len()],
    /// What the sealer has done, with the private reasons behind [`Cause::State`].
    pub state: loadgen_seal::Counters,
}

impl Counters {
    /// How many messages were refused for `cause`.
    pub fn refused_for(&self, cause: Cause) -> u64 {
        self.refused[cause as usize].1
    }
}
