use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use governor::RateLimiter;
use governor::middleware::StateInformationMiddleware;

use crate::limit::bounded::Bounded;
use crate::limit::{Admission, Allowance, Quota, Ticks};

/// The limit that a replica keeps alone.
pub(super) struct Local {
    cells: RateLimiter<u64, Bounded, Ticks, StateInformationMiddleware>,
    state: Bounded,
    quota: Quota,
    ticks: Ticks,
    /// Keys are hashed under a secret of this process, so that no client can choose whose cell to
    /// share. By chance, two of 65 536 keys share one in one filling of 2^33.
    hasher: RandomState,
    /// Keeps a crowd from making every request look through all cells.
    last_swept: Mutex<Duration>,
}

impl Local {
    /// How many keys have a cell of their own.
    pub(super) const ROOM: usize = 1 << 16;

    /// The shortest time between two searches for cells that are as good as new.
    const SWEEP_PAUSE: Duration = Duration::from_secs(1);

    pub(super) fn new(quota: Quota, ticks: Ticks, room: usize) -> Self {
        let governed = governor::Quota::with_period(quota.interval())
            .expect("no rate is so fast that its interval is zero")
            .allow_burst(quota.burst());
        let state = Bounded::new(room);
        Self {
            cells: RateLimiter::new(governed, state.clone(), ticks.clone()),
            state,
            quota,
            last_swept: Mutex::new(ticks.now()),
            ticks,
            hasher: RandomState::new(),
        }
    }

    pub(super) fn check(&self, principal: Option<&str>, item: Option<(&str, &str)>) -> Admission {
        let key = self.hasher.hash_one((principal, item));
        let checked = self.cells.check_key(&key);
        if self.state.crowded() {
            self.sweep();
        }
        match checked {
            Ok(state) => {
                let remaining = state.remaining_burst_capacity();
                let next = self.quota.interval();
                Admission::Admitted(Some(Allowance::of(self.quota, remaining, next)))
            }
            Err(until) => {
                let next = until.wait_time_from(self.ticks.now());
                Admission::Limited(Allowance::of(self.quota, 0, next))
            }
        }
    }

    /// Drops the cells whose burst is whole again, which differ in nothing from new ones.
    fn sweep(&self) {
        let mut last = self
            .last_swept
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let now = self.ticks.now();
        if now.saturating_sub(*last) >= Self::SWEEP_PAUSE {
            *last = now;
            self.cells.retain_recent();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// 30 requests a minute in bursts of `burst`, under a clock that is set in milliseconds.
    fn local(burst: u32, room: usize) -> (Local, Arc<AtomicU64>) {
        let now_ms = Arc::new(AtomicU64::new(0));
        let read = Arc::clone(&now_ms);
        let ticks = Ticks::from_fn(move || Duration::from_millis(read.load(Ordering::Relaxed)));
        let rate = "30/min".parse().unwrap();
        let quota = Quota::new(rate, NonZeroU32::new(burst).unwrap()).unwrap();
        (Local::new(quota, ticks, room), now_ms)
    }

    fn admitted(local: &Local, principal: &str, tries: usize) -> usize {
        (0..tries)
            .filter(|_| matches!(local.check(Some(principal), None), Admission::Admitted(_)))
            .count()
    }

    #[test]
    fn a_burst_is_admitted_and_then_one_request_per_interval() {
        let (local, now_ms) = local(3, 10);
        for remaining in [2, 1, 0] {
            let Admission::Admitted(Some(left)) = local.check(Some("a"), None) else {
                panic!("limited with {remaining} left");
            };
            assert_eq!((left.limit.get(), left.remaining), (3, remaining));
            assert_eq!(left.window, Duration::from_secs(6));
        }
        now_ms.store(500, Ordering::Relaxed);
        let Admission::Limited(left) = local.check(Some("a"), None) else {
            panic!("a fourth request was admitted");
        };
        assert_eq!(
            (left.remaining, left.next),
            (0, Duration::from_millis(1500))
        );
        now_ms.store(1999, Ordering::Relaxed);
        assert_eq!(admitted(&local, "a", 5), 0);
        now_ms.store(2000, Ordering::Relaxed);
        assert_eq!(admitted(&local, "a", 5), 1);
        now_ms.store(3_600_000, Ordering::Relaxed);
        assert_eq!(admitted(&local, "a", 5), 3);
    }

    #[test]
    fn principals_and_items_have_quotas_of_their_own() {
        let (local, _) = local(1, 10);
        let keys = [
            (None, None),
            (Some(""), None),
            (Some("a"), None),
            (Some("a"), Some(("tools/call", "echo"))),
            (Some("a"), Some(("prompts/get", "echo"))),
            (Some("a"), Some(("tools/call", "wizard"))),
            (Some("b"), Some(("tools/call", "echo"))),
        ];
        for (principal, item) in keys {
            let first = local.check(principal, item);
            assert!(
                matches!(first, Admission::Admitted(_)),
                "{principal:?} {item:?}"
            );
        }
        for (principal, item) in keys {
            let second = local.check(principal, item);
            assert!(
                matches!(second, Admission::Limited(_)),
                "{principal:?} {item:?}"
            );
        }
    }

    #[test]
    fn newcomers_beyond_the_room_share_one_cell_and_the_known_keep_theirs() {
        let (local, now_ms) = local(2, 3);
        for known in ["a", "b", "c"] {
            assert_eq!(admitted(&local, known, 1), 1);
        }
        assert_eq!(admitted(&local, "d", 1), 1);
        assert_eq!(admitted(&local, "e", 2), 1, "d and e share a burst of 2");
        assert_eq!(admitted(&local, "a", 2), 1, "a had one left");
        let len =
            |local: &Local| governor::state::keyed::ShrinkableKeyedStateStore::len(&local.state);
        assert_eq!(len(&local), 3);
        // Rested cells make room.
        now_ms.store(60_000, Ordering::Relaxed);
        assert_eq!(
            admitted(&local, "f", 1),
            1,
            "the crowd's cell has rested too"
        );
        assert_eq!(len(&local), 0);
        assert_eq!(admitted(&local, "g", 3), 2);
        assert_eq!(admitted(&local, "h", 3), 2);
    }
}
