use std::time::{Duration, SystemTime};

use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;

use super::Wait;
use crate::plan::{BackOff, ThrottlePlan};

/// What to do about a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pause {
    /// Wait so long, then make another attempt.
    Attempt(Duration),
    /// The wait is longer than the scenario or the run allows: no attempt may be made.
    TooLong,
}

/// How long to wait after a refusal: as long as was told and up to `jitter` more, so that those who
/// were refused together do not come back together; full-jitter back-off where nothing was told.
/// `failed` counts the attempts so far, from 1. `left` is the time to the end of the run.
///
/// No wait is cut short: whoever came before its end would come earlier than asked.
pub(crate) fn pause(
    wait: Wait,
    failed: u16,
    plan: &ThrottlePlan,
    left: Duration,
    now: impl FnOnce() -> SystemTime,
    rng: &mut Xoshiro256PlusPlus,
) -> Pause {
    let told = match wait {
        Wait::For(wait) => wait,
        Wait::Until(moment) => moment.duration_since(now()).unwrap_or_default(),
        Wait::Untold | Wait::Unreadable => {
            let wait = back_off(&plan.back_off, failed, rng);
            return within(wait.min(plan.max_wait), left);
        }
    };
    if told > plan.max_wait {
        return Pause::TooLong;
    }
    // On top of the wait: a jitter inside the bound would be lost on those whose wait is the bound.
    within(told + plan.jitter.mul_f64(rng.random()), left)
}

/// Full jitter, random(0, min(cap, base 2^n)) for the n-th new attempt from 0 (Brooker, "Exponential
/// Backoff And Jitter", AWS Architecture Blog, 2015).
fn back_off(of: &BackOff, failed: u16, rng: &mut Xoshiro256PlusPlus) -> Duration {
    let doublings = u32::from(failed.saturating_sub(1)).min(31);
    let most = of.base.saturating_mul(1 << doublings).min(of.cap);
    most.mul_f64(rng.random())
}

fn within(wait: Duration, left: Duration) -> Pause {
    if wait < left {
        Pause::Attempt(wait)
    } else {
        Pause::TooLong
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::workflow_rng;
    use std::time::UNIX_EPOCH;

    const S: Duration = Duration::from_secs(1);

    fn plan() -> ThrottlePlan {
        ThrottlePlan {
            max_wait: 60 * S,
            jitter: S,
            ..ThrottlePlan::default()
        }
    }

    fn paused(wait: Wait, left: Duration) -> Pause {
        let now = || UNIX_EPOCH + 100 * S;
        pause(wait, 1, &plan(), left, now, &mut workflow_rng(1, 1))
    }

    #[test]
    fn absurd_waits_neither_panic_nor_become_short() {
        for told in [61 * S, Duration::from_secs(9_999_999_999), Duration::MAX] {
            assert_eq!(paused(Wait::For(told), 1000 * S), Pause::TooLong);
        }
        let far = UNIX_EPOCH + Duration::from_secs(1 << 40);
        assert_eq!(paused(Wait::Until(far), 1000 * S), Pause::TooLong);
        assert_eq!(paused(Wait::For(10 * S), 9 * S), Pause::TooLong);
    }

    #[test]
    fn the_jitter_is_positive_and_outlives_the_bound() {
        let mut rng = workflow_rng(1, 2);
        let now = || UNIX_EPOCH;
        let waits: Vec<Duration> = (0..100)
            .map(
                |_| match pause(Wait::For(60 * S), 1, &plan(), 90 * S, now, &mut rng) {
                    Pause::Attempt(wait) => wait,
                    Pause::TooLong => panic!("the bound itself is allowed"),
                },
            )
            .collect();
        assert!(waits.iter().all(|w| (60 * S..61 * S).contains(w)));
        let early = waits.iter().filter(|w| **w < 60 * S + S / 2).count();
        // Three sigma of a binomial with n = 100, p = 1/2 is 15.
        assert!(early.abs_diff(50) <= 15, "{early}");
    }

    #[test]
    fn moments_are_waited_for_and_past_ones_are_over() {
        let at = |s| Wait::Until(UNIX_EPOCH + s);
        let Pause::Attempt(wait) = paused(at(103 * S), 100 * S) else {
            panic!("3 s are allowed");
        };
        assert!((3 * S..4 * S).contains(&wait), "{wait:?}");
        let Pause::Attempt(wait) = paused(at(3 * S), 100 * S) else {
            panic!("it is over");
        };
        assert!(wait < S, "{wait:?}");
    }

    #[test]
    fn back_off_doubles_up_to_its_cap_and_may_be_anything_below() {
        let of = BackOff {
            base: S,
            cap: 20 * S,
        };
        let mut rng = workflow_rng(1, 3);
        for (failed, most) in [(1, 1), (2, 2), (3, 4), (5, 16), (6, 20), (60, 20)] {
            let waits: Vec<Duration> = (0..200).map(|_| back_off(&of, failed, &mut rng)).collect();
            assert!(waits.iter().all(|w| *w < most * S), "{failed}");
            let high = waits.iter().filter(|w| **w > most * S / 2).count();
            // Three sigma of a binomial with n = 200, p = 1/2 is 21.
            assert!(high.abs_diff(100) <= 21, "{failed}: {high}");
        }
    }
}
