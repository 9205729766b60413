use std::borrow::Cow;
use std::sync::Arc;

use crate::buckets::{Buckets, Reader};
use crate::{HistogramError, Latency, PackedLatency};

/// What the times of a series are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Series {
    /// This round, successful.
    Round(u16),
    /// Whole workflows, successful.
    Workflow,
}

/// Response times of one second; several may exist for one second and series
/// (from several threads, or from samples that came late) and are added when read.
#[derive(Debug, Clone)]
pub(crate) struct Finished {
    pub(crate) second: usize,
    pub(crate) series: Series,
    /// V2 bytes of a histogram, not compressed. Copies share them.
    pub(crate) bytes: Arc<[u8]>,
}

/// A second and what its times are of.
pub(crate) type Key = (usize, Series);

/// Response times of one second as they are kept, with the figures that every checkpoint wants.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub(crate) packed: PackedLatency,
    pub(crate) figures: SecondFigures,
}

/// Figures of the response times of one second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SecondFigures {
    pub(crate) count: u64,
    pub(crate) p50_ns: u64,
    pub(crate) p99_ns: u64,
    pub(crate) max_ns: u64,
}

/// Some of the response times of one second and series.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part<'a> {
    Live(&'a Latency),
    Finished(&'a Finished),
    Kept(&'a Kept),
}

/// Seconds that are over, on their way from a recorder to an [`Archive`](crate::Archive).
#[derive(Debug, Default)]
pub struct FinishedSeconds(pub(crate) Vec<Finished>);

impl FinishedSeconds {
    /// Adds later ones.
    pub fn append(&mut self, mut later: Self) {
        self.0.append(&mut later.0);
    }
}

impl Finished {
    pub(crate) fn latency(&self) -> Result<Latency, HistogramError> {
        Latency::from_bytes(&self.bytes)
    }
}

impl Kept {
    pub(crate) fn new(packed: PackedLatency, latency: &Latency) -> Self {
        let quantile = |q| latency.quantile_ns(q).unwrap_or(0);
        Self {
            packed,
            figures: SecondFigures {
                count: latency.count(),
                p50_ns: quantile(0.5),
                p99_ns: quantile(0.99),
                max_ns: latency.max_ns().unwrap_or(0),
            },
        }
    }
}

impl<'a> Part<'a> {
    pub(crate) fn latency(self) -> Result<Cow<'a, Latency>, HistogramError> {
        match self {
            Self::Live(live) => Ok(Cow::Borrowed(live)),
            Self::Finished(finished) => finished.latency().map(Cow::Owned),
            Self::Kept(kept) => kept.packed.latency().map(Cow::Owned),
        }
    }

    pub(crate) fn read(self, reader: &mut Reader) -> Result<Cow<'_, Buckets>, HistogramError> {
        let read = match self {
            Self::Live(live) => return Ok(Cow::Owned(Buckets::of(live))),
            Self::Finished(finished) => reader.plain(&finished.bytes),
            Self::Kept(kept) => reader.packed(&kept.packed),
        };
        read.map(Cow::Borrowed)
    }

    /// As it is kept, if it is in that form.
    pub(crate) fn kept(self) -> Option<&'a Kept> {
        match self {
            Self::Kept(kept) => Some(kept),
            Self::Finished(_) | Self::Live(_) => None,
        }
    }
}
