use std::cell::RefCell;
use std::time::Duration;

use loadgen_measure::{Outcome, RoundSample};
use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;
use tokio::sync::Notify;
use tokio::time::sleep_until;

use super::core::Core;
use super::flight::{Flight, Held};
use super::round::{Attempt, Due, waiting};
use crate::throttle::{Gate, Part};
use crate::transport::{Trace, Transport};
use crate::workflow::{Step, Workflow};

const TOO_LONG: &str = "held for longer than max_wait_s";

/// The gates of one thread's replicas, and who waits at them.
#[derive(Debug)]
pub(super) struct Gates {
    gate: RefCell<Gate>,
    changed: Vec<Notify>,
}

impl Gates {
    pub(super) fn new(replicas: u16) -> Self {
        Self {
            gate: RefCell::new(Gate::new(replicas)),
            changed: (0..replicas).map(|_| Notify::new()).collect(),
        }
    }

    pub(super) fn refused(&self, replica: u16, id: u64, now: Duration, not_before: Duration) {
        let mut gate = self.gate.borrow_mut();
        gate.refused(replica, id, now, not_before);
    }

    pub(super) fn admitted(&self, replica: u16, id: u64, now: Duration) -> Option<Duration> {
        let time = self.gate.borrow_mut().admitted(replica, id, now)?;
        self.changed[usize::from(replica)].notify_waiters();
        Some(time)
    }

    pub(super) fn left(&self, replica: u16, id: u64) {
        if self.gate.borrow_mut().left(replica, id) {
            self.changed[usize::from(replica)].notify_waiters();
        }
    }

    /// Waits until the workflow may send to the replica of its sample: because that admits, or as the
    /// one that tests it. Those who were held come back over the jitter time. `Err` with the reason
    /// when that takes too long.
    pub(super) async fn turn<T: Transport>(
        &self,
        core: &Core<T>,
        flight: &Flight,
        id: u64,
        (sample, why): (RoundSample, String),
        rng: &mut Xoshiro256PlusPlus,
    ) -> Result<(), &'static str> {
        let replica = sample.replica;
        let since = core.now();
        let throttle = &core.plan.throttle;
        let last = since + throttle.max_wait;
        let mut was_held = false;
        let mut waits = false;
        let outcome = loop {
            let part = self.gate.borrow_mut().part(replica, id);
            let now = core.now();
            let until = match part {
                Part::Send if !was_held => break Ok(()),
                Part::Send => {
                    was_held = false;
                    now + throttle.jitter.mul_f64(rng.random())
                }
                Part::Test(not_before) if not_before <= now => break Ok(()),
                Part::Test(not_before) => not_before,
                Part::Hold => {
                    was_held = true;
                    last
                }
            };
            if now >= last {
                self.left(replica, id);
                break Err(TOO_LONG);
            }
            if !waits {
                waits = true;
                let why = why.clone();
                *flight.held.borrow_mut() = Some(Box::new(Held { sample, why, since }));
            }
            let changed = self.changed[usize::from(replica)].notified();
            tokio::select! {
                () = changed, if part == Part::Hold => {}
                () = sleep_until(core.epoch + until.min(last)) => {}
            }
        };
        if waits {
            flight.held.take();
            let waited = core.now().saturating_sub(since);
            core.with_recorder(|r| r.waited(waited));
        }
        outcome
    }
}

impl<T: Transport> Core<T> {
    /// A round of which nothing was sent yet, as long as it is held back.
    pub(super) fn unsent(
        &self,
        flight: &Flight,
        workflow: &Workflow,
        due: Due,
        replica: u16,
    ) -> (RoundSample, String) {
        let waiting = waiting(workflow, due, replica);
        let (outcome, now) = (Outcome::Throttled, self.now());
        let sample = self.sample(&waiting, &Trace::default(), outcome, now, flight.kind);
        (
            sample,
            "not sent while the replica refuses others".to_owned(),
        )
    }

    /// A round that ends without having been sent.
    pub(super) fn held_back(
        &self,
        flight: &Flight,
        workflow: &Workflow,
        due: Due,
        replica: u16,
    ) -> Attempt {
        let (sample, why) = self.unsent(flight, workflow, due, replica);
        let outcome = sample.outcome;
        Attempt {
            step: Step::Over { outcome, why },
            status: None,
            sample,
        }
    }
}
