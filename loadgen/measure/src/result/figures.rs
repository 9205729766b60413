use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::by_outcome::ByOutcome;
use crate::tally::Exact;
use crate::{HistogramError, Latency, Outcome, Sizes, TimeMeaning};

/// Figures of a distribution of times. It is absent when nothing was recorded, so every figure
/// here is real. Quantiles are HdrHistogram's (3 significant digits); count, minimum, maximum
/// and mean are exact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyFigures {
    /// How many times were recorded; at least 1.
    #[schemars(range(min = 1))]
    pub count: u64,
    /// Shortest, in nanoseconds.
    pub min_ns: u64,
    /// Arithmetic mean, in nanoseconds.
    pub mean_ns: f64,
    /// Quantile 0.5, in nanoseconds.
    pub p50_ns: u64,
    /// Quantile 0.9, in nanoseconds.
    pub p90_ns: u64,
    /// Quantile 0.99, in nanoseconds.
    pub p99_ns: u64,
    /// Quantile 0.999, in nanoseconds.
    pub p999_ns: u64,
    /// Longest, in nanoseconds.
    pub max_ns: u64,
    /// Sum of all times, in nanoseconds.
    pub sum_ns: u64,
    /// Times above one hour, which stand in the histogram as one hour.
    pub clipped: u64,
    /// 95 % intervals of the quantiles; absent for distributions that are not kept second by
    /// second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals_95: Option<QuantileIntervals>,
    /// HdrHistogram V2, compressed, standard base64; values are nanoseconds.
    pub histogram: String,
}

/// 95 % intervals of quantiles, from the quantile's rank widened by what blocks of seconds show of
/// its spread. One is absent where the sample cannot carry it: fewer than 20 blocks of seconds, or
/// fewer than 10 independent samples' worth beyond the quantile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuantileIntervals {
    /// Of quantile 0.5, in nanoseconds: lowest, highest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ns: Option<(u64, u64)>,
    /// Of quantile 0.9, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p90_ns: Option<(u64, u64)>,
    /// Of quantile 0.99, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_ns: Option<(u64, u64)>,
    /// Of quantile 0.999, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p999_ns: Option<(u64, u64)>,
}

impl QuantileIntervals {
    /// The quantiles, from 0 to 1.
    pub(crate) const QUANTILES: [f64; 4] = [0.5, 0.9, 0.99, 0.999];

    /// Of intervals of [`QuantileIntervals::QUANTILES`].
    pub(crate) fn new([p50_ns, p90_ns, p99_ns, p999_ns]: [Option<(u64, u64)>; 4]) -> Self {
        Self {
            p50_ns,
            p90_ns,
            p99_ns,
            p999_ns,
        }
    }
}

impl LatencyFigures {
    /// Figures of a distribution; `None` when it is empty.
    pub fn of(latency: &Latency) -> Option<Self> {
        Some(Self {
            count: latency.count(),
            min_ns: latency.min_ns()?,
            mean_ns: latency.mean_ns()?,
            p50_ns: latency.quantile_ns(0.5)?,
            p90_ns: latency.quantile_ns(0.9)?,
            p99_ns: latency.quantile_ns(0.99)?,
            p999_ns: latency.quantile_ns(0.999)?,
            max_ns: latency.max_ns()?,
            sum_ns: latency.sum_ns(),
            clipped: latency.clipped(),
            intervals_95: None,
            histogram: latency.to_base64(),
        })
    }

    /// The distribution itself, as it was recorded.
    ///
    /// # Errors
    /// When the stored histogram is damaged or does not hold `count` values.
    pub fn latency(&self) -> Result<Latency, HistogramError> {
        let exact = Exact {
            count: self.count,
            min: self.min_ns,
            max: self.max_ns,
            sum: self.sum_ns,
            clipped: self.clipped,
        };
        Latency::restored(&self.histogram, exact)
    }
}

/// Figures of a distribution of sizes. It is absent when nothing was recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SizeFigures {
    /// How many sizes were recorded; at least 1.
    #[schemars(range(min = 1))]
    pub count: u64,
    /// Smallest, in bytes.
    pub min_bytes: u64,
    /// Arithmetic mean, in bytes.
    pub mean_bytes: f64,
    /// Quantile 0.5, in bytes, to 2 digits.
    pub p50_bytes: u64,
    /// Quantile 0.99, in bytes, to 2 digits.
    pub p99_bytes: u64,
    /// Largest, in bytes.
    pub max_bytes: u64,
    /// Sum, in bytes.
    pub sum_bytes: u64,
    /// HdrHistogram V2, compressed, standard base64; values are bytes.
    pub histogram: String,
}

impl SizeFigures {
    /// Figures of a distribution; `None` when it is empty.
    pub fn of(sizes: &Sizes) -> Option<Self> {
        Some(Self {
            count: sizes.count(),
            min_bytes: sizes.min_bytes()?,
            mean_bytes: sizes.mean_bytes()?,
            p50_bytes: sizes.quantile_bytes(0.5)?,
            p99_bytes: sizes.quantile_bytes(0.99)?,
            max_bytes: sizes.max_bytes()?,
            sum_bytes: sizes.sum_bytes(),
            histogram: sizes.to_base64(),
        })
    }

    /// The distribution itself, as it was recorded.
    ///
    /// # Errors
    /// When the stored histogram is damaged or does not hold `count` values.
    pub fn sizes(&self) -> Result<Sizes, HistogramError> {
        let exact = Exact {
            count: self.count,
            min: self.min_bytes,
            max: self.max_bytes,
            sum: self.sum_bytes,
            clipped: 0,
        };
        Sizes::restored(&self.histogram, exact)
    }
}

/// Count and times of one outcome. Which time is there follows from the outcome: answers have
/// `response` and `service`, failures without an answer have `time_to_error`, what was not seen
/// to end has `age`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutcomeFigures {
    /// How many ended so.
    pub count: u64,
    /// From when it was due to when the answer was whole; absent without an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<LatencyFigures>,
    /// From when it was sent (for a workflow: taken up) to when the answer was whole; absent
    /// without an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<LatencyFigures>,
    /// From when it was due to when the failure showed; absent when an answer came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_to_error: Option<LatencyFigures>,
    /// From when it was due to when watching ended, a lower bound; absent when the end was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age: Option<LatencyFigures>,
}

impl OutcomeFigures {
    /// Figures of every outcome that happened.
    pub(crate) fn map(outcomes: &ByOutcome) -> BTreeMap<Outcome, Self> {
        Outcome::ALL
            .into_iter()
            .filter(|outcome| outcomes.count(*outcome) > 0)
            .map(|outcome| (outcome, Self::of(outcomes, outcome)))
            .collect()
    }

    fn of(outcomes: &ByOutcome, outcome: Outcome) -> Self {
        let response = outcomes.response(outcome).and_then(LatencyFigures::of);
        let mut figures = Self {
            count: outcomes.count(outcome),
            ..Self::default()
        };
        match outcome.time_meaning() {
            TimeMeaning::Latency => {
                figures.response = response;
                figures.service = outcomes.service(outcome).and_then(LatencyFigures::of);
            }
            TimeMeaning::TimeToError => figures.time_to_error = response,
            TimeMeaning::Age => figures.age = response,
        }
        figures
    }
}

/// Quantiles of the response time over everything that ended or was watched, a failure counting
/// as longer than any success. A figure is null when that quantile falls among the failures.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WithFailures {
    /// Successes and failures together.
    pub count: u64,
    /// Quantile 0.5, in nanoseconds.
    pub p50_ns: Option<u64>,
    /// Quantile 0.9, in nanoseconds.
    pub p90_ns: Option<u64>,
    /// Quantile 0.99, in nanoseconds.
    pub p99_ns: Option<u64>,
    /// Quantile 0.999, in nanoseconds.
    pub p999_ns: Option<u64>,
}

impl WithFailures {
    pub(crate) fn of(outcomes: &ByOutcome) -> Self {
        let count = outcomes.total();
        let ok = outcomes.response(Outcome::Ok);
        let at = |quantile: f64| {
            let ok = ok?;
            let within = quantile * count as f64 / ok.count() as f64;
            ok.quantile_ns(within)
        };
        Self {
            count,
            p50_ns: at(0.5),
            p90_ns: at(0.9),
            p99_ns: at(0.99),
            p999_ns: at(0.999),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn failures_count_as_longer_than_any_success() {
        let mut outcomes = ByOutcome::default();
        for step in 1..=90 {
            outcomes.record(Outcome::Ok, Duration::from_millis(step), None);
        }
        for _ in 0..10 {
            outcomes.record(Outcome::Timeout, Duration::from_secs(1), None);
        }
        let figures = WithFailures::of(&outcomes);
        assert_eq!(figures.count, 100);
        assert_eq!(figures.p50_ns.map(|ns| ns / 1_000_000), Some(50));
        assert_eq!(figures.p90_ns.map(|ns| ns / 1_000_000), Some(90));
        assert_eq!(figures.p99_ns, None);
    }

    #[test]
    fn a_failure_has_no_response_time() {
        let mut outcomes = ByOutcome::default();
        outcomes.record(Outcome::ConnectError, Duration::from_millis(1), None);
        outcomes.record(Outcome::Unfinished, Duration::from_secs(9), None);
        let map = OutcomeFigures::map(&outcomes);
        let refused = &map[&Outcome::ConnectError];
        assert!(refused.response.is_none() && refused.service.is_none());
        assert!(refused.time_to_error.is_some());
        assert!(map[&Outcome::Unfinished].age.is_some());
        assert!(!map.contains_key(&Outcome::Ok));
    }
}
