use loadgen_measure::SecondResult;

/// Seconds that are one point of a chart.
pub(super) struct Bin<'a> {
    /// The first second that may be in it.
    pub(super) from: f64,
    pub(super) seconds: &'a [SecondResult],
}

impl Bin<'_> {
    /// Mean of a count over its seconds.
    pub(super) fn mean(&self, count: impl Fn(&SecondResult) -> u64) -> f64 {
        let sum: u64 = self.seconds.iter().map(count).sum();
        sum as f64 / self.seconds.len() as f64
    }
}

/// How many seconds one point is, of which there may be so many.
pub(super) fn width(seconds: &[SecondResult], most: u64) -> u64 {
    let end = seconds.last().map_or(0, |last| last.second + 1);
    end.div_ceil(most.max(1)).max(1)
}

/// The seconds in bins of [`width`]; none of them is empty.
pub(super) fn bins(seconds: &[SecondResult], most: u64) -> Vec<Bin<'_>> {
    let width = width(seconds, most);
    let together = seconds.chunk_by(|a, b| a.second / width == b.second / width);
    together
        .map(|seconds| Bin {
            from: (seconds[0].second / width * width) as f64,
            seconds,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(count: u64) -> Vec<SecondResult> {
        let second = |second| SecondResult {
            second,
            sent: second,
            done: 0,
            ok: 0,
            failed: 0,
            not_started: 0,
            refused: 0,
            rounds: Vec::new(),
        };
        (0..count).map(second).collect()
    }

    #[test]
    fn a_short_run_keeps_its_seconds_and_a_long_one_is_bounded() {
        let short = seconds(600);
        assert_eq!(bins(&short, 600).len(), 600);
        let long = seconds(1501);
        let bins = bins(&long, 600);
        assert_eq!((width(&long, 600), bins.len()), (3, 501));
        assert_eq!((bins[1].from, bins[1].mean(|s| s.sent)), (3.0, 4.0));
        assert_eq!(bins[500].seconds.len(), 1, "the last one has what is left");
        assert_eq!(width(&[], 600), 1);
    }
}
