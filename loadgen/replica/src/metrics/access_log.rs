use std::fmt;

use crate::access_log::AccessLog;
use crate::metrics::families::Families;

/// What became of the lines of the access log.
pub(super) fn write(to: &mut Families<'_>, log: &AccessLog) -> fmt::Result {
    to.counter(
        "loadgen_replica_access_log_lines",
        "Lines written to the access log",
        log.written(),
    )?;
    to.counter(
        "loadgen_replica_access_log_lines_lost",
        "Lines that the access log had no time or no room for",
        log.lost(),
    )
}
