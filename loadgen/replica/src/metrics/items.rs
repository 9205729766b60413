use std::fmt;

use crate::counters::{Counters, ItemCount};
use crate::metrics::families::Families;

/// What was run: tools, prompts and kinds of resources.
pub(super) fn write(to: &mut Families<'_>, counters: &Counters) -> fmt::Result {
    let by_item = |count: fn(&ItemCount) -> u64| {
        counters.items.iter().map(move |item| {
            let labels = [("kind", item.kind), ("name", item.name)];
            (labels, count(item))
        })
    };
    to.counters(
        "loadgen_replica_executions",
        "Rounds that did the work of a tool, prompt or resource: neither asked nor refused",
        by_item(|item| item.executed),
    )?;
    to.counters(
        "loadgen_replica_handler_starts",
        "Rounds of a tool, prompt or resource that began",
        by_item(|item| item.started),
    )?;
    to.counters(
        "loadgen_replica_handler_completions",
        "Rounds of a tool, prompt or resource that ended by themselves, not dropped with the client",
        by_item(|item| item.ended),
    )
}
