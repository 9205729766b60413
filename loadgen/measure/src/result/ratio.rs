use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figures::LatencyFigures;

/// Fewest times that have a p99 other than the longest one.
const P99_MIN: u64 = 100;

/// One time over another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ratio {
    /// 1 when they are equal.
    pub ratio: f64,
    /// Its 95 % interval from what blocks of seconds show: lowest, highest. Absent where the times are
    /// not kept second by second, and where the sample cannot carry one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_95: Option<(f64, f64)>,
}

/// Quantiles of one distribution of times over those of another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QuantileRatios {
    /// Of quantile 0.5.
    pub p50: Ratio,
    /// Of quantile 0.99; absent where either has fewer than 100 times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99: Option<Ratio>,
}

impl Ratio {
    /// From its logarithm and the half-width of the logarithm's interval.
    pub(crate) fn from_ln(ln: f64, half: Option<f64>) -> Self {
        Self {
            ratio: ln.exp(),
            interval_95: half.map(|half| ((ln - half).exp(), (ln + half).exp())),
        }
    }

    /// The same ratio with an interval of this half-width of its logarithm.
    pub(crate) fn with(self, half: Option<f64>) -> Self {
        Self::from_ln(self.ratio.ln(), half)
    }

    /// Whether the interval leaves it open on which side of 1 the ratio is.
    #[must_use]
    pub fn is_within_noise(&self) -> Option<bool> {
        self.interval_95
            .map(|(low, high)| low <= 1.0 && high >= 1.0)
    }
}

impl QuantileRatios {
    pub(crate) fn of(x: &LatencyFigures, y: &LatencyFigures) -> Self {
        let ratio = |x: u64, y: u64| Ratio {
            ratio: x.max(1) as f64 / y.max(1) as f64,
            interval_95: None,
        };
        Self {
            p50: ratio(x.p50_ns, y.p50_ns),
            p99: (x.count.min(y.count) >= P99_MIN).then(|| ratio(x.p99_ns, y.p99_ns)),
        }
    }
}
