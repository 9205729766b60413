use std::time::Duration;

use crate::{Latency, Outcome};

/// Counts and times apart for each outcome; a distribution exists from its first sample on.
#[derive(Debug, Clone, Default)]
pub(crate) struct ByOutcome {
    counts: [u64; Outcome::COUNT],
    response: [Option<Box<Latency>>; Outcome::COUNT],
    service: [Option<Box<Latency>>; Outcome::COUNT],
}

impl ByOutcome {
    pub(crate) fn record(
        &mut self,
        outcome: Outcome,
        response: Duration,
        service: Option<Duration>,
    ) {
        let index = outcome.index();
        self.counts[index] += 1;
        self.response[index]
            .get_or_insert_default()
            .record(response);
        if let Some(service) = service {
            self.service[index].get_or_insert_default().record(service);
        }
    }

    /// Counts an ending that has no time.
    pub(crate) fn count_untimed(&mut self, outcome: Outcome) {
        self.counts[outcome.index()] += 1;
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for index in 0..Outcome::COUNT {
            self.counts[index] += other.counts[index];
            merge_optional(&mut self.response[index], other.response[index].as_deref());
            merge_optional(&mut self.service[index], other.service[index].as_deref());
        }
    }

    pub(crate) fn count(&self, outcome: Outcome) -> u64 {
        self.counts[outcome.index()]
    }

    pub(crate) fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    pub(crate) fn response(&self, outcome: Outcome) -> Option<&Latency> {
        self.response[outcome.index()].as_deref()
    }

    pub(crate) fn service(&self, outcome: Outcome) -> Option<&Latency> {
        self.service[outcome.index()].as_deref()
    }
}

/// Adds a distribution that may not exist to one that may not exist yet.
pub(crate) fn merge_optional(into: &mut Option<Box<Latency>>, from: Option<&Latency>) {
    if let Some(from) = from {
        into.get_or_insert_default().merge(from);
    }
}
