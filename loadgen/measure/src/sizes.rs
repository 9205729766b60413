use crate::HistogramError;
use crate::tally::{Exact, Tally};

const BOUND_BYTES: u64 = 1 << 40;

/// A distribution of sizes in bytes: 2 significant digits, bound 1 TiB, exact count, minimum,
/// maximum and mean. An empty one has no statistic at all (`None`).
#[derive(Debug, Clone)]
pub struct Sizes(Tally<2, BOUND_BYTES>);

impl Sizes {
    /// An empty distribution.
    pub fn new() -> Self {
        Self(Tally::new())
    }

    /// Adds one size.
    pub fn record(&mut self, bytes: u64) {
        self.0.record(bytes);
    }

    /// Adds every size of the other one, without loss.
    pub fn merge(&mut self, other: &Self) {
        self.0.merge(&other.0);
    }

    /// How many sizes were recorded.
    pub fn count(&self) -> u64 {
        self.0.count()
    }

    /// Sum of all sizes in bytes.
    pub fn sum_bytes(&self) -> u64 {
        self.0.sum()
    }

    /// Smallest size, exact.
    pub fn min_bytes(&self) -> Option<u64> {
        self.0.min()
    }

    /// Largest size, exact.
    pub fn max_bytes(&self) -> Option<u64> {
        self.0.max()
    }

    /// Arithmetic mean in bytes, exact.
    pub fn mean_bytes(&self) -> Option<f64> {
        self.0.mean()
    }

    /// Standard deviation in bytes, from the buckets.
    pub fn deviation_bytes(&self) -> Option<f64> {
        self.0.deviation()
    }

    /// Size at a quantile from 0 to 1, to 2 digits.
    pub fn quantile_bytes(&self, quantile: f64) -> Option<u64> {
        self.0.quantile(quantile)
    }

    /// HdrHistogram V2, compressed, in standard base64.
    pub fn to_base64(&self) -> String {
        self.0.to_base64()
    }

    /// Reads what [`Sizes::to_base64`] wrote. Minimum, maximum and sum become those of the
    /// buckets.
    ///
    /// # Errors
    /// When the text is not base64, no V2 histogram, or has other than 2 significant digits.
    pub fn from_base64(text: &str) -> Result<Self, HistogramError> {
        Tally::from_base64(text).map(Self)
    }

    pub(crate) fn restored(text: &str, exact: Exact) -> Result<Self, HistogramError> {
        let mut sizes = Self::from_base64(text)?;
        sizes.0.restore(exact)?;
        Ok(sizes)
    }
}

impl Default for Sizes {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_figures_stand_beside_the_histogram() {
        let mut sizes = Sizes::new();
        assert_eq!(sizes.mean_bytes(), None);
        for bytes in [1001, 1002, 100_003] {
            sizes.record(bytes);
        }
        assert_eq!(sizes.min_bytes(), Some(1001));
        assert_eq!(sizes.max_bytes(), Some(100_003));
        assert_eq!(sizes.mean_bytes(), Some(34_002.0));
        assert_eq!(sizes.sum_bytes(), 102_006);
        let deviation = sizes.deviation_bytes().expect("there are sizes");
        assert!((deviation / 46_669.0 - 1.0).abs() < 0.01, "{deviation}");
    }
}
