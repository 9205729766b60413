use std::fs;
use std::path::Path;
use std::time::Duration;

/// What a process has used so far, from `/proc` (see proc(5): `stat`, `status`, `schedstat`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessUsage {
    /// Processor time in user and kernel mode: to the nanosecond as far as its living threads have used
    /// it and the kernel says so, else to 10 ms.
    pub cpu: Duration,
    /// Time that its living threads stood ready without a processor; `None` when the kernel does
    /// not say.
    pub run_queue_delay: Option<Duration>,
    /// Resident memory in bytes.
    pub rss_bytes: u64,
}

impl ProcessUsage {
    /// Of this process; `None` where there is no `/proc`.
    pub fn of_self() -> Option<Self> {
        Self::read(Path::new("/proc/self"))
    }

    /// Of another process; `None` when it is gone or not readable.
    pub fn of(pid: u32) -> Option<Self> {
        Self::read(Path::new(&format!("/proc/{pid}")))
    }

    fn read(folder: &Path) -> Option<Self> {
        let file = |name: &str| fs::read_to_string(folder.join(name)).ok();
        let threads = fs::read_dir(folder.join("task")).ok().and_then(|tasks| {
            tasks
                .filter_map(Result::ok)
                .filter_map(|task| fs::read_to_string(task.path().join("schedstat")).ok())
                .filter_map(|text| schedstat(&text))
                .reduce(|(cpu, delay), (more, longer)| (cpu + more, delay + longer))
        });
        let ticks = stat_cpu(&file("stat")?)?;
        let living = threads.map_or(Duration::ZERO, |(cpu, _)| cpu);
        Some(Self {
            // The ticks also hold what threads have used that have ended.
            cpu: ticks.max(living),
            run_queue_delay: threads.map(|(_, delay)| delay),
            rss_bytes: status_rss_bytes(&file("status")?)?,
        })
    }
}

/// Fields 14 and 15 of `stat`, in clock ticks: 100 a second on every Linux that user space sees.
/// The command in field 2 may hold spaces and brackets, so fields are counted after its end.
fn stat_cpu(text: &str) -> Option<Duration> {
    let after_command = &text[text.rfind(')')? + 1..];
    let mut fields = after_command.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(Duration::from_millis(10 * (user + system)))
}

/// The first two fields of `schedstat`: time on a processor, and time ready without one.
fn schedstat(text: &str) -> Option<(Duration, Duration)> {
    let mut fields = text.split_whitespace();
    let mut field = || fields.next()?.parse().ok().map(Duration::from_nanos);
    Some((field()?, field()?))
}

fn status_rss_bytes(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_with_brackets_does_not_shift_the_fields() {
        let text = "12 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20 0 1 0 99";
        assert_eq!(stat_cpu(text), Some(Duration::from_secs(3)));
        assert_eq!(stat_cpu("nonsense"), None);
    }

    #[test]
    fn delay_and_memory_are_read() {
        let times = [1000, 2500].map(Duration::from_nanos);
        assert_eq!(schedstat("1000 2500 3\n"), Some(times.into()));
        assert_eq!(schedstat("1000"), None);
        let status = "Name:\tx\nVmRSS:\t    2048 kB\nThreads:\t1\n";
        assert_eq!(status_rss_bytes(status), Some(2 * 1024 * 1024));
        assert_eq!(status_rss_bytes("Name:\tx\n"), None);
    }
}
