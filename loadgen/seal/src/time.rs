use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

/// Whole seconds since 1970-01-01 UTC. This crate has no clock of its own: callers say what time
/// it is, so that tests and skewed replicas can say something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixSeconds(pub u64);

impl From<SystemTime> for UnixSeconds {
    /// A clock before 1970 counts as 0.
    fn from(time: SystemTime) -> Self {
        Self(time.duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs()))
    }
}

/// How long a token lives: a whole number of seconds from 1 to [`Ttl::MAX_S`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ttl(u32);

impl Ttl {
    /// The longest life, ten years of 365 days, in seconds. State tokens live for minutes; the
    /// bound keeps `now + ttl` inside the token's 32 bits until 2096.
    pub const MAX_S: u32 = 10 * 365 * 24 * 60 * 60;

    /// The life in seconds.
    pub const fn as_secs(self) -> u32 {
        self.0
    }
}

/// A life that is no whole number of seconds from 1 to [`Ttl::MAX_S`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("a token's life must be a whole number of seconds from 1 to {max}, not {0}", max = Ttl::MAX_S)]
pub struct InvalidTtl(pub String);

impl TryFrom<u64> for Ttl {
    type Error = InvalidTtl;

    fn try_from(seconds: u64) -> Result<Self, Self::Error> {
        match u32::try_from(seconds) {
            Ok(s @ 1..=Self::MAX_S) => Ok(Self(s)),
            _ => Err(InvalidTtl(seconds.to_string())),
        }
    }
}

impl TryFrom<i64> for Ttl {
    type Error = InvalidTtl;

    fn try_from(seconds: i64) -> Result<Self, Self::Error> {
        u64::try_from(seconds)
            .map_err(|_| InvalidTtl(seconds.to_string()))
            .and_then(Self::try_from)
    }
}

impl TryFrom<f64> for Ttl {
    type Error = InvalidTtl;

    fn try_from(seconds: f64) -> Result<Self, Self::Error> {
        let whole = (1.0..=f64::from(Self::MAX_S)).contains(&seconds) && seconds.fract() == 0.0;
        if whole {
            // In range and integral by the line above, so the cast is exact.
            Ok(Self(seconds as u32))
        } else {
            Err(InvalidTtl(seconds.to_string()))
        }
    }
}

impl FromStr for Ttl {
    type Err = InvalidTtl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse::<u64>()
            .map_err(|_| InvalidTtl(text.to_owned()))
            .and_then(Self::try_from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_life_of_zero_negative_fractional_infinite_or_overflowing_seconds_is_refused() {
        for seconds in [
            0.0,
            -0.0,
            -1.0,
            0.5,
            1.5,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            1e30,
        ] {
            assert!(Ttl::try_from(seconds).is_err(), "{seconds}");
        }
        for seconds in [
            0u64,
            u64::from(Ttl::MAX_S) + 1,
            u64::from(u32::MAX) + 2,
            u64::MAX,
        ] {
            assert!(Ttl::try_from(seconds).is_err(), "{seconds}");
        }
        for seconds in [0i64, -1, i64::MIN, i64::MAX] {
            assert!(Ttl::try_from(seconds).is_err(), "{seconds}");
        }
        for text in ["", "0", "-1", "1.5", "1s", "99999999999999999999"] {
            assert!(text.parse::<Ttl>().is_err(), "{text}");
        }
    }

    #[test]
    fn whole_seconds_in_range_are_kept() {
        assert_eq!(Ttl::try_from(1u64).map(Ttl::as_secs), Ok(1));
        assert_eq!(Ttl::try_from(300.0).map(Ttl::as_secs), Ok(300));
        assert_eq!("600".parse().map(Ttl::as_secs), Ok(600));
        assert_eq!(
            Ttl::try_from(i64::from(Ttl::MAX_S)).map(Ttl::as_secs),
            Ok(Ttl::MAX_S)
        );
    }
}
