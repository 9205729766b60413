use std::fmt;

use crate::metrics::families::Families;

/// The process, under the names that every Prometheus client uses for it. What the system does not
/// tell is left out.
pub(super) fn write(
    to: &mut Families<'_>,
    process: &metrics_process::collector::Metrics,
) -> fmt::Result {
    if let Some(seconds) = process.cpu_seconds_total {
        to.counter(
            "process_cpu_seconds",
            "Processor time in user and kernel mode",
            seconds,
        )?;
    }
    for (name, help, value) in [
        (
            "process_resident_memory_bytes",
            "Resident memory",
            process.resident_memory_bytes,
        ),
        (
            "process_virtual_memory_bytes",
            "Virtual memory",
            process.virtual_memory_bytes,
        ),
        (
            "process_open_fds",
            "Open file descriptors",
            process.open_fds,
        ),
        (
            "process_max_fds",
            "File descriptors that may be open at once",
            process.max_fds,
        ),
        (
            "process_threads",
            "Threads of the operating system",
            process.threads,
        ),
        (
            "process_start_time_seconds",
            "When the process started, in seconds since 1970",
            process.start_time_seconds,
        ),
    ] {
        if let Some(value) = value {
            to.gauge(name, help, value)?;
        }
    }
    Ok(())
}
