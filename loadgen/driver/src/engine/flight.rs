use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use loadgen_measure::RoundSample;

use crate::throttle::Door;
use crate::transport::Trace;

/// Workflows in flight, integrated over time: the left side of Little's law, kept apart from every
/// latency.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Flying {
    pub(super) now: u64,
    pub(super) max: u64,
    pub(super) changes: u64,
    pub(super) area_ns: u128,
    pub(super) since: Duration,
}

/// One workflow in flight, as far as the end of the run has to know it.
pub(super) struct Flight {
    /// Where it stands among those in flight.
    pub(super) place: usize,
    pub(super) kind: usize,
    /// Position in the list of tokens; 0 without any.
    pub(super) principal: usize,
    pub(super) intended: Duration,
    pub(super) started: Duration,
    pub(super) think: Cell<Duration>,
    pub(super) rounds: Cell<u16>,
    /// Replica of its first request.
    pub(super) first: Cell<Option<u16>>,
    /// What it waits for between two attempts, or held back before the first.
    pub(super) held: Cell<Option<Box<Held>>>,
    /// The attempt that waits for its reply; `None` while the user thinks and while the round is
    /// held, since thousands may be in flight that do nothing else.
    pub(super) sending: Cell<Option<Rc<Sending>>>,
}

/// An attempt that was begun, and what can be known of it before its reply is there.
#[derive(Debug)]
pub(super) struct Sending {
    pub(super) waiting: Waiting,
    pub(super) trace: Trace,
}

impl Flight {
    /// Where its requests to a replica are admitted or refused.
    pub(super) fn door(&self, replica: u16) -> Door {
        Door {
            replica,
            principal: self.principal,
        }
    }
}

/// A round that was begun.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    pub(super) round: u16,
    pub(super) intended: Duration,
    /// When the attempt could have been sent by plan and policy.
    pub(super) ready: Duration,
    pub(super) replica: u16,
    pub(super) minted_by: Option<u16>,
    pub(super) request_bytes: u64,
    /// Bytes of its trace context in body and header fields; 0 without one.
    pub(super) trace_bytes: (u64, u64),
    pub(super) state_sent_bytes: Option<u64>,
    pub(super) before: Attempts,
}

/// The attempts of a round so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Attempts {
    pub(super) made: u16,
    /// When the first was sent that was, and when it could have been.
    pub(super) first_sent: Option<(Duration, Duration)>,
}

/// A round that waits for its next attempt, or for its first while its replica refuses others.
#[derive(Debug)]
pub(super) struct Held {
    /// How the round has ended if no attempt follows.
    pub(super) sample: RoundSample,
    /// What was said.
    pub(super) why: String,
    /// When the wait began.
    pub(super) since: Duration,
}
