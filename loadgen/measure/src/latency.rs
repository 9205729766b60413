use std::time::Duration;

use hdrhistogram::serialization::{V2DeflateSerializer, V2Serializer};

use crate::HistogramError;
use crate::tally::{Exact, Tally};

const BOUND_NS: u64 = 3_600_000_000_000;

/// A distribution of times: nanoseconds, 3 significant digits, 64-bit counters, growing by need
/// up to [`Latency::BOUND`]; longer times enter at the bound and are counted as clipped. Count,
/// minimum, maximum and mean are exact. An empty one has no statistic at all (`None`).
#[derive(Debug, Clone)]
pub struct Latency(Tally<3, BOUND_NS>);

impl Latency {
    /// Longest time that is kept as it is: 1 hour.
    pub const BOUND: Duration = Duration::from_nanos(BOUND_NS);

    /// An empty distribution.
    pub fn new() -> Self {
        Self(Tally::new())
    }

    /// Adds one time. Never fails: see [`Latency::BOUND`].
    pub fn record(&mut self, time: Duration) {
        self.0
            .record(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Adds every time of the other one, without loss.
    pub fn merge(&mut self, other: &Self) {
        self.0.merge(&other.0);
    }

    /// What is left without a part of it. Minimum and maximum are then those of the buckets.
    ///
    /// # Panics
    /// When `part` holds what is not here.
    #[must_use]
    pub(crate) fn without(&self, part: &Self) -> Self {
        Self(self.0.without(&part.0))
    }

    /// Forgets everything but keeps the memory.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// How many times were recorded.
    pub fn count(&self) -> u64 {
        self.0.count()
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// How many times were above [`Latency::BOUND`].
    pub fn clipped(&self) -> u64 {
        self.0.clipped()
    }

    /// Sum of all times in nanoseconds, stopping at `u64::MAX` (584 years).
    pub fn sum_ns(&self) -> u64 {
        self.0.sum()
    }

    /// Shortest time in nanoseconds, exact.
    pub fn min_ns(&self) -> Option<u64> {
        self.0.min()
    }

    /// Longest time in nanoseconds, exact.
    pub fn max_ns(&self) -> Option<u64> {
        self.0.max()
    }

    /// Arithmetic mean in nanoseconds, exact.
    pub fn mean_ns(&self) -> Option<f64> {
        self.0.mean()
    }

    /// Time in nanoseconds at a quantile from 0 to 1: the smallest recorded value, to 3 digits,
    /// with at least that share of all values at or below it (the definition of HdrHistogram).
    /// `None` when empty or outside 0..=1.
    pub fn quantile_ns(&self, quantile: f64) -> Option<u64> {
        self.0.quantile(quantile)
    }

    /// The buckets that hold something, from short to long: longest time of the bucket in
    /// nanoseconds and its count.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.0
            .histogram()
            .iter_recorded()
            .map(|step| (step.value_iterated_to(), step.count_at_value()))
    }

    /// HdrHistogram V2 bytes, compressed (cookie `0x1c849314`).
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_bytes_with(&mut V2DeflateSerializer::new())
    }

    /// The bytes of [`Latency::to_bytes`] in standard base64, as Java's and Python's
    /// HdrHistogram read it.
    pub fn to_base64(&self) -> String {
        self.0.to_base64()
    }

    /// Reads V2 bytes, compressed or not. Minimum, maximum and sum become those of the buckets.
    ///
    /// # Errors
    /// When the bytes are no V2 histogram or have other than 3 significant digits.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, HistogramError> {
        Tally::from_bytes(bytes).map(Self)
    }

    /// Reads what [`Latency::to_base64`] wrote.
    ///
    /// # Errors
    /// When the text is not base64, or as [`Latency::from_bytes`].
    pub fn from_base64(text: &str) -> Result<Self, HistogramError> {
        Tally::from_base64(text).map(Self)
    }

    pub(crate) fn restored(text: &str, exact: Exact) -> Result<Self, HistogramError> {
        let mut latency = Self::from_base64(text)?;
        latency.0.restore(exact)?;
        Ok(latency)
    }

    /// Made of the longest times of its buckets with their counts, rising, and of what is known
    /// exactly.
    pub(crate) fn of_values(
        values: impl DoubleEndedIterator<Item = (u64, u64)>,
        exact: Exact,
    ) -> Self {
        Self(Tally::of_values(values, exact))
    }

    pub(crate) fn to_bytes_with(&self, serializer: &mut V2DeflateSerializer) -> Vec<u8> {
        self.0.to_bytes(serializer)
    }

    pub(crate) fn to_plain_bytes(&self, serializer: &mut V2Serializer) -> Vec<u8> {
        self.0.to_plain_bytes(serializer)
    }
}

impl Default for Latency {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_recorded_means_no_statistic() {
        let empty = Latency::new();
        assert!(empty.is_empty());
        assert_eq!(empty.min_ns(), None);
        assert_eq!(empty.max_ns(), None);
        assert_eq!(empty.mean_ns(), None);
        assert_eq!(empty.quantile_ns(0.5), None);
        let back = Latency::from_base64(&empty.to_base64()).unwrap();
        assert_eq!(back.quantile_ns(0.5), None);
    }

    #[test]
    fn times_above_the_bound_are_clipped_and_counted() {
        let mut latency = Latency::new();
        latency.record(Duration::from_millis(1));
        latency.record(Latency::BOUND);
        latency.record(Duration::from_secs(3601));
        latency.record(Duration::MAX);
        assert_eq!(latency.count(), 4);
        assert_eq!(latency.clipped(), 2);
        assert_eq!(latency.max_ns(), Some(u64::MAX));
    }

    #[test]
    fn a_real_tail_is_not_averaged_away() {
        let mut latency = Latency::new();
        for _ in 0..99 {
            latency.record(Duration::from_millis(2));
        }
        latency.record(Duration::from_secs(3));
        assert_eq!(latency.mean_ns(), Some(31_980_000.0));
        for quantile in [0.5, 0.95, 0.99] {
            let value = latency.quantile_ns(quantile).unwrap();
            assert!((1_998_000..=2_002_000).contains(&value), "{value}");
        }
        assert_eq!(latency.quantile_ns(1.0), Some(3_000_000_000));
        assert_eq!(latency.quantile_ns(0.995), Some(3_000_000_000));
    }

    #[test]
    fn what_is_left_without_a_part_is_the_other_part() {
        let (mut all, mut part, mut rest) = (Latency::new(), Latency::new(), Latency::new());
        for us in 1..500 {
            let time = Duration::from_micros(us * us);
            all.record(time);
            if us % 3 == 0 { &mut part } else { &mut rest }.record(time);
        }
        let left = all.without(&part);
        assert!(left.buckets().eq(rest.buckets()));
        assert_eq!((left.sum_ns(), left.count()), (rest.sum_ns(), rest.count()));
        let near =
            |a: Option<u64>, b: Option<u64>| a.unwrap().abs_diff(b.unwrap()) <= b.unwrap() / 500;
        assert!(near(left.max_ns(), rest.max_ns()) && near(left.min_ns(), rest.min_ns()));
        let none = all.without(&all);
        assert!(none.is_empty() && none.min_ns().is_none());
    }

    #[test]
    fn zero_is_a_value() {
        let mut latency = Latency::new();
        latency.record(Duration::ZERO);
        assert_eq!(latency.min_ns(), Some(0));
        assert_eq!(latency.quantile_ns(0.99), Some(0));
    }

    #[test]
    fn quantiles_outside_0_to_1_have_no_value() {
        let mut latency = Latency::new();
        latency.record(Duration::from_millis(1));
        for quantile in [-0.1, 1.5, f64::NAN] {
            assert_eq!(latency.quantile_ns(quantile), None);
        }
    }

    #[test]
    fn garbage_is_refused_with_its_reason() {
        let not_base64 = Latency::from_base64("!!").unwrap_err().to_string();
        assert!(not_base64.contains("base64"), "{not_base64}");
        let not_v2 = Latency::from_bytes(b"hello").unwrap_err().to_string();
        assert!(not_v2.contains("V2"), "{not_v2}");
        let two_digits = crate::Sizes::new().to_base64();
        let digits = Latency::from_base64(&two_digits).unwrap_err().to_string();
        assert!(digits.contains("digits"), "{digits}");
    }
}
