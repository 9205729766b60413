use std::sync::atomic::{AtomicU64, Ordering};

use crate::key::KeyId;
use crate::refused::Reason;

/// Refusals by reason, shared by the threads that open.
#[derive(Default)]
pub(crate) struct Refusals([AtomicU64; Reason::ALL.len()]);

impl Refusals {
    pub(crate) fn count(&self, reason: Reason) {
        self.0[reason as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> [(Reason, u64); Reason::ALL.len()] {
        Reason::ALL.map(|reason| (reason, self.0[reason as usize].load(Ordering::Relaxed)))
    }
}

/// What a sealer, and those it was made of by a change of keys, have done. Counts are read one by one, so under load they belong
/// to slightly different moments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters {
    /// Tokens refused, by private reason.
    pub refused: [(Reason, u64); Reason::ALL.len()],
    /// Tokens by key: those of the ring in its order, then those that have left it.
    pub keys: Vec<KeyCount>,
}

/// What was done with one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyCount {
    /// The key.
    pub id: KeyId,
    /// Tokens sealed with it by this sealer.
    pub sealed: u64,
    /// Tokens of it that opened here.
    pub opened: u64,
}

impl Counters {
    /// How many tokens were refused for `reason`.
    pub fn refused_for(&self, reason: Reason) -> u64 {
        self.refused[reason as usize].1
    }
}
