use crate::kind::KindTally;
use crate::{NotStarted, Outcome};

/// What is known about one phase.
#[derive(Debug, Clone)]
pub(crate) struct PhaseTally {
    pub(crate) kinds: Vec<KindTally>,
    pub(crate) not_started: [u64; NotStarted::ALL.len()],
    /// Workflows that ended well while it lasted, whenever they were due.
    pub(crate) ended_ok: u64,
    /// Rounds whose reply was whole while it lasted, whenever they were due.
    pub(crate) answered: u64,
    /// Rounds that ended well while it lasted, whenever they were due.
    pub(crate) admitted: u64,
    /// Attempts that a rate limit refused while it lasted.
    pub(crate) refused: u64,
}

impl PhaseTally {
    pub(crate) fn new(kinds: usize) -> Self {
        Self {
            kinds: vec![KindTally::default(); kinds],
            not_started: [0; NotStarted::ALL.len()],
            ended_ok: 0,
            answered: 0,
            admitted: 0,
            refused: 0,
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.kinds.iter_mut().zip(&other.kinds) {
            mine.merge(theirs);
        }
        for (mine, theirs) in self.not_started.iter_mut().zip(other.not_started) {
            *mine += theirs;
        }
        self.ended_ok += other.ended_ok;
        self.answered += other.answered;
        self.admitted += other.admitted;
        self.refused += other.refused;
    }

    /// Planned workflows that were due in it while the load lasted, taken up or not.
    pub(crate) fn offered(&self) -> u64 {
        let causes = NotStarted::ALL.into_iter().zip(self.not_started);
        let passed_over = causes.filter(|(cause, _)| *cause != NotStarted::Interrupted);
        self.started() + passed_over.map(|(_, count)| count).sum::<u64>()
    }

    /// Workflows that were taken up.
    pub(crate) fn started(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.started).sum()
    }

    /// Whether it has anything at all: a workflow, or a round of an earlier one.
    pub(crate) fn has_work(&self) -> bool {
        self.kinds
            .iter()
            .any(|kind| kind.started > 0 || !kind.rounds.is_empty())
    }
}

/// Counts over all phases and kinds, without the histograms.
#[derive(Debug, Clone, Default)]
pub(crate) struct Totals {
    pub(crate) started: u64,
    pub(crate) outcomes: [u64; Outcome::COUNT],
    pub(crate) rounds: u64,
    pub(crate) rounds_sent: u64,
    /// Rounds of which nothing was sent, by outcome.
    pub(crate) never_sent: [u64; Outcome::COUNT],
    pub(crate) attempts: u64,
    /// Attempts of which something was sent.
    pub(crate) attempts_sent: u64,
    /// Rounds of which an attempt was made.
    pub(crate) attempted: u64,
    /// Attempts that another attempt followed.
    pub(crate) superseded: u64,
    pub(crate) sojourn_ns: u64,
}

impl Totals {
    pub(crate) fn of<'a>(kinds: impl Iterator<Item = &'a KindTally>) -> Self {
        let mut totals = Self::default();
        for kind in kinds {
            totals.started += kind.started;
            for (sum, outcome) in totals.outcomes.iter_mut().zip(Outcome::ALL) {
                *sum += kind.workflows.count(outcome);
            }
            totals.sojourn_ns = totals.sojourn_ns.saturating_add(kind.sojourn_ns);
            for round in &kind.rounds {
                totals.rounds += round.outcomes.total();
                totals.rounds_sent += round.sent;
                for (sum, count) in totals.never_sent.iter_mut().zip(round.never_sent) {
                    *sum += count;
                }
                totals.attempts += round.attempts;
                totals.attempts_sent += round.last_sent + round.superseded_sent;
                totals.attempted += round.attempted;
                totals.superseded += round.superseded.total();
            }
        }
        totals
    }
}
