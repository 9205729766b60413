use std::time::Duration;

use super::Kind;
use super::check::Check;
use crate::scenario::{ScenarioError, WorkflowTable};

/// When users of a kind go before they have their answer.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Departure {
    /// Probability, 0 to 1, that a user who is asked something leaves instead of answering.
    pub abandon: f64,
    /// Probability, 0 to 1, that the connection of a request is closed if there is no reply in time.
    pub disconnect: f64,
    /// How long such a request waits.
    pub after: Duration,
}

impl Kind {
    /// The same with a user who waits for the question, says yes to everything and never leaves, and a client without faults.
    pub(crate) fn patient(&self) -> Self {
        let mut kind = self.clone();
        kind.departure = Departure::default();
        kind.break_state = None;
        kind.replay = 1;
        (kind.answers.decline, kind.answers.cancel) = (0.0, 0.0);
        kind.answers.up_front = None;
        kind
    }
}

impl Check<'_> {
    pub(super) fn departure(&self, flow: &WorkflowTable) -> Result<Departure, ScenarioError> {
        let abandon = flow
            .abandon
            .as_ref()
            .map(|share| self.share("abandon", share));
        let disconnect = flow
            .disconnect
            .as_ref()
            .map(|share| self.share("disconnect", share));
        let (after, disconnect) = match (&flow.disconnect_after_s, disconnect.transpose()?) {
            (Some(after), share) => (
                self.time("disconnect_after_s", after, false)?,
                share.unwrap_or(1.0),
            ),
            (None, None) => (Duration::ZERO, 0.0),
            (None, Some(_)) => {
                let share = flow.disconnect.as_ref().expect("it was just read");
                return Err(self.wrong(share, "`disconnect` needs `disconnect_after_s`"));
            }
        };
        Ok(Departure {
            abandon: abandon.transpose()?.unwrap_or(0.0),
            disconnect,
            after,
        })
    }
}
