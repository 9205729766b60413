use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

/// How many requests a unit of time refills: `30/min`, `100/s`, `5/h`; a number alone is per
/// second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    units: NonZeroU32,
    period: Period,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Period {
    Second,
    Minute,
    Hour,
}

/// A rate that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RateError {
    /// Not of the form `N`, `N/s`, `N/min` or `N/h`.
    #[error("a rate is a whole number from 1, per second or with /s, /min or /h, such as 30/min")]
    Form,
    /// Beyond what nanoseconds between two requests can express within 0.1 %.
    #[error("a rate is at most {} requests per second", Rate::MAX_PER_S)]
    TooFast,
}

impl Rate {
    /// The fastest rate, in requests per second.
    pub const MAX_PER_S: u32 = 1_000_000;

    /// How many units the period refills.
    pub const fn units(self) -> NonZeroU32 {
        self.units
    }

    /// Requests per second.
    pub fn per_s(self) -> f64 {
        f64::from(self.units.get()) / self.period.length().as_secs_f64()
    }

    /// The time between two units, in whole nanoseconds.
    pub fn interval(self) -> Duration {
        self.period.length() / self.units.get()
    }
}

impl Period {
    const fn length(self) -> Duration {
        Duration::from_secs(match self {
            Self::Second => 1,
            Self::Minute => 60,
            Self::Hour => 3600,
        })
    }
}

impl FromStr for Rate {
    type Err = RateError;

    fn from_str(text: &str) -> Result<Self, RateError> {
        let (units, period) = text.split_once('/').unwrap_or((text, "s"));
        let period = match period {
            "s" => Period::Second,
            "min" => Period::Minute,
            "h" => Period::Hour,
            _ => return Err(RateError::Form),
        };
        if !units.bytes().all(|b| b.is_ascii_digit()) {
            return Err(RateError::Form);
        }
        let units: NonZeroU32 = units.parse().map_err(|_| RateError::Form)?;
        let rate = Self { units, period };
        if rate.interval() < Duration::from_secs(1) / Self::MAX_PER_S {
            return Err(RateError::TooFast);
        }
        Ok(rate)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let period = match self.period {
            Period::Second => "s",
            Period::Minute => "min",
            Period::Hour => "h",
        };
        write!(f, "{}/{period}", self.units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read_with_their_period() {
        for (text, interval_ns, shown) in [
            ("30/min", 2_000_000_000, "30/min"),
            ("100", 10_000_000, "100/s"),
            ("7/s", 142_857_142, "7/s"),
            ("5/h", 720_000_000_000, "5/h"),
            ("1000000/s", 1000, "1000000/s"),
        ] {
            let rate: Rate = text.parse().unwrap();
            assert_eq!(rate.interval(), Duration::from_nanos(interval_ns), "{text}");
            assert_eq!(rate.to_string(), shown);
        }
    }

    #[test]
    fn what_is_no_rate_is_refused() {
        for text in [
            "",
            "0",
            "0/s",
            "-1",
            "+1/s",
            "1.5/s",
            "3/day",
            "3/",
            "/s",
            "3 /s",
            "4294967296/h",
        ] {
            assert_eq!(text.parse::<Rate>(), Err(RateError::Form), "{text}");
        }
        assert_eq!("1000001/s".parse::<Rate>(), Err(RateError::TooFast));
        assert_eq!("4000000000/h".parse::<Rate>(), Err(RateError::TooFast));
    }
}
