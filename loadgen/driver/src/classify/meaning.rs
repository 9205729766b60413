use loadgen_measure::Outcome;
use loadgen_protocol::{Entries, InputRequest};
use serde_json::value::RawValue;

use super::reply::Reply;
use crate::throttle::{Notice, Said};

/// What comes next.
#[derive(Debug)]
pub(crate) enum Meaning {
    /// The call is done.
    Complete,
    /// The server asks, or wants to be called again with the state alone.
    Ask {
        /// Questions by key; empty when there are none.
        questions: Entries<InputRequest>,
        /// The state as written, quotes included.
        state: Option<Box<RawValue>>,
    },
    /// Refused by a rate limit.
    Throttled {
        /// How it says so and how long to wait.
        notice: Notice,
        /// One line for people: what the server said.
        why: String,
    },
    /// The workflow ends here.
    Failed {
        /// Its class.
        outcome: Outcome,
        /// One line for people: what the server said.
        why: String,
    },
}

/// A refusal by a rate limit, if the reply is one.
pub(super) fn throttled_or(reply: &Reply, said: Said, why: String, otherwise: Outcome) -> Meaning {
    match Notice::read(reply.status, &reply.fields.map(), said) {
        Some(notice) => Meaning::Throttled { notice, why },
        None => failed(otherwise, why),
    }
}

pub(super) fn failed(outcome: Outcome, why: String) -> Meaning {
    Meaning::Failed { outcome, why }
}

pub(super) fn protocol(why: String) -> Meaning {
    failed(Outcome::ProtocolError, why)
}
