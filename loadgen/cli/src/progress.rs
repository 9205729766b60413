use std::fmt;
use std::io::{IsTerminal as _, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use loadgen_driver::Progress;

use crate::console;

/// How often a plain line is written where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Tells on stderr how a run goes: one live line on a terminal, a plain line every 10 s elsewhere.
#[derive(Debug)]
pub(crate) struct Teller {
    bar: Option<ProgressBar>,
    planned: Option<u64>,
    next_line: Duration,
}

impl Teller {
    pub(crate) fn new(planned: Option<u64>, quiet: bool) -> Self {
        let bar = (stderr().is_terminal() && !quiet).then(|| {
            let bar = ProgressBar::new_spinner();
            bar.set_style(
                ProgressStyle::with_template("{spinner} {msg}")
                    .expect("the template is well formed"),
            );
            bar
        });
        Self {
            bar,
            planned,
            next_line: if quiet { Duration::MAX } else { LINE_EVERY },
        }
    }

    /// Called again and again; decides itself when to write.
    pub(crate) fn tell(&mut self, elapsed: Duration, progress: Progress) {
        if let Some(bar) = &self.bar {
            bar.set_message(line(elapsed, self.planned, progress));
            bar.tick();
        } else if elapsed >= self.next_line {
            console::say(line(elapsed, self.planned, progress));
            self.next_line = self.next_line.saturating_add(LINE_EVERY);
        }
    }

    /// Says something beside the progress; the live line makes room for it.
    pub(crate) fn say(&self, line: impl fmt::Display) {
        match &self.bar {
            Some(bar) => bar.suspend(|| console::say(line)),
            None => console::say(line),
        }
    }

    /// Clears the live line.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn line(elapsed: Duration, planned: Option<u64>, progress: Progress) -> String {
    let Progress {
        started,
        ok,
        failed,
        rounds,
    } = progress;
    let of = planned.map_or_else(String::new, |planned| format!(" of {planned}"));
    format!(
        "{:.0} s: {started}{of} workflows started, {ok} ok, {failed} failed, {rounds} rounds",
        elapsed.as_secs_f64()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_there_is() {
        let progress = Progress {
            started: 7,
            ok: 5,
            failed: 1,
            rounds: 19,
        };
        assert_eq!(
            line(Duration::from_secs(3), Some(9), progress),
            "3 s: 7 of 9 workflows started, 5 ok, 1 failed, 19 rounds"
        );
        assert!(line(Duration::ZERO, None, progress).starts_with("0 s: 7 workflows"));
    }
}
