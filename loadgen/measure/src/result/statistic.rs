use super::aead::Times;
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
    pub(super) const ALL: [(&str, Self); 3] = [
        ("request_bytes", Self::Request),
        ("response_bytes", Self::Response),
        ("state_bytes", Self::State),
    ];

    pub(super) fn parse(text: &str) -> Option<Self> {
        named(&Self::ALL, text)
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
    pub(super) const ALL: [(&str, Self); 5] = [
        ("min", Self::Min),
        ("mean", Self::Mean),
        ("p50", Self::P50),
        ("p99", Self::P99),
        ("max", Self::Max),
    ];

    pub(super) fn parse(text: &str) -> Option<Self> {
        named(&Self::ALL, text)
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
    pub(super) const ALL: [(&str, Self); 7] = [
        ("min", Self::Min),
        ("mean", Self::Mean),
        ("p50", Self::P50),
        ("p90", Self::P90),
        ("p99", Self::P99),
        ("p999", Self::P999),
        ("max", Self::Max),
    ];

    pub(super) fn parse(text: &str) -> Option<Self> {
        named(&Self::ALL, text)
    }
}

impl Time {
    /// Names of units, with their nanoseconds.
    pub(super) const UNITS: [(&str, u64); 4] = [
        ("ns", 1),
        ("us", 1_000),
        ("ms", 1_000_000),
        ("s", 1_000_000_000),
    ];

    /// Reads `p99_ms` and the like.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (statistic, unit) = text.split_once('_')?;
        Some(Self {
            statistic: TimeStatistic::parse(statistic)?,
            ns_per_unit: ns_per_unit(unit)?,
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

    /// The same where only mean, p50 and p99 are kept.
    pub(super) fn of_times(self, times: Option<&Times>) -> Option<f64> {
        let times = times?;
        let ns = match self.statistic {
            TimeStatistic::Mean => times.mean_ns,
            TimeStatistic::P50 => times.p50_ns as f64,
            TimeStatistic::P99 => times.p99_ns as f64,
            _ => return None,
        };
        Some(ns / self.ns_per_unit as f64)
    }

    /// Whether [`Time::of_times`] has it.
    pub(super) const fn is_in_times(self) -> bool {
        matches!(
            self.statistic,
            TimeStatistic::Mean | TimeStatistic::P50 | TimeStatistic::P99
        )
    }
}

/// How many nanoseconds a unit of time is.
pub(super) fn ns_per_unit(unit: &str) -> Option<u64> {
    named(&Time::UNITS, unit)
}

/// What has this name.
fn named<T: Copy>(list: &[(&str, T)], name: &str) -> Option<T> {
    let found = list.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value)
}
