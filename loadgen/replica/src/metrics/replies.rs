use std::fmt;

use crate::counters::Counters;
use crate::metrics::families::Families;

/// What was answered, and what was refused and why.
pub(super) fn write(to: &mut Families<'_>, counters: &Counters) -> fmt::Result {
    let refused = counters.refused.iter().map(|(_, count)| count).sum();
    let outcomes = [
        ("completed", counters.completed),
        ("failed", counters.failed),
        ("asked", counters.asked),
        ("listed", counters.listed),
        ("notified", counters.notified),
        ("listened", counters.listened),
        ("refused", refused),
    ];
    to.counters(
        "loadgen_replica_replies",
        "Messages answered, by outcome: completed, failed (isError), asked (more input needed), \
         listed (lists and discoveries), notified (202), listened (subscriptions ended), refused",
        outcomes.map(|(outcome, count)| ([("outcome", outcome)], count)),
    )?;
    to.counters(
        "loadgen_replica_refusals",
        "Messages refused, by the check that failed",
        counters
            .refused
            .map(|(cause, count)| ([("cause", cause.name())], count)),
    )
}
