//! Whether a target kept up with an open load: what was sent and not answered must not pile up.

use std::ops::Range;

use crate::seconds::SecondCounts;

/// Share of the rounds sent in the second half of the load by which those in flight may grow.
const GROWTH_SHARE: f64 = 0.05;
/// Growth that chance alone may give, in standard deviations.
const SIGMAS: f64 = 3.0;

/// Rounds in flight over the second half of the load.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Backlog {
    seconds: u64,
    sent: u64,
    settled: u64,
    /// In flight when the half began.
    before: u64,
    shortest_ns: u64,
}

impl Backlog {
    /// Over the second half of these whole seconds of the load. `shortest_ns`: the shortest service
    /// time of any round, 0 without one.
    pub(crate) fn of(counts: &[SecondCounts], whole: &[usize], shortest_ns: u64) -> Self {
        let (Some(from), Some(last)) = (whole.get(whole.len() / 2), whole.last()) else {
            return Self::default();
        };
        let to = counts.len().min(last + 1);
        let from = to.min(*from);
        let sum = |range: Range<usize>| {
            let counts = counts[range].iter();
            counts.fold((0, 0), |(sent, settled), second| {
                (sent + second.sent, settled + second.settled)
            })
        };
        let (sent_before, settled_before) = sum(0..from);
        let (sent, settled) = sum(from..to);
        Self {
            seconds: (to - from) as u64,
            sent,
            settled,
            before: sent_before.saturating_sub(settled_before),
            shortest_ns,
        }
    }

    /// That the target fell behind, if it did. In a steady state the number in flight at two moments
    /// differs by chance: with Poisson counts L1 and L2 by a standard deviation of sqrt(L1 + L2).
    /// Rounds of which even the shortest takes long against the time looked at say nothing: they are
    /// still on their first way.
    pub(crate) fn fell_behind(self) -> Option<String> {
        let growth = self.sent.checked_sub(self.settled)? as f64;
        let chance = SIGMAS * (2.0 * self.before as f64 + growth).sqrt();
        let seen = self.shortest_ns < self.seconds * 1_000_000_000 / 2;
        let grew = growth > chance && growth > GROWTH_SHARE * self.sent as f64;
        (grew && seen).then(|| {
            format!(
                "the target, which fell behind: in the last {} s of the load {} rounds were sent and \
                 {} ended, timeouts apart",
                self.seconds, self.sent, self.settled
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backlog(counts: &[(u64, u64)], shortest_ns: u64) -> Backlog {
        let counts: Vec<SecondCounts> = counts
            .iter()
            .map(|(sent, settled)| SecondCounts {
                sent: *sent,
                settled: *settled,
                ..SecondCounts::default()
            })
            .collect();
        let whole: Vec<usize> = (0..4).collect();
        Backlog::of(&counts, &whole, shortest_ns)
    }

    #[test]
    fn a_queue_that_grows_is_told_from_one_that_does_not() {
        let overload = backlog(&[(400, 200), (400, 200), (400, 200), (400, 200)], 5_000_000);
        assert_eq!(
            overload.fell_behind().as_deref(),
            Some(
                "the target, which fell behind: in the last 2 s of the load 800 rounds were sent and \
                 400 ended, timeouts apart"
            )
        );
        let drained = [(400, 280), (400, 400), (400, 400), (400, 400), (0, 120)];
        assert_eq!(backlog(&drained, 300_000_000).fell_behind(), None);
        let noisy = [(400, 280), (400, 390), (400, 390), (400, 395), (0, 145)];
        assert_eq!(backlog(&noisy, 300_000_000).fell_behind(), None, "chance");
        let slow = [(400, 0), (400, 0), (400, 0), (400, 400), (0, 1200)];
        assert_eq!(backlog(&slow, 3_000_000_000).fell_behind(), None);
        assert_eq!(Backlog::of(&[], &[], 0).fell_behind(), None);
    }
}
