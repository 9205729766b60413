use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use loadgen_measure::{Outcome, RoundSample};
use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;
use tokio::sync::Notify;
use tokio::time::sleep_until;

use super::core::Core;
use super::flight::{Flight, Held};
use super::round::{Attempt, Due, waiting};
use crate::throttle::{Door, Gate, Part};
use crate::transport::{Trace, Transport};
use crate::workflow::{Step, Workflow};

const TOO_LONG: &str = "held for longer than max_wait_s";

/// The gates of one thread: those of its replicas for each of its principals, and who waits at them.
#[derive(Debug, Default)]
pub(super) struct Gates {
    gate: RefCell<Gate>,
    changed: RefCell<HashMap<Door, Rc<Notify>>>,
}

impl Gates {
    pub(super) fn refused(&self, door: Door, id: u64, now: Duration, not_before: Duration) {
        let mut gate = self.gate.borrow_mut();
        gate.refused(door, id, now, not_before);
    }

    pub(super) fn admitted(&self, door: Door, id: u64, now: Duration) -> Option<Duration> {
        let time = self.gate.borrow_mut().admitted(door, id, now)?;
        self.changes(door);
        Some(time)
    }

    pub(super) fn left(&self, door: Door, id: u64) {
        if self.gate.borrow_mut().left(door, id) {
            self.changes(door);
        }
    }

    /// Wakes those who hold; whoever has to hold on waits anew.
    fn changes(&self, door: Door) {
        if let Some(changed) = self.changed.borrow_mut().remove(&door) {
            changed.notify_waiters();
        }
    }

    /// Waits until the workflow may send to the replica of its sample: because that admits its
    /// principal, or as the one that tests it. Those who were held come back over the jitter time. Gives
    /// how long it had to wait; `Err` with the reason when that takes too long.
    pub(super) async fn turn<T: Transport>(
        &self,
        core: &Core<T>,
        flight: &Flight,
        id: u64,
        (sample, why): (RoundSample, String),
        rng: &mut Xoshiro256PlusPlus,
    ) -> Result<Duration, &'static str> {
        let door = flight.door(sample.replica);
        let since = core.now();
        let throttle = &core.plan.throttle;
        let last = since + throttle.max_wait;
        let mut was_held = false;
        let mut waits = false;
        let mut ready = since;
        let outcome = loop {
            let part = self.gate.borrow_mut().part(door, id);
            let now = core.now();
            let until = match part {
                Part::Send if !was_held => break Ok(ready - since),
                Part::Send => {
                    was_held = false;
                    now + throttle.jitter.mul_f64(rng.random())
                }
                Part::Test(not_before) if not_before <= now => break Ok(ready - since),
                Part::Test(not_before) => not_before,
                Part::Hold => {
                    was_held = true;
                    last
                }
            };
            if now >= last {
                self.left(door, id);
                break Err(TOO_LONG);
            }
            if !waits {
                waits = true;
                let why = why.clone();
                flight.held.set(Some(Box::new(Held { sample, why, since })));
            }
            let until = until.min(last);
            let over = sleep_until(core.epoch + until);
            if part == Part::Hold {
                let changed = Rc::clone(self.changed.borrow_mut().entry(door).or_default());
                tokio::select! {
                    () = changed.notified() => {}
                    () = over => {}
                }
            } else {
                over.await;
            }
            // What it wakes up late is no wait that was asked for.
            ready = until.min(core.now());
        };
        if waits {
            flight.held.take();
            core.waited(flight, core.now().saturating_sub(since));
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
        let trace = Trace::default();
        let sample = RoundSample {
            attempts: 0,
            ..self.sample(&waiting, &trace, outcome, now, flight.kind)
        };
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
