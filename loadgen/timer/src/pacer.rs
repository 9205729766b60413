use std::cell::Cell;
use std::time::Duration;

use tokio::task::yield_now;
use tokio::time::Instant;

use crate::Timer;

/// How long before its moment a precise wait stops sleeping: more than kernel and runtime usually
/// need to wake up.
const AWAKE_BEFORE: Duration = Duration::from_micros(200);

/// Waits for one moment after the other: by a [`Timer`] alone, or precisely.
#[derive(Debug)]
pub struct Pacer {
    timer: Timer,
    precise: bool,
    awake: Cell<Duration>,
}

impl Pacer {
    /// As fine as the timer is, at no cost.
    #[must_use]
    pub const fn new(timer: Timer) -> Self {
        Self {
            timer,
            precise: false,
            awake: Cell::new(Duration::ZERO),
        }
    }

    /// To within microseconds: it wakes up 200 us early and then watches the clock, letting other
    /// tasks of the thread run between two looks. That keeps a processor busy for so long at each
    /// moment. A coarse timer stays as it is.
    #[must_use]
    pub fn precise(timer: Timer) -> Self {
        Self {
            precise: timer.is_fine(),
            ..Self::new(timer)
        }
    }

    /// Returns at `moment` or a little later, at once when it has passed; never before it. One task at
    /// a time may wait.
    pub async fn until(&self, moment: Instant) {
        if !self.precise {
            return self.timer.until(moment).await;
        }
        if let Some(before) = moment.checked_sub(AWAKE_BEFORE) {
            self.timer.until(before).await;
        }
        let begun = Instant::now();
        let mut now = begun;
        while now < moment {
            yield_now().await;
            now = Instant::now();
        }
        self.awake.set(self.awake.get() + (now - begun));
    }

    /// Time spent watching the clock so far; `None` when it only sleeps.
    #[must_use]
    pub fn awake(&self) -> Option<Duration> {
        self.precise.then(|| self.awake.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_precise_wait_is_never_early_and_counts_what_it_burns() {
        let pacer = Pacer::precise(Timer::finest());
        for micros in [0, 50, 700, 1500] {
            let moment = Instant::now() + Duration::from_micros(micros);
            pacer.until(moment).await;
            assert!(Instant::now() >= moment);
        }
        // The wait of 50 us is too short to sleep at all.
        assert!(pacer.awake().is_some_and(|awake| !awake.is_zero()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_coarse_timer_is_not_watched() {
        let pacer = Pacer::precise(Timer::coarse());
        pacer
            .until(Instant::now() + Duration::from_secs(3600))
            .await;
        assert_eq!(pacer.awake(), None);
    }
}
