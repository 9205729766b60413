use std::fmt;

use crate::metrics::families::Families;
use crate::store::StoreCounters;
use crate::token_uses::TokenCounters;

/// What the record of used tokens has said.
pub(super) fn write_store(to: &mut Families<'_>, counters: StoreCounters) -> fmt::Result {
    to.counters(
        "loadgen_replica_store_answers",
        "States that the record of used ones was asked about: first use, used again, or taken \
         (failed-open) or refused (failed-closed) because it could not say",
        [
            ([("answer", "first")], counters.first),
            ([("answer", "again")], counters.again),
            ([("answer", "failed-open")], counters.failed_open),
            ([("answer", "failed-closed")], counters.failed_closed),
        ],
    )
}

/// How often states were used for the tools that are watched.
pub(super) fn write_uses(to: &mut Families<'_>, counters: &TokenCounters) -> fmt::Result {
    for (name, help, count) in [
        (
            "loadgen_replica_token_executions",
            "Executions of the watched tools with a state",
            counters.executions,
        ),
        (
            "loadgen_replica_tokens_executed",
            "States that a watched tool was executed with, at least once",
            counters.tokens,
        ),
        (
            "loadgen_replica_tokens_executed_again",
            "States that a watched tool was executed with more than once",
            counters.repeated,
        ),
        (
            "loadgen_replica_tokens_forgotten",
            "States forgotten to make room, so that later executions with them count as first ones",
            counters.forgotten,
        ),
    ] {
        to.counter(name, help, count)?;
    }
    to.gauges(
        "loadgen_replica_token_most_executions",
        "The states with the most executions, if more than one, by the beginning of their tag",
        counters
            .most
            .iter()
            .map(|(token, count)| ([("token", token.as_str())], *count)),
    )
}
