use std::borrow::Cow;
use std::sync::Arc;

use crate::{Latency, PackedLatency};

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
    pub(crate) bytes: Bytes,
}

/// V2 bytes of a histogram. Copies share them.
#[derive(Debug, Clone)]
pub(crate) enum Bytes {
    Plain(Arc<[u8]>),
    Compressed(PackedLatency),
}

/// Some of the response times of one second and series.
pub(crate) enum Part<'a> {
    Live(&'a Latency),
    Finished(&'a Finished),
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
    pub(crate) fn latency(&self) -> Latency {
        match &self.bytes {
            Bytes::Plain(bytes) => Latency::from_bytes(bytes),
            Bytes::Compressed(packed) => packed.latency(),
        }
        .expect("the bytes were written by this recorder")
    }
}

impl<'a> Part<'a> {
    pub(crate) fn latency(&self) -> Cow<'a, Latency> {
        match self {
            Self::Live(live) => Cow::Borrowed(live),
            Self::Finished(finished) => Cow::Owned(finished.latency()),
        }
    }

    /// Its compressed bytes, if it has any.
    pub(crate) fn packed(&self) -> Option<PackedLatency> {
        match self {
            Self::Finished(Finished {
                bytes: Bytes::Compressed(packed),
                ..
            }) => Some(packed.clone()),
            Self::Finished(_) | Self::Live(_) => None,
        }
    }
}

#[cfg(test)]
impl Bytes {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Plain(bytes) => bytes.len(),
            Self::Compressed(packed) => packed.bytes().len(),
        }
    }
}
