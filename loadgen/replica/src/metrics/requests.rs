use std::fmt;

use crate::counters::Counters;
use crate::metrics::families::Families;

/// Requests from their beginning to their end, and where the time went between.
pub(super) fn write(to: &mut Families<'_>, counters: &Counters) -> fmt::Result {
    to.counter(
        "loadgen_replica_requests",
        "HTTP requests whose head has arrived",
        counters.begun,
    )?;
    to.gauge(
        "loadgen_replica_requests_in_flight",
        "HTTP requests being served",
        counters.in_flight(),
    )?;
    to.counter(
        "loadgen_replica_requests_cancelled",
        "HTTP requests whose client went away before the reply was made",
        counters.cancelled,
    )?;
    to.counters(
        "loadgen_replica_part_seconds",
        "Time spent, by part as in Server-Timing",
        counters
            .times
            .map(|time| ([("part", time.part)], time.total.as_secs_f64())),
    )?;
    to.counters(
        "loadgen_replica_part_requests",
        "Requests that did this part",
        counters
            .times
            .map(|time| ([("part", time.part)], time.requests)),
    )
}
