use std::sync::atomic::{AtomicU64, Ordering};

use crate::limit::PrincipalCounters;
use crate::limit::admission::Admission;
use crate::limit::people::People;

/// What the limiter has decided, counted while it serves.
pub(super) struct Tally {
    admitted: AtomicU64,
    limited: AtomicU64,
    failed_open: AtomicU64,
    failed_closed: AtomicU64,
    people: People,
}

/// What a limiter has decided since it started. Every request it judged is in exactly one of
/// `admitted`, `limited`, `failed_open` and `failed_closed`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitCounters {
    /// Requests within the quota.
    pub admitted: u64,
    /// Requests refused because the quota was spent.
    pub limited: u64,
    /// Requests served although Redis could not be asked.
    pub failed_open: u64,
    /// Requests refused because Redis could not be asked.
    pub failed_closed: u64,
    /// `admitted` and `limited` by principal.
    pub principals: Vec<PrincipalCounters>,
}

impl Tally {
    pub(super) fn new(named: bool) -> Self {
        Self {
            admitted: AtomicU64::new(0),
            limited: AtomicU64::new(0),
            failed_open: AtomicU64::new(0),
            failed_closed: AtomicU64::new(0),
            people: People::new(named),
        }
    }

    pub(super) fn count(&self, principal: Option<&str>, admission: &Admission) {
        let (counter, admitted) = match admission {
            Admission::Admitted(Some(_)) => (&self.admitted, Some(true)),
            Admission::Limited(_) => (&self.limited, Some(false)),
            Admission::Admitted(None) => (&self.failed_open, None),
            Admission::Unavailable => (&self.failed_closed, None),
        };
        counter.fetch_add(1, Ordering::Relaxed);
        if let Some(admitted) = admitted {
            self.people.count(principal, admitted);
        }
    }

    pub(super) fn read(&self) -> LimitCounters {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        LimitCounters {
            admitted: read(&self.admitted),
            limited: read(&self.limited),
            failed_open: read(&self.failed_open),
            failed_closed: read(&self.failed_closed),
            principals: self.people.read(),
        }
    }
}
