use std::fmt;

use loadgen_seal::{Counters, KeyCount};

use crate::metrics::families::Families;

/// What was done with `requestState`. An old key can be dropped once nothing it sealed was opened
/// for as long as a state lives.
pub(super) fn write(to: &mut Families<'_>, counters: &Counters) -> fmt::Result {
    to.counters(
        "loadgen_replica_state_refusals",
        "States that did not open, by private reason",
        counters
            .refused
            .map(|(reason, count)| ([("reason", reason.name())], count)),
    )?;
    let by_key = |count: fn(&KeyCount) -> u64| {
        counters
            .keys
            .iter()
            .map(move |key| ([("key", key.id.to_string())], count(key)))
    };
    to.counters(
        "loadgen_replica_states_minted",
        "States sealed, by key id",
        by_key(|key| key.sealed),
    )?;
    to.counters(
        "loadgen_replica_states_opened",
        "States opened, by the id of the key that sealed them",
        by_key(|key| key.opened),
    )
}
