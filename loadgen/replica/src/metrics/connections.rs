use std::fmt;

use crate::metrics::families::Families;
use crate::server::ConnectionCounts;

/// What became of the connections.
pub(super) fn write(to: &mut Families<'_>, counts: &ConnectionCounts) -> fmt::Result {
    to.counter(
        "loadgen_replica_connections_accepted",
        "Connections taken from the listener, with those refused by the limit",
        counts.accepted,
    )?;
    to.gauge(
        "loadgen_replica_connections_open",
        "Connections that are open",
        counts.open,
    )?;
    to.counters(
        "loadgen_replica_connections_used",
        "Connections with a request on them, by the version of HTTP",
        [
            ([("version", "1")], counts.http1),
            ([("version", "2")], counts.http2),
        ],
    )?;
    to.counters(
        "loadgen_replica_connections_closed",
        "Connections that the replica ended by itself, by the cause",
        [
            ([("cause", "limit")], counts.refused_by_limit),
            ([("cause", "idle")], counts.closed_idle),
            ([("cause", "slow")], counts.closed_slow),
            ([("cause", "recycled")], counts.recycled),
            ([("cause", "handshake")], counts.handshake_failed),
        ],
    )?;
    to.counter(
        "loadgen_replica_requests_cut",
        "Requests whose connection or stream was cut off instead of a reply",
        counts.cut,
    )
}
