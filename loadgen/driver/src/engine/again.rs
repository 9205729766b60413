use std::cell::RefCell;
use std::time::{Duration, SystemTime};

use loadgen_measure::{Outcome, SupersededAttempt};
use rand::rngs::Xoshiro256PlusPlus;

use super::core::Core;
use super::flight::{Flight, Held};
use super::gates::Gates;
use super::round::Attempt;
use crate::plan::{OnThrottle, Plan};
use crate::throttle::{Budgets, Pause, Wait, pause};
use crate::transport::Transport;
use crate::workflow::Step;

/// What one thread remembers for attempts after the first, of each of its principals.
#[derive(Debug)]
pub(super) struct Again {
    budgets: Option<RefCell<Budgets>>,
    pub(super) gates: Option<Gates>,
}

/// What follows an attempt.
#[derive(Debug)]
pub(super) enum After {
    /// The round is over; and why no attempt follows, if one might have.
    End(Option<&'static str>),
    /// The same, at this moment: whoever was told to wait longer than it may does not come back
    /// with the next workflow at once.
    EndAt(Duration, &'static str),
    /// Another attempt, from this moment on, at this replica or at one that is chosen anew.
    Attempt(Duration, Option<u16>),
}

impl Again {
    pub(super) fn new(plan: &Plan) -> Self {
        let throttle = &plan.throttle;
        // A principal has its budget in its thread; without principals the threads share one.
        let parts = if plan.by_principal() {
            1
        } else {
            plan.sending_threads()
        };
        let budgets = |budget| RefCell::new(Budgets::new(budget, parts));
        Self {
            budgets: throttle.budget.map(budgets),
            gates: (throttle.on == OnThrottle::Probe).then(Gates::default),
        }
    }

    /// A round of a principal ended in this way.
    pub(super) fn paid_back(&self, principal: usize, outcome: Outcome) {
        if let (Some(budgets), Outcome::Ok) = (&self.budgets, outcome) {
            budgets.borrow_mut().refund(principal);
        }
    }

    fn pays(&self, principal: usize) -> bool {
        let budgets = self.budgets.as_ref();
        budgets.is_none_or(|budgets| budgets.borrow_mut().pay(principal))
    }
}

impl<T: Transport> Core<T> {
    /// What follows an attempt, the `made`-th of its round.
    pub(super) fn after(
        &self,
        flight: &Flight,
        attempt: &Attempt,
        id: u64,
        made: u16,
        rng: &mut Xoshiro256PlusPlus,
    ) -> After {
        let replica = attempt.sample.replica;
        let door = flight.door(replica);
        let throttle = &self.plan.throttle;
        let wait = match &attempt.step {
            Step::Throttled { notice, .. } if throttle.on != OnThrottle::Ignore => notice.wait,
            step => {
                if let Some(gates) = &self.again.gates {
                    self.opens(gates, flight, attempt, id);
                }
                if !self.retries(step, attempt.status) {
                    return After::End(None);
                }
                Wait::Untold
            }
        };
        let now = self.now();
        let left = self.end().saturating_sub(now);
        let pause = pause(wait, made, throttle, left, SystemTime::now, rng);
        let gates = self.again.gates.as_ref();
        let gates = gates.filter(|_| matches!(attempt.step, Step::Throttled { .. }));
        if let Some(gates) = gates {
            let not_before = match pause {
                Pause::Attempt(wait) => now + wait,
                Pause::TooLong => now + throttle.max_wait,
            };
            gates.refused(door, id, attempt.sample.done, not_before);
        }
        let end = if made >= throttle.max_attempts {
            After::End(Some("no attempt is left"))
        } else {
            match (pause, gates) {
                (Pause::TooLong, _) => {
                    self.with_recorder(|r| r.clipped_wait());
                    let longest = throttle.max_wait;
                    let until = (now + longest).min(self.plan.duration);
                    After::EndAt(
                        until,
                        "the wait is longer than max_wait_s or the rest of the run",
                    )
                }
                _ if !self.again.pays(flight.principal) => {
                    self.with_recorder(|r| r.budget_refused());
                    After::End(Some("the retry budget is spent"))
                }
                // Its turn at the gate is the wait.
                (Pause::Attempt(_), Some(_)) => return After::Attempt(now, Some(replica)),
                (Pause::Attempt(wait), None) => return After::Attempt(now + wait, None),
            }
        };
        if let Some(gates) = gates {
            gates.left(door, id);
        }
        end
    }

    /// When the run ends at the latest.
    pub(super) fn end(&self) -> Duration {
        self.plan.duration + self.plan.drain
    }

    /// Waits between two attempts, seen from outside as a held round.
    pub(super) async fn wait(&self, flight: &Flight, attempt: &Attempt, until: Duration) {
        if until <= self.now() {
            return;
        }
        let since = self.now();
        flight.held.set(Some(Box::new(Held {
            sample: attempt.sample,
            why: attempt.why().to_owned(),
            since,
        })));
        self.alarms.until(self.epoch + until).await;
        flight.held.take();
        self.waited(flight, self.now().saturating_sub(since));
    }

    /// An attempt that another one follows.
    pub(super) fn supersede(&self, attempt: &Attempt) {
        let sample = &attempt.sample;
        self.with_recorder(|r| {
            r.superseded(&SupersededAttempt {
                kind: sample.kind,
                round: sample.round,
                intended: sample.intended,
                outcome: sample.outcome,
                service: sample.sent.map(|sent| sample.done.saturating_sub(sent)),
            });
        });
    }

    /// An attempt that was not refused: one that tested its replica opens it by a reply, and leaves
    /// the test to another without one.
    fn opens(&self, gates: &Gates, flight: &Flight, attempt: &Attempt, id: u64) {
        let door = flight.door(attempt.sample.replica);
        if attempt.status.is_none() {
            gates.left(door, id);
        } else if let Some(time) = gates.admitted(door, id, attempt.sample.done) {
            self.with_recorder(|r| r.recovered(time));
        }
    }

    fn retries(&self, step: &Step, status: Option<u16>) -> bool {
        let on = self.plan.throttle.retry_on;
        match step.outcome() {
            Outcome::ProtocolError => on.server_error && status.is_some_and(|s| s >= 500),
            Outcome::Timeout => on.timeout,
            Outcome::ConnectError => on.connect,
            _ => false,
        }
    }
}
