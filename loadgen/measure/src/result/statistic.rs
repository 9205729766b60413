use super::figures::{LatencyFigures, SizeFigures};

/// What servers say of their own work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Open,
    Handle,
    Seal,
}

/// What has a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    Request,
    Response,
    State,
}

impl Size {
    pub(super) fn parse(text: &str) -> Option<Self> {
        match text {
            "request_bytes" => Some(Self::Request),
            "response_bytes" => Some(Self::Response),
            "state_bytes" => Some(Self::State),
            _ => None,
        }
    }
}

/// A figure of sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SizeStatistic {
    Min,
    Mean,
    P50,
    P99,
    Max,
}

impl SizeStatistic {
    pub(super) fn parse(text: &str) -> Option<Self> {
        match text {
            "min" => Some(Self::Min),
            "mean" => Some(Self::Mean),
            "p50" => Some(Self::P50),
            "p99" => Some(Self::P99),
            "max" => Some(Self::Max),
            _ => None,
        }
    }

    /// Whether that of several rounds follows from those of each.
    pub(super) const fn is_extreme(self) -> bool {
        matches!(self, Self::Min | Self::Max)
    }

    /// In bytes.
    pub(super) fn of(self, figures: &SizeFigures) -> f64 {
        match self {
            Self::Min => figures.min_bytes as f64,
            Self::Mean => figures.mean_bytes,
            Self::P50 => figures.p50_bytes as f64,
            Self::P99 => figures.p99_bytes as f64,
            Self::Max => figures.max_bytes as f64,
        }
    }
}

/// A figure of times, in a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Time {
    statistic: TimeStatistic,
    ns_per_unit: u64,
}

/// A figure of times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TimeStatistic {
    Min,
    Mean,
    P50,
    P90,
    P99,
    P999,
    Max,
}

impl TimeStatistic {
    pub(super) fn parse(text: &str) -> Option<Self> {
        match text {
            "min" => Some(Self::Min),
            "mean" => Some(Self::Mean),
            "p50" => Some(Self::P50),
            "p90" => Some(Self::P90),
            "p99" => Some(Self::P99),
            "p999" => Some(Self::P999),
            "max" => Some(Self::Max),
            _ => None,
        }
    }
}

impl Time {
    /// Reads `p99_ms` and the like.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (statistic, unit) = text.split_once('_')?;
        Some(Self {
            statistic: TimeStatistic::parse(statistic)?,
            ns_per_unit: match unit {
                "ns" => 1,
                "us" => 1_000,
                "ms" => 1_000_000,
                "s" => 1_000_000_000,
                _ => return None,
            },
        })
    }

    /// In its unit; `None` when there are no figures.
    pub(super) fn of(self, figures: Option<&LatencyFigures>) -> Option<f64> {
        let figures = figures?;
        let ns = match self.statistic {
            TimeStatistic::Min => figures.min_ns as f64,
            TimeStatistic::Mean => figures.mean_ns,
            TimeStatistic::P50 => figures.p50_ns as f64,
            TimeStatistic::P90 => figures.p90_ns as f64,
            TimeStatistic::P99 => figures.p99_ns as f64,
            TimeStatistic::P999 => figures.p999_ns as f64,
            TimeStatistic::Max => figures.max_ns as f64,
        };
        Some(ns / self.ns_per_unit as f64)
    }
}
