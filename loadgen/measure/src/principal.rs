use std::time::Duration;

use crate::Outcome;
use crate::kind::add_ns;

/// Principals that are counted one by one; those after them are counted together.
const ONE_BY_ONE: usize = 1000;

/// Counts of the principals of a run, by their position in the list of tokens.
#[derive(Debug, Clone)]
pub(crate) struct Principals {
    pub(crate) count: usize,
    /// The first ones, and as a last element all others together.
    counts: Vec<PrincipalTally>,
    /// Rounds that ended well while a phase lasted: of each phase, as many as there are counts.
    admitted: Vec<u64>,
}

/// What became of one principal's workflows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PrincipalTally {
    pub(crate) started: u64,
    pub(crate) ok: u64,
    pub(crate) throttled: u64,
    pub(crate) refused: u64,
    pub(crate) waited_ns: u64,
}

impl Principals {
    pub(crate) fn new(count: usize, phases: usize) -> Self {
        let counts = count.min(ONE_BY_ONE + 1);
        Self {
            count,
            counts: vec![PrincipalTally::default(); counts],
            admitted: vec![0; counts * phases],
        }
    }

    /// A round of the principal at this position ended well in this phase.
    pub(crate) fn admit(&mut self, position: usize, phase: usize) {
        let place = phase * self.counts.len() + position.min(ONE_BY_ONE);
        if let Some(admitted) = self.admitted.get_mut(place) {
            *admitted += 1;
        }
    }

    /// Rounds that ended well in this phase, of those that are counted one by one.
    pub(crate) fn admitted(&self, phase: usize) -> &[u64] {
        let from = phase * self.counts.len();
        &self.admitted[from..from + self.each().len()]
    }

    pub(crate) fn of(&mut self, position: usize) -> Option<&mut PrincipalTally> {
        self.counts.get_mut(position.min(ONE_BY_ONE))
    }

    /// Those that are counted one by one.
    pub(crate) fn each(&self) -> &[PrincipalTally] {
        &self.counts[..self.counts.len().min(ONE_BY_ONE)]
    }

    /// All others together.
    pub(crate) fn others(&self) -> Option<&PrincipalTally> {
        self.counts.get(ONE_BY_ONE)
    }

    /// Workflows that were taken up, of all principals.
    pub(crate) fn started(&self) -> u64 {
        self.counts.iter().map(|tally| tally.started).sum()
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            mine.started += theirs.started;
            mine.ok += theirs.ok;
            mine.throttled += theirs.throttled;
            mine.refused += theirs.refused;
            mine.waited_ns = mine.waited_ns.saturating_add(theirs.waited_ns);
        }
        for (mine, theirs) in self.admitted.iter_mut().zip(&other.admitted) {
            *mine += theirs;
        }
    }
}

impl PrincipalTally {
    /// A workflow was taken up.
    pub fn started(&mut self) {
        self.started += 1;
    }

    /// A workflow ended.
    pub fn ended(&mut self, outcome: Outcome) {
        self.ok += u64::from(outcome == Outcome::Ok);
        self.throttled += u64::from(outcome == Outcome::Throttled);
    }

    /// An attempt was refused by a rate limit.
    pub fn refused(&mut self) {
        self.refused += 1;
    }

    /// A round waited so long for another attempt, or was held back before its first.
    pub fn waited(&mut self, time: Duration) {
        self.waited_ns = add_ns(self.waited_ns, time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_beyond_the_first_thousand_are_counted_together() {
        let mut few = Principals::new(1000, 1);
        few.of(999).unwrap().started();
        assert_eq!((few.each().len(), few.others()), (1000, None));
        let mut many = Principals::new(5000, 2);
        for position in [0, 999, 1000, 4999] {
            many.of(position).unwrap().started();
        }
        let mut twice = many.clone();
        twice.merge(&many);
        assert_eq!(twice.each().len(), 1000);
        assert_eq!(twice.each()[999].started, 2);
        assert_eq!(twice.others().unwrap().started, 4);
        assert_eq!((twice.started(), twice.count), (8, 5000));
    }

    #[test]
    fn admitted_rounds_stand_by_phase_and_by_principal() {
        let mut principals = Principals::new(2000, 2);
        for (position, phase) in [(0, 0), (999, 1), (999, 1), (1500, 1)] {
            principals.admit(position, phase);
        }
        let mut twice = principals.clone();
        twice.merge(&principals);
        let first: u64 = twice.admitted(0).iter().sum();
        assert_eq!((twice.admitted(0).len(), first), (1000, 2));
        assert_eq!(twice.admitted(1)[999], 4);
        assert_eq!(twice.admitted(1).iter().sum::<u64>(), 4, "one by one");
    }
}
