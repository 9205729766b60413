use std::fmt;
use std::num::NonZeroU32;

use toml::Spanned;

use super::check::Check;
use crate::scenario::ScenarioError;

/// Most requests per second that a replica can be told to admit.
const MOST_PER_S: f64 = 1e6;
/// Periods of a rate, in seconds.
const PERIODS: [(&str, u32); 3] = [("s", 1), ("min", 60), ("h", 3600)];

/// A rate as replicas read it: so many requests in a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitRate {
    units: NonZeroU32,
    /// Position in [`PERIODS`].
    period: usize,
}

impl LimitRate {
    /// The same in requests per second.
    #[must_use]
    pub fn per_s(self) -> f64 {
        f64::from(self.units.get()) / f64::from(PERIODS[self.period].1)
    }

    fn parse(text: &str) -> Option<Self> {
        let (units, period) = text.split_once('/').unwrap_or((text, "s"));
        if !units.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let rate = Self {
            units: units.parse().ok()?,
            period: PERIODS.iter().position(|(name, _)| *name == period)?,
        };
        (rate.per_s() <= MOST_PER_S).then_some(rate)
    }
}

impl fmt::Display for LimitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.units, PERIODS[self.period].0)
    }
}

impl Check<'_> {
    /// The rate of a changed limit; `None` where it is lifted.
    pub(super) fn limit_rate(
        &self,
        value: &Spanned<toml::Value>,
    ) -> Result<Option<LimitRate>, ScenarioError> {
        let rate = match value.get_ref() {
            toml::Value::String(text) if text == "none" => return Ok(None),
            toml::Value::String(text) => LimitRate::parse(text),
            toml::Value::Integer(per_s) => LimitRate::parse(&per_s.to_string()),
            _ => None,
        };
        rate.map(Some).ok_or_else(|| {
            let form = "limit must be a rate as in \"20/s\", \"300/min\" or \"5/h\", of at most \
                        1000000/s, or \"none\"";
            self.wrong(value, form)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_that_replicas_read() {
        for (text, per_s, shown) in [
            ("20", 20.0, "20/s"),
            ("20/s", 20.0, "20/s"),
            ("30/min", 0.5, "30/min"),
            ("1800/h", 0.5, "1800/h"),
            ("1000000/s", 1e6, "1000000/s"),
        ] {
            let rate = LimitRate::parse(text).expect(text);
            assert_eq!((rate.per_s(), rate.to_string().as_str()), (per_s, shown));
        }
        for text in [
            "",
            "0/s",
            "-1",
            "+1/s",
            "1.5/s",
            "3/day",
            "3/",
            "/s",
            "1000001/s",
        ] {
            assert_eq!(LimitRate::parse(text), None, "{text}");
        }
    }
}
