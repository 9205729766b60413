use std::time::Duration;

use crate::refusal::Cause;
use crate::surface::Item;
use crate::timing::Spent;

/// What a replica has done since it started. Counts are read one by one, so under load they belong
/// to slightly different moments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters {
    /// Requests whose head has arrived.
    pub begun: u64,
    /// Requests whose reply was made.
    pub answered: u64,
    /// Requests whose client went away before that; whatever was still being done for them ended.
    pub cancelled: u64,
    /// Tool calls, prompts and resources that completed without an error.
    pub completed: u64,
    /// Tool calls that completed with `isError`.
    pub failed: u64,
    /// Rounds that ended with questions.
    pub asked: u64,
    /// Lists, discoveries and completions.
    pub listed: u64,
    /// Notifications taken.
    pub notified: u64,
    /// Subscriptions that lasted until the replica stopped.
    pub listened: u64,
    /// Refusals by cause, in the order of the checks.
    pub refused: [(Cause, u64); Cause::ALL.len()],
    /// Rounds and executions by what was run: tools, prompts, then resources.
    pub items: [ItemCount; Item::SLOTS],
    /// Where the time went, in the order of `Server-Timing`.
    pub times: [PartTime; Spent::PARTS],
    /// What the sealer has done, with the private reasons behind [`Cause::State`].
    pub state: loadgen_seal::Counters,
}

/// What was done with one tool, prompt or kind of resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemCount {
    /// `tool`, `prompt` or `resource`.
    pub kind: &'static str,
    /// Its name; of a resource, what kind it is.
    pub name: &'static str,
    /// Rounds that began.
    pub started: u64,
    /// Rounds that ended, whatever with; the difference is running, or was dropped with its client.
    pub ended: u64,
    /// Rounds that did the work itself: neither asked nor refused.
    pub executed: u64,
}

/// The time that requests spent on one part of `Server-Timing`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartTime {
    /// The part's name.
    pub part: &'static str,
    /// Requests that did it.
    pub requests: u64,
    /// How long they took for it together.
    pub total: Duration,
}

impl Counters {
    /// How many messages were refused for `cause`.
    pub fn refused_for(&self, cause: Cause) -> u64 {
        self.refused[cause as usize].1
    }

    /// Requests that are being served.
    pub fn in_flight(&self) -> u64 {
        self.begun.saturating_sub(self.answered + self.cancelled)
    }
}
