use std::fmt;

use crate::faults::FaultCounts;
use crate::metrics::families::Families;

/// What went wrong on purpose.
pub(super) fn write(to: &mut Families<'_>, counts: &FaultCounts) -> fmt::Result {
    to.counters(
        "loadgen_replica_faults_applied",
        "Times that a fault set on purpose made a difference, by its key in docs/faults.md",
        counts
            .iter()
            .map(|(fault, times)| ([("fault", fault.name())], times)),
    )
}
