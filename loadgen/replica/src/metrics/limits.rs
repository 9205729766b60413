use std::fmt;

use crate::limit::{LimitCounters, PrincipalCounters};
use crate::metrics::families::Families;

/// What the rate limiter has decided.
pub(super) fn write(to: &mut Families<'_>, counters: &LimitCounters) -> fmt::Result {
    to.counters(
        "loadgen_replica_limit_decisions",
        "Requests that the rate limiter judged: admitted, limited, or served (failed-open) or \
         refused (failed-closed) because it could not be asked",
        [
            ([("decision", "admitted")], counters.admitted),
            ([("decision", "limited")], counters.limited),
            ([("decision", "failed-open")], counters.failed_open),
            ([("decision", "failed-closed")], counters.failed_closed),
        ],
    )?;
    let by_principal = |count: fn(&PrincipalCounters) -> u64| {
        counters
            .principals
            .iter()
            .map(move |row| ([("principal", row.principal.as_str())], count(row)))
    };
    to.counters(
        "loadgen_replica_principal_admitted",
        "Requests within the quota, by principal",
        by_principal(|row| row.admitted),
    )?;
    to.counters(
        "loadgen_replica_principal_limited",
        "Requests refused because the quota was spent, by principal",
        by_principal(|row| row.limited),
    )
}
