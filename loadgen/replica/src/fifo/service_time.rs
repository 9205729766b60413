use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use rand::{Rng, RngExt as _};

/// How long one request is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceTime {
    /// Always this long: the D of M/D/1.
    Const(Duration),
    /// Exponentially distributed around this mean: the second M of M/M/1.
    Exp(Duration),
}

/// A service time that cannot be read, or is out of bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadServiceTime(String);

impl ServiceTime {
    /// The longest constant or mean, one second.
    pub const MAX: Duration = Duration::from_secs(1);

    /// One service time.
    ///
    /// Exponential times by inversion, `-m ln(1 - U)` for the mean m and U uniform on \[0, 1) in
    /// steps of 2^-53 (Devroye, Non-Uniform Random Variate Generation, 1986, section II.2): none is
    /// above 37 means.
    pub(super) fn draw(self, rng: &mut impl Rng) -> Duration {
        match self {
            Self::Const(time) => time,
            Self::Exp(mean) => mean.mul_f64(-f64::ln_1p(-rng.random::<f64>())),
        }
    }

    const fn parts(self) -> (&'static str, Duration) {
        match self {
            Self::Const(time) => ("const", time),
            Self::Exp(mean) => ("exp", mean),
        }
    }
}

impl FromStr for ServiceTime {
    type Err = BadServiceTime;

    /// Reads `const:TIME` or `exp:MEAN`, whole numbers of us or ms up to one second: `const:300us`.
    fn from_str(text: &str) -> Result<Self, BadServiceTime> {
        let bad = || BadServiceTime(text.to_owned());
        let (law, time) = text.split_once(':').ok_or_else(bad)?;
        let law = match law {
            "const" => Self::Const,
            "exp" => Self::Exp,
            _ => return Err(bad()),
        };
        let unit_at = time.find(|c: char| !c.is_ascii_digit()).ok_or_else(bad)?;
        let (number, unit) = time.split_at(unit_at);
        let number: u64 = number.parse().map_err(|_| bad())?;
        let time = match unit {
            "us" => Duration::from_micros(number),
            "ms" => Duration::from_millis(number),
            _ => return Err(bad()),
        };
        if time.is_zero() || time > Self::MAX {
            return Err(bad());
        }
        Ok(law(time))
    }
}

impl fmt::Display for ServiceTime {
    /// As [`Self::from_str`] reads it, in microseconds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (law, time) = self.parts();
        write!(f, "{law}:{}us", time.as_micros())
    }
}

impl fmt::Display for BadServiceTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is no service time: write const:TIME or exp:MEAN with a whole number of us or ms, \
             1us to 1000ms, as in const:300us",
            self.0
        )
    }
}

impl std::error::Error for BadServiceTime {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_their_units_and_written_back() {
        for (text, time) in [
            (
                "const:300us",
                ServiceTime::Const(Duration::from_micros(300)),
            ),
            ("exp:1ms", ServiceTime::Exp(Duration::from_millis(1))),
            ("exp:1000ms", ServiceTime::Exp(Duration::from_secs(1))),
        ] {
            let read: ServiceTime = text.parse().unwrap();
            assert_eq!(read, time);
            assert_eq!(read.to_string().parse(), Ok(time));
        }
        for bad in [
            "",
            "const",
            "const:",
            "const:0us",
            "const:1",
            "exp:ms",
            "exp:1.5ms",
            "exp:-1ms",
            "exp:1001ms",
            "uniform:1ms",
            "const:1 ms",
            "exp:99999999999999999999us",
        ] {
            assert_eq!(
                bad.parse::<ServiceTime>(),
                Err(BadServiceTime(bad.to_owned()))
            );
        }
    }
}
