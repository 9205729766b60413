use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{
    Deserializer, Serializer as _, V2DeflateSerializer, V2Serializer,
};

/// Why a stored histogram could not be read.
#[derive(Debug, thiserror::Error)]
pub enum HistogramError {
    /// The text is not base64.
    #[error("the histogram is not base64: {0}")]
    Base64(#[from] base64::DecodeError),
    /// The bytes are not a histogram of HdrHistogram's V2 format, plain or compressed.
    #[error("the histogram is not in HdrHistogram V2 format: {0}")]
    Format(String),
    /// The histogram holds values at another precision, so merging would lose digits.
    #[error("the histogram has {found} significant digits, not {expected}")]
    Digits {
        /// Digits in the stored histogram.
        found: u8,
        /// Digits that this kind of histogram has.
        expected: u8,
    },
    /// The file that holds it for the time being cannot be read.
    #[error("the histogram cannot be read back: {0}")]
    Read(#[from] std::io::Error),
    /// The histogram and the count written beside it differ.
    #[error("the histogram holds {found} values, its count says {expected}")]
    Count {
        /// Values in the stored histogram.
        found: u64,
        /// The count beside it.
        expected: u64,
    },
}

/// A histogram that resizes itself up to a bound, with exact count, minimum, maximum and sum
/// beside it. Values above the bound enter at the bound and are counted as clipped.
///
/// An empty one answers `None` to every question: hdrhistogram itself says 0.
#[derive(Debug, Clone)]
pub(crate) struct Tally<const DIGITS: u8, const BOUND: u64> {
    histogram: Histogram<u64>,
    min: u64,
    max: u64,
    sum: u64,
    clipped: u64,
}

impl<const DIGITS: u8, const BOUND: u64> Tally<DIGITS, BOUND> {
    pub(crate) fn new() -> Self {
        Self {
            histogram: Histogram::new(DIGITS).expect("1 to 5 digits are accepted"),
            min: u64::MAX,
            max: 0,
            sum: 0,
            clipped: 0,
        }
    }

    pub(crate) fn record(&mut self, value: u64) {
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.sum = self.sum.saturating_add(value);
        let kept = value.min(BOUND);
        self.clipped += u64::from(kept != value);
        self.histogram
            .record(kept)
            .expect("an auto-resizing histogram takes every value up to its bound");
    }

    /// Made of values with their counts, and of what is known exactly of them.
    pub(crate) fn of_values(
        values: impl DoubleEndedIterator<Item = (u64, u64)>,
        exact: Exact,
    ) -> Self {
        let mut tally = Self::new();
        // From the greatest on, so that it finds its size at once.
        for (value, count) in values.rev() {
            tally
                .histogram
                .record_n(value.min(BOUND), count)
                .expect("an auto-resizing histogram takes every value up to its bound");
        }
        tally.set(exact);
        tally
    }

    /// Adds the other's values; nothing is lost, since both have the same digits.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.histogram
            .add(&other.histogram)
            .expect("an auto-resizing histogram takes one of the same digits");
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum = self.sum.saturating_add(other.sum);
        self.clipped += other.clipped;
    }

    /// What is left without a part of it.
    pub(crate) fn without(&self, part: &Self) -> Self {
        let mut left = self.histogram.clone();
        left.subtract(&part.histogram)
            .expect("a part holds nothing that the whole does not");
        let some = !left.is_empty();
        Self {
            min: if some { left.min() } else { u64::MAX },
            max: if some { left.max() } else { 0 },
            sum: self.sum.saturating_sub(part.sum),
            clipped: self.clipped - part.clipped,
            histogram: left,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.histogram.reset();
        self.min = u64::MAX;
        self.max = 0;
        self.sum = 0;
        self.clipped = 0;
    }

    pub(crate) fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// Standard deviation, from the buckets.
    pub(crate) fn deviation(&self) -> Option<f64> {
        (!self.histogram.is_empty()).then(|| self.histogram.stdev())
    }

    pub(crate) fn clipped(&self) -> u64 {
        self.clipped
    }

    pub(crate) fn sum(&self) -> u64 {
        self.sum
    }

    pub(crate) fn min(&self) -> Option<u64> {
        (self.count() > 0).then_some(self.min)
    }

    pub(crate) fn max(&self) -> Option<u64> {
        (self.count() > 0).then_some(self.max)
    }

    pub(crate) fn mean(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.sum as f64 / self.count() as f64)
    }

    /// Value at a quantile from 0 to 1, never outside the exact minimum and maximum.
    /// `None` when empty or when the quantile is not in 0..=1.
    pub(crate) fn quantile(&self, quantile: f64) -> Option<u64> {
        if self.count() == 0 || !(0.0..=1.0).contains(&quantile) {
            return None;
        }
        if quantile == 1.0 {
            return Some(self.max);
        }
        let value = self.histogram.value_at_quantile(quantile);
        Some(value.clamp(self.min, self.max))
    }

    pub(crate) fn histogram(&self) -> &Histogram<u64> {
        &self.histogram
    }

    /// HdrHistogram V2 bytes, compressed.
    pub(crate) fn to_bytes(&self, serializer: &mut V2DeflateSerializer) -> Vec<u8> {
        let mut bytes = Vec::new();
        serializer
            .serialize(&self.histogram, &mut bytes)
            .expect("writing to memory succeeds and counts stay below i64::MAX");
        bytes
    }

    /// HdrHistogram V2 bytes, not compressed: twice the size at an eighth of the time.
    pub(crate) fn to_plain_bytes(&self, serializer: &mut V2Serializer) -> Vec<u8> {
        let mut bytes = Vec::new();
        serializer
            .serialize(&self.histogram, &mut bytes)
            .expect("writing to memory succeeds and counts stay below i64::MAX");
        bytes
    }

    pub(crate) fn to_base64(&self) -> String {
        STANDARD.encode(self.to_bytes(&mut V2DeflateSerializer::new()))
    }

    /// Reads V2 bytes. Minimum, maximum and sum are then those of the histogram's buckets.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, HistogramError> {
        let stored: Histogram<u64> = Deserializer::new()
            .deserialize(&mut &bytes[..])
            .map_err(|error| HistogramError::Format(error.to_string()))?;
        if stored.sigfig() != DIGITS {
            return Err(HistogramError::Digits {
                found: stored.sigfig(),
                expected: DIGITS,
            });
        }
        let mut tally = Self::new();
        tally
            .histogram
            .add(&stored)
            .map_err(|error| HistogramError::Format(error.to_string()))?;
        if !stored.is_empty() {
            tally.min = stored.min();
            tally.max = stored.max();
            tally.sum = stored
                .iter_recorded()
                .map(|step| {
                    stored
                        .median_equivalent(step.value_iterated_to())
                        .saturating_mul(step.count_at_value())
                })
                .fold(0, u64::saturating_add);
        }
        Ok(tally)
    }

    pub(crate) fn from_base64(text: &str) -> Result<Self, HistogramError> {
        Self::from_bytes(&STANDARD.decode(text)?)
    }

    /// Puts back what stands beside the histogram in a result file.
    pub(crate) fn restore(&mut self, exact: Exact) -> Result<(), HistogramError> {
        if self.count() != exact.count {
            return Err(HistogramError::Count {
                found: self.count(),
                expected: exact.count,
            });
        }
        self.set(exact);
        Ok(())
    }

    fn set(&mut self, exact: Exact) {
        self.min = exact.min;
        self.max = exact.max;
        self.sum = exact.sum;
        self.clipped = exact.clipped;
    }
}

/// The exact figures beside a stored histogram.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exact {
    pub(crate) count: u64,
    pub(crate) min: u64,
    pub(crate) max: u64,
    pub(crate) sum: u64,
    pub(crate) clipped: u64,
}
