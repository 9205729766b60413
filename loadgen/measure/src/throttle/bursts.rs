use std::time::Duration;

/// A count for every 100 ms of the run.
const BIN: Duration = Duration::from_millis(100);
/// Bins of the window that a bin is compared with: one second.
const WINDOW: usize = 10;
/// With fewer in the busiest second, chance alone makes a bin stand out.
const FEWEST: u64 = 20;

/// When new attempts were sent, as counts for every 100 ms: four bytes each, whatever the load.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bursts {
    bins: Vec<u32>,
}

impl Bursts {
    pub(crate) fn add(&mut self, at: Duration) {
        let bin = usize::try_from(at.as_nanos() / BIN.as_nanos()).unwrap_or(usize::MAX);
        if self.bins.len() <= bin {
            self.bins.resize(bin + 1, 0);
        }
        self.bins[bin] = self.bins[bin].saturating_add(1);
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        if self.bins.len() < other.bins.len() {
            self.bins.resize(other.bins.len(), 0);
        }
        for (mine, theirs) in self.bins.iter_mut().zip(&other.bins) {
            *mine = mine.saturating_add(*theirs);
        }
    }

    pub(crate) fn total(&self) -> u64 {
        self.bins.iter().map(|count| u64::from(*count)).sum()
    }

    /// The most that came in 100 ms over a tenth of the most that came in one second: 1 when they
    /// are spread evenly, 10 when they come all at once. `None` with fewer than 20 in the busiest
    /// second.
    pub(crate) fn factor(&self) -> Option<f64> {
        let of = |bins: &[u32]| bins.iter().map(|count| u64::from(*count)).sum::<u64>();
        let whole = self.bins.windows(WINDOW).map(of).max();
        let second = whole.unwrap_or_else(|| of(&self.bins));
        let most = f64::from(*self.bins.iter().max()?);
        (second >= FEWEST).then(|| most / (second as f64 / WINDOW as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bursts(times_ms: impl Iterator<Item = u64>) -> Bursts {
        let mut bursts = Bursts::default();
        times_ms.for_each(|ms| bursts.add(Duration::from_millis(ms)));
        bursts
    }

    #[test]
    fn a_herd_is_ten_and_an_even_stream_is_one() {
        assert_eq!(bursts((0..200).map(|_| 2_000)).factor(), Some(10.0));
        assert_eq!(bursts((0..200).map(|n| 2_000 + 5 * n)).factor(), Some(1.0));
        assert_eq!(bursts((0..19).map(|_| 2_000)).factor(), None);
        assert_eq!(Bursts::default().factor(), None);
    }

    #[test]
    fn threads_together_are_one() {
        let mut left = bursts((0..30).map(|n| 10 * n));
        let right = bursts((0..30).map(|n| 1_000 + 10 * n));
        left.merge(&right);
        assert_eq!(left.total(), 60);
        let both = (0..30).map(|n| 10 * n);
        let one = bursts(both.chain((0..30).map(|n| 1_000 + 10 * n)));
        assert_eq!(left.bins, one.bins);
    }
}
