use std::fmt;
use std::time::{Duration, Instant};

/// How long the parts of one request took, for the `Server-Timing` field (W3C Server Timing,
/// `dur` in milliseconds; six decimals keep whole nanoseconds).
///
/// The parts do not overlap: `handle` is all the work between the whole body and the ready reply
/// without `open` and `seal`. The binding's digest is needed by both; it is charged to the first of
/// them that the request does.
#[derive(Debug)]
pub(crate) struct Timing {
    started: Instant,
    open: Option<Duration>,
    seal: Option<Duration>,
}

impl Timing {
    pub(crate) fn start() -> Self {
        Self {
            started: Instant::now(),
            open: None,
            seal: None,
        }
    }

    /// Runs `work` as the part that opens the incoming state.
    pub(crate) fn open<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (value, took) = timed(work);
        *self.open.get_or_insert_default() += took;
        value
    }

    /// Runs `work` as the part that seals the outgoing state.
    pub(crate) fn seal<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (value, took) = timed(work);
        *self.seal.get_or_insert_default() += took;
        value
    }

    /// Ends the measured time and gives the field's value: only the parts that happened.
    pub(crate) fn finish(self) -> Spent {
        let whole = self.started.elapsed();
        let crypto = self.open.unwrap_or_default() + self.seal.unwrap_or_default();
        Spent {
            open: self.open,
            handle: whole.saturating_sub(crypto),
            seal: self.seal,
        }
    }
}

/// The finished parts; `Display` writes the field's value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spent {
    open: Option<Duration>,
    handle: Duration,
    seal: Option<Duration>,
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(open) = self.open {
            write!(f, "open;dur={}, ", Millis(open))?;
        }
        write!(f, "handle;dur={}", Millis(self.handle))?;
        if let Some(seal) = self.seal {
            write!(f, ", seal;dur={}", Millis(seal))?;
        }
        Ok(())
    }
}

/// Milliseconds with six decimals, written from whole nanoseconds.
struct Millis(Duration);

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ns = self.0.as_nanos();
        write!(f, "{}.{:06}", ns / 1_000_000, ns % 1_000_000)
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let value = work();
    (value, started.elapsed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nanoseconds_survive_as_milliseconds() {
        let spent = Spent {
            open: Some(Duration::from_nanos(1)),
            handle: Duration::from_nanos(1_234_567),
            seal: Some(Duration::from_secs(2)),
        };
        assert_eq!(
            spent.to_string(),
            "open;dur=0.000001, handle;dur=1.234567, seal;dur=2000.000000"
        );
    }

    #[test]
    fn parts_that_did_not_happen_are_left_out() {
        let mut timing = Timing::start();
        timing.seal(|| ());
        let said = timing.finish().to_string();
        assert!(
            said.starts_with("handle;dur=") && said.contains(", seal;dur="),
            "{said}"
        );
        assert!(!said.contains("open"), "{said}");
        assert!(!Timing::start().finish().to_string().contains(','));
    }
}
