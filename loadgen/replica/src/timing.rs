use std::io::{self, Write};
use std::time::{Duration, Instant};

/// What a request spends time on beside handling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Opening the incoming state.
    Open,
    /// Asking the rate limiter.
    Limit,
    /// Asking the store of what was used before.
    Store,
    /// Sealing the outgoing state.
    Seal,
}

impl Part {
    /// Every part, in the order of a request that does them all.
    pub(crate) const ALL: [Self; 4] = [Self::Open, Self::Limit, Self::Store, Self::Seal];

    /// The part's name in the field.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Limit => "limit",
            Self::Store => "store",
            Self::Seal => "seal",
        }
    }
}

/// How long the parts of one request took, for the `Server-Timing` field (W3C Server Timing,
/// `dur` in milliseconds; six decimals keep whole nanoseconds).
///
/// The parts do not overlap: `handle` is all the work between the whole body and the ready reply
/// without the others. The binding's digest is needed by `open` and `seal`; it is charged to the
/// first of them that the request does.
#[derive(Debug)]
pub(crate) struct Timing {
    started: Instant,
    parts: Parts,
}

/// By `Part as usize`; `None` for what did not happen.
type Parts = [Option<Duration>; Part::ALL.len()];

impl Timing {
    pub(crate) fn start() -> Self {
        Self {
            started: Instant::now(),
            parts: [None; Part::ALL.len()],
        }
    }

    /// Runs `work` as this part of the request. A part that happens twice is charged for both.
    pub(crate) fn run<T>(&mut self, part: Part, work: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let value = work();
        self.add(part, started.elapsed());
        value
    }

    /// Charges `took` to this part: what was waited for, and measured, elsewhere. It must lie
    /// within the request and outside every other part.
    pub(crate) fn add(&mut self, part: Part, took: Duration) {
        *self.parts[part as usize].get_or_insert_default() += took;
    }

    /// Leaves out what was neither work nor waited for on the way to a reply.
    pub(crate) fn leave_out(&mut self, since: Instant) {
        self.started += since.elapsed();
    }

    /// Ends the measured time and gives the field's value: only the parts that happened.
    pub(crate) fn finish(self) -> Spent {
        let whole = self.started.elapsed();
        let others = self.parts.iter().flatten().sum();
        Spent {
            parts: self.parts,
            handle: whole.saturating_sub(others),
        }
    }
}

/// The finished parts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spent {
    parts: Parts,
    handle: Duration,
}

impl Spent {
    /// Handling and everything beside it.
    pub(crate) const PARTS: usize = Part::ALL.len() + 1;
    /// The longest value of the field, in bytes: a name, `;dur=`, a separator and all digits of the
    /// longest [`Duration`] for each part.
    pub(crate) const FIELD_MAX: usize = Self::PARTS * (6 + 5 + 2 + 23 + 7);
    /// The names of all, in the order of the field: handling always happens, and sealing comes last.
    pub(crate) const NAMES: [&'static str; Self::PARTS] = [
        Part::Open.name(),
        Part::Limit.name(),
        Part::Store.name(),
        "handle",
        Part::Seal.name(),
    ];

    /// How long each took, in the order of [`Spent::NAMES`]; `None` for what did not happen.
    pub(crate) fn by_part(&self) -> [Option<Duration>; Self::PARTS] {
        let [open, limit, store, seal] = self.parts;
        [open, limit, store, Some(self.handle), seal]
    }

    /// Writes the field's value. Byte by byte, since every reply has one and the formatting of numbers is
    /// slow beside the rest of an echo.
    ///
    /// # Errors
    /// When [`Spent::FIELD_MAX`] bytes do not fit.
    pub(crate) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let mut separator: &[u8] = b"";
        for (name, took) in Self::NAMES.into_iter().zip(self.by_part()) {
            if let Some(took) = took {
                for text in [separator, name.as_bytes(), b";dur="] {
                    to.write_all(text)?;
                }
                write_millis(to, took)?;
                separator = b", ";
            }
        }
        Ok(())
    }
}

/// Milliseconds with six decimals, written from whole nanoseconds.
fn write_millis(to: &mut impl Write, took: Duration) -> io::Result<()> {
    let whole = took.as_millis();
    let mut rest = took.subsec_nanos() % 1_000_000;
    let mut text = *b"0.000000";
    for digit in text[2..].iter_mut().rev() {
        *digit += (rest % 10) as u8;
        rest /= 10;
    }
    if whole == 0 {
        return to.write_all(&text);
    }
    write!(to, "{whole}")?;
    to.write_all(&text[1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spent(parts: Parts) -> String {
        let handle = Duration::from_nanos(1_234_567);
        let mut text = Vec::new();
        Spent { parts, handle }.write(&mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn nanoseconds_survive_as_milliseconds_in_the_order_of_the_work() {
        let ns = |n| Some(Duration::from_nanos(n));
        assert_eq!(
            spent([ns(1), ns(20), ns(300), ns(2_000_000_000)]),
            "open;dur=0.000001, limit;dur=0.000020, store;dur=0.000300, handle;dur=1.234567, \
             seal;dur=2000.000000"
        );
    }

    #[test]
    fn parts_that_did_not_happen_are_left_out() {
        let zero = Some(Duration::ZERO);
        assert_eq!(spent([None; 4]), "handle;dur=1.234567");
        assert_eq!(
            spent([None, None, None, zero]),
            "handle;dur=1.234567, seal;dur=0.000000"
        );
        assert_eq!(
            spent([None, zero, None, None]),
            "limit;dur=0.000000, handle;dur=1.234567"
        );
    }

    #[test]
    fn the_longest_value_has_the_length_that_is_kept_for_it() {
        let longest = Spent {
            parts: [Some(Duration::MAX); 4],
            handle: Duration::MAX,
        };
        let mut room = [0; Spent::FIELD_MAX];
        let mut rest = &mut room[..];
        longest.write(&mut rest).unwrap();
        // The first has no separator, and not every name is as long as the longest.
        assert_eq!(
            rest.len(),
            2 + "handle".len() * 5 - "openlimitstorehandleseal".len()
        );
    }

    #[test]
    fn what_a_part_took_is_not_handled_too() {
        let mut timing = Timing::start();
        timing.started -= Duration::from_secs(60);
        timing.add(Part::Limit, Duration::from_secs(20));
        timing.add(Part::Limit, Duration::from_secs(15));
        timing.run(Part::Store, || ());
        let spent = timing.finish();
        assert_eq!(spent.parts[Part::Limit as usize].unwrap().as_secs(), 35);
        let whole = spent.handle + spent.parts.iter().flatten().sum::<Duration>();
        assert!(spent.handle >= Duration::from_secs(24), "{spent:?}");
        assert!(whole >= Duration::from_secs(60), "{spent:?}");
    }
}
