use std::num::NonZeroU32;
use std::time::Duration;

use crate::limit::Rate;

/// What GCRA needs: the time `T` that refills one unit, and the burst `b` that a rested principal
/// may spend at once. A whole burst refills in `b * T`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    interval: Duration,
    burst: NonZeroU32,
}

/// A quota that cannot be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QuotaError {
    /// Nanoseconds of a longer window would not be exact in Redis' numbers.
    #[error("a burst of {burst} at {rate} takes more than 30 days to refill; make it smaller")]
    TooLong {
        /// The burst, in requests.
        burst: NonZeroU32,
        /// The rate that refills it.
        rate: Rate,
    },
    /// Each replica would have to admit less than one request.
    #[error(
        "a burst of {burst} cannot be divided among {fleet} replicas; give a burst of {fleet} or more"
    )]
    Indivisible {
        /// The whole fleet's burst, in requests.
        burst: NonZeroU32,
        /// How many replicas there are.
        fleet: NonZeroU32,
    },
}

impl Quota {
    /// The longest time that a whole burst may take to refill.
    pub const WINDOW_MAX: Duration = Duration::from_secs(30 * 24 * 3600);

    /// A burst that refills at this rate.
    ///
    /// # Errors
    /// When a whole burst takes longer than [`Quota::WINDOW_MAX`].
    pub fn new(rate: Rate, burst: NonZeroU32) -> Result<Self, QuotaError> {
        Self::checked(rate, rate.interval(), burst)
    }

    /// One replica's part when `fleet` of them divide the quota: a `fleet`th of the rate, and of the
    /// burst rounded down, so that together they never admit more than the whole.
    ///
    /// # Errors
    /// When a part holds no request, or takes too long to refill.
    pub fn divided(rate: Rate, burst: NonZeroU32, fleet: NonZeroU32) -> Result<Self, QuotaError> {
        let part = NonZeroU32::new(burst.get() / fleet.get())
            .ok_or(QuotaError::Indivisible { burst, fleet })?;
        Self::checked(rate, rate.interval().saturating_mul(fleet.get()), part)
    }

    fn checked(rate: Rate, interval: Duration, burst: NonZeroU32) -> Result<Self, QuotaError> {
        let quota = Self { interval, burst };
        if quota.window() > Self::WINDOW_MAX {
            return Err(QuotaError::TooLong { burst, rate });
        }
        Ok(quota)
    }

    /// The time that refills one unit.
    pub const fn interval(self) -> Duration {
        self.interval
    }

    /// What a rested principal may spend at once, in requests.
    pub const fn burst(self) -> NonZeroU32 {
        self.burst
    }

    /// The time that refills a whole burst.
    pub const fn window(self) -> Duration {
        self.interval.saturating_mul(self.burst.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n(n: u32) -> NonZeroU32 {
        NonZeroU32::new(n).unwrap()
    }

    #[test]
    fn parts_never_add_up_to_more_than_the_whole() {
        let rate: Rate = "30/min".parse().unwrap();
        for (burst, fleet, part) in [(30, 3, 10), (30, 4, 7), (3, 3, 1)] {
            let quota = Quota::divided(rate, n(burst), n(fleet)).unwrap();
            assert_eq!(quota.burst().get(), part);
            assert_eq!(quota.interval(), Duration::from_secs(2) * fleet);
        }
        let refused = Quota::divided(rate, n(2), n(3)).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "a burst of 2 cannot be divided among 3 replicas; give a burst of 3 or more"
        );
    }

    #[test]
    fn a_window_is_the_time_of_a_whole_burst_and_is_bounded() {
        let rate: Rate = "1/h".parse().unwrap();
        assert_eq!(
            Quota::new(rate, n(720)).unwrap().window(),
            Quota::WINDOW_MAX
        );
        assert!(matches!(
            Quota::new(rate, n(721)),
            Err(QuotaError::TooLong { .. })
        ));
        assert!(matches!(
            Quota::divided(rate, n(u32::MAX), n(2)),
            Err(QuotaError::TooLong { .. })
        ));
    }
}
