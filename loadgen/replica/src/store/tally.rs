use std::sync::atomic::{AtomicU64, Ordering};

use crate::store::Redemption;

/// What a record of tokens used has said.
#[derive(Default)]
pub(super) struct Tally {
    first: AtomicU64,
    again: AtomicU64,
    failed_open: AtomicU64,
    failed_closed: AtomicU64,
}

/// What a record of tokens used has said since it was made. Every redemption is in exactly one of
/// these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoreCounters {
    /// Tokens used for the first time.
    pub first: u64,
    /// Tokens refused because they were used before.
    pub again: u64,
    /// Tokens taken although the record could not be asked.
    pub failed_open: u64,
    /// Tokens refused because the record could not be asked, or was full.
    pub failed_closed: u64,
}

impl Tally {
    pub(super) fn count(&self, redemption: Redemption) {
        let counter = match redemption {
            Redemption::First => &self.first,
            Redemption::Again => &self.again,
            Redemption::Unrecorded => &self.failed_open,
            Redemption::Unavailable => &self.failed_closed,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn read(&self) -> StoreCounters {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        StoreCounters {
            first: read(&self.first),
            again: read(&self.again),
            failed_open: read(&self.failed_open),
            failed_closed: read(&self.failed_closed),
        }
    }
}
