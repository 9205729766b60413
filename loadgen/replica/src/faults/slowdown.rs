use std::time::Duration;

use serde::Deserialize;

/// How many times as long an operation takes, from 1 to 1000.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
pub(crate) struct Slowdown(f64);

impl Slowdown {
    const MAX: f64 = 1000.0;
    /// The most by which one operation is prolonged.
    const MOST: Duration = Duration::from_millis(100);

    /// Whether anything takes longer at all.
    pub(crate) fn is_felt(self) -> bool {
        self.0 > 1.0
    }

    /// How much longer an operation takes that is done after `took`.
    pub(crate) fn more(self, took: Duration) -> Duration {
        let more_s = took.as_secs_f64() * (self.0 - 1.0);
        Duration::from_secs_f64(more_s.min(Self::MOST.as_secs_f64()))
    }
}

impl TryFrom<f64> for Slowdown {
    type Error = String;

    fn try_from(factor: f64) -> Result<Self, String> {
        if (1.0..=Self::MAX).contains(&factor) {
            Ok(Self(factor))
        } else {
            Err(format!("a factor must be a number from 1 to {}", Self::MAX))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn more_ns(factor: f64, took: Duration) -> u128 {
        Slowdown::try_from(factor).unwrap().more(took).as_nanos()
    }

    #[test]
    fn an_operation_is_prolonged_by_its_factor() {
        for (factor, took_ns, want_ns) in [
            (1.0, 10_000, 0),
            (1.3, 10_000, 3_000),
            (2.0, 10_000, 10_000),
            (50.0, 2_000, 98_000),
            (1000.0, 1_000, 999_000),
            (1000.0, 0, 0),
        ] {
            let got_ns = more_ns(factor, Duration::from_nanos(took_ns));
            assert_eq!(got_ns, want_ns, "{factor} {took_ns}");
        }
    }

    #[test]
    fn no_operation_is_prolonged_beyond_the_bound() {
        for (factor, took) in [
            (1000.0, Duration::from_millis(1)),
            (1.5, Duration::from_secs(60)),
            (1000.0, Duration::MAX),
        ] {
            assert_eq!(more_ns(factor, took), 100_000_000, "{factor} {took:?}");
        }
        assert_eq!(more_ns(1.0, Duration::MAX), 0);
    }

    #[test]
    fn a_factor_is_from_1_to_1000() {
        for good in ["1", "1.0", "1.3", "1000"] {
            assert!(serde_json::from_str::<Slowdown>(good).is_ok(), "{good}");
        }
        for bad in [0.999, 1000.001, -2.0, f64::NAN, f64::INFINITY] {
            assert!(Slowdown::try_from(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_factor_of_1_is_not_felt() {
        let felt = |factor| Slowdown::try_from(factor).unwrap().is_felt();
        assert_eq!((felt(1.0), felt(1.3)), (false, true));
    }
}
