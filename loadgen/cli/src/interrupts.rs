use std::time::{Duration, Instant};

use anyhow::Context as _;
use loadgen_driver::Stop;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::failure::Failure;

/// How long a run may take to end at once, before nobody waits for its threads any more.
const LONGEST_END: Duration = Duration::from_secs(5);

/// SIGINT and SIGTERM, counted.
pub(crate) struct Interrupts {
    interrupt: Signal,
    terminate: Signal,
    wish: Wish,
}

/// What the user wants by now.
#[derive(Debug, Default)]
pub(crate) struct Wish {
    count: u32,
    /// When the second one came.
    hurried: Option<Instant>,
}

impl Interrupts {
    /// From here on the two signals end nothing by themselves. Needs a runtime.
    pub(crate) fn listen() -> anyhow::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).context("cannot handle SIGINT")?,
            terminate: signal(SignalKind::terminate()).context("cannot handle SIGTERM")?,
            wish: Wish::default(),
        })
    }

    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
        self.wish.note(Instant::now());
    }

    pub(crate) fn wish(&self) -> &Wish {
        &self.wish
    }

    /// What this work gives, unless the user ends it first.
    pub(crate) async fn unless<T>(
        &mut self,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        tokio::select! {
            done = work => done,
            () = self.next() => Err(Failure::interrupted()),
        }
    }
}

impl Wish {
    fn note(&mut self, now: Instant) {
        self.count += 1;
        if self.count == 2 {
            self.hurried = Some(now);
        }
    }

    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    pub(crate) fn meaning(&self) -> Stop {
        match self.count {
            0 => Stop::No,
            1 => Stop::Drain,
            _ => Stop::Now,
        }
    }

    /// Whether a run that has still not ended is to be left to itself: after a third interrupt, or
    /// long after the second.
    pub(crate) fn waits_no_longer(&self, now: Instant) -> bool {
        let waited = self
            .hurried
            .map(|since| now.saturating_duration_since(since));
        self.count > 2 || waited.is_some_and(|waited| waited >= LONGEST_END)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_interrupt_wants_more() {
        let begin = Instant::now();
        let mut wish = Wish::default();
        assert_eq!(wish.meaning(), Stop::No);
        wish.note(begin);
        assert_eq!(wish.meaning(), Stop::Drain);
        assert!(!wish.waits_no_longer(begin + LONGEST_END * 100));
        wish.note(begin);
        assert_eq!(wish.meaning(), Stop::Now);
        assert!(!wish.waits_no_longer(begin));
        assert!(wish.waits_no_longer(begin + LONGEST_END));
        wish.note(begin);
        assert_eq!(wish.meaning(), Stop::Now);
        assert!(wish.waits_no_longer(begin));
    }
}
