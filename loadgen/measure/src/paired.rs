use std::sync::Arc;
use std::time::Duration;

/// Two workflow kinds that differ in nothing but which replicas their rounds go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindPair {
    /// Positions in [`Shape::kinds`](crate::Shape::kinds).
    pub kinds: [usize; 2],
    /// Names of their spreads.
    pub spreads: [&'static str; 2],
}

/// How many times were taken, and the sum of their natural logarithms in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct LogSum {
    count: u64,
    sum: f64,
}

/// First rounds and retries of one second.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct PairedSecond {
    pub(crate) first: LogSum,
    pub(crate) retry: LogSum,
}

/// Service times of the kinds that are compared, by the second in which their rounds ended: counts and
/// sums alone, 32 bytes for each second and kind.
#[derive(Debug, Clone)]
pub(crate) struct PairedTally {
    pairs: Arc<[KindPair]>,
    /// By kind; those that are in no pair stay empty.
    seconds: Vec<Vec<PairedSecond>>,
    in_pair: Arc<[bool]>,
}

impl LogSum {
    fn add(&mut self, time: Duration) {
        let ns = time.as_nanos().max(1) as f64;
        self.count += 1;
        self.sum += ns.ln();
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.sum += other.sum;
    }

    /// Mean logarithm; `None` when nothing was taken.
    pub(crate) fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

impl PairedTally {
    pub(crate) fn new(pairs: &[KindPair], kinds: usize) -> Self {
        let compared = |kind| pairs.iter().any(|pair| pair.kinds.contains(&kind));
        Self {
            pairs: pairs.into(),
            seconds: vec![Vec::new(); kinds],
            in_pair: (0..kinds).map(compared).collect(),
        }
    }

    /// A round of this kind ended well.
    pub(crate) fn ok(&mut self, kind: usize, round: u16, done: Duration, service: Duration) {
        if !self.in_pair[kind] {
            return;
        }
        let seconds = &mut self.seconds[kind];
        let second = usize::try_from(done.as_secs()).unwrap_or(usize::MAX);
        if seconds.len() <= second {
            seconds.resize(second + 1, PairedSecond::default());
        }
        match round {
            0 => &mut seconds[second].first,
            _ => &mut seconds[second].retry,
        }
        .add(service);
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.seconds.iter_mut().zip(&other.seconds) {
            if mine.len() < theirs.len() {
                mine.resize(theirs.len(), PairedSecond::default());
            }
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                mine.first.merge(theirs.first);
                mine.retry.merge(theirs.retry);
            }
        }
    }

    pub(crate) fn pairs(&self) -> &[KindPair] {
        &self.pairs
    }

    /// What one kind had in a second.
    pub(crate) fn second(&self, kind: usize, second: usize) -> PairedSecond {
        let seconds = self.seconds[kind].get(second);
        seconds.copied().unwrap_or_default()
    }

    /// What all compared kinds had in a second.
    pub(crate) fn together(&self, second: usize) -> PairedSecond {
        let mut all = PairedSecond::default();
        for kind in 0..self.seconds.len() {
            let one = self.second(kind, second);
            all.first.merge(one.first);
            all.retry.merge(one.retry);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIR: KindPair = KindPair {
        kinds: [0, 2],
        spreads: ["sticky", "random"],
    };

    #[test]
    fn threads_together_have_what_one_would_have_and_others_are_not_kept() {
        let mut one = PairedTally::new(&[PAIR], 3);
        let mut threads = [one.clone(), one.clone()];
        for step in 0..60_u16 {
            let kind = usize::from(step % 3);
            let done = Duration::from_millis(100 * u64::from(step));
            let service = Duration::from_micros(u64::from(step) + 1);
            one.ok(kind, step % 2, done, service);
            threads[usize::from(step % 7 == 0)].ok(kind, step % 2, done, service);
        }
        let [mut sum, other] = threads;
        sum.merge(&other);
        let mut seen = 0;
        for second in 0..6 {
            for kind in 0..3 {
                let (a, b) = (sum.second(kind, second), one.second(kind, second));
                assert_eq!(
                    (a.first.count, a.retry.count),
                    (b.first.count, b.retry.count)
                );
                let near = |x: LogSum, y: LogSum| (x.sum - y.sum).abs() < 1e-9;
                assert!(near(a.first, b.first) && near(a.retry, b.retry));
                assert!(kind != 1 || a == PairedSecond::default(), "in no pair");
                seen += a.first.count + a.retry.count;
            }
        }
        assert_eq!(seen, 40);
        assert_eq!(sum.second(0, 99), PairedSecond::default());
    }

    #[test]
    fn the_mean_is_that_of_the_logarithms() {
        let mut tally = PairedTally::new(&[PAIR], 3);
        for us in [1, 100] {
            tally.ok(0, 1, Duration::ZERO, Duration::from_micros(us));
        }
        let mean = tally.together(0).retry.mean().unwrap();
        assert!((mean - 10_000_f64.ln()).abs() < 1e-9, "10 us: {mean}");
        assert_eq!(tally.together(0).first.mean(), None);
    }
}
