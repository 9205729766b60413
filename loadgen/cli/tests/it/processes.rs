//! Processes by number, as `/proc` shows them.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Longest wait for something that has to happen. Nothing is measured with it: a test that passes
/// never waits that long.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until `look` gives something.
pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The replicas that the process has started and that live.
pub(crate) fn replicas_of(parent: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").expect("/proc can be listed");
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| state(*pid).is_some_and(|(state, of)| of == parent && lives(state)))
        .filter(|pid| {
            std::fs::read(format!("/proc/{pid}/cmdline"))
                .is_ok_and(|line| line.split(|byte| *byte == 0).nth(1) == Some(b"replica"))
        })
        .collect()
}

/// Whether the process runs, which one that waits to be reaped does not.
pub(crate) fn is_alive(pid: u32) -> bool {
    state(pid).is_some_and(|(state, _)| lives(state))
}

fn lives(state: char) -> bool {
    !matches!(state, 'Z' | 'X')
}

/// State and parent, from `/proc/PID/stat`; `None` when there is no such process.
fn state(pid: u32) -> Option<(char, u32)> {
    let stat =
        std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
    // The name before it may hold spaces and brackets of its own.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, fields.next()?.parse().ok()?))
}

/// Sends a signal to a process that a test has started.
pub(crate) fn tell(pid: u32, signal: Signal) {
    let raw = i32::try_from(pid).expect("a process number is small");
    let pid = Pid::from_raw(raw).expect("a process number is above 0");
    kill_process(pid, signal).expect("the process is there");
}
