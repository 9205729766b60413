use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use loadgen_measure::{
    ConnectionFacts, FinishedSeconds, Outcome, PrincipalTally, Recorder, RoundSample, Shape,
    WorkflowSample,
};
use loadgen_timer::Alarms;
use slab::Slab;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::again::Again;
use super::failures::Failures;
use super::flight::{Flight, Flying, Held, Sending};
use super::round::Due;
use crate::plan::Plan;
use crate::schedule::workflow_rng;
use crate::transport::{RequestHeaders, Transport};
use crate::workflow::{Template, Workflow};

/// Counts that other threads may look at while the run goes on.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) started: AtomicU64,
    pub(super) ok: AtomicU64,
    pub(super) failed: AtomicU64,
    pub(super) rounds: AtomicU64,
    /// Replies of each replica.
    pub(super) answered: Vec<AtomicU64>,
    /// Seconds that are over, on their way out of the thread.
    finished: Mutex<FinishedSeconds>,
}

impl Shared {
    /// Counts for so many replicas.
    pub(super) fn of(replicas: usize) -> Self {
        Self {
            answered: (0..replicas).map(|_| AtomicU64::new(0)).collect(),
            ..Self::default()
        }
    }

    /// What the thread has let go of.
    pub(super) fn take_finished(&self) -> FinishedSeconds {
        std::mem::take(&mut *self.finished())
    }

    fn finished(&self) -> MutexGuard<'_, FinishedSeconds> {
        // A list is whole, whatever happened to its user.
        self.finished.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one thread holds.
pub(super) struct Core<T> {
    pub(super) plan: Arc<Plan>,
    pub(super) kinds: Vec<(Template, RequestHeaders)>,
    pub(super) replicas: u16,
    pub(super) transport: T,
    pub(super) epoch: Instant,
    pub(super) shared: Arc<Shared>,
    /// What thinking users are woken by.
    pub(super) alarms: Alarms,
    pub(super) recorder: RefCell<Recorder>,
    pub(super) failures: RefCell<Failures>,
    pub(super) again: Again,
    flights: RefCell<Slab<Rc<Flight>>>,
    flying: RefCell<Flying>,
    /// Told whenever a workflow ends.
    pub(super) landed: Notify,
}

impl<T: Transport> Core<T> {
    pub(super) fn new(
        plan: Arc<Plan>,
        shape: &Shape,
        transport: T,
        epoch: Instant,
        shared: Arc<Shared>,
        alarms: Alarms,
    ) -> Self {
        let kinds = plan.kinds.iter().map(|kind| {
            let template = Template::new(&plan.client, kind);
            let headers = RequestHeaders::new(&template.headers);
            (template, headers)
        });
        let replicas = u16::try_from(shape.replicas.len()).unwrap_or(u16::MAX);
        let mut recorder = Recorder::with_phases(shape, &plan.phases);
        if let Some(limit_per_s) = plan.throttle.limit_per_s {
            recorder.limit(limit_per_s);
        }
        recorder.body_limit(plan.payload.body_limit_bytes);
        recorder.compare(&plan.spread_pairs());
        match plan.client.principals.count() {
            0 => {}
            count => recorder.principals(count),
        }
        Self {
            kinds: kinds.collect(),
            again: Again::new(&plan),
            replicas,
            recorder: RefCell::new(recorder),
            failures: RefCell::default(),
            flights: RefCell::default(),
            flying: RefCell::default(),
            landed: Notify::new(),
            plan,
            transport,
            epoch,
            shared,
            alarms,
        }
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    pub(super) fn epoch(&self) -> Instant {
        self.epoch
    }

    /// Time since the start of the run.
    pub(super) fn now(&self) -> Duration {
        Instant::now().saturating_duration_since(self.epoch)
    }

    pub(super) fn in_flight(&self) -> u64 {
        self.flying.borrow().now
    }

    pub(super) fn with_recorder<R>(&self, f: impl FnOnce(&mut Recorder) -> R) -> R {
        f(&mut self.recorder.borrow_mut())
    }

    /// Moves the seconds that are over out of the recorder.
    pub(super) fn let_go_of_finished(&self) {
        let finished = self.with_recorder(Recorder::take_finished);
        self.shared.finished().append(finished);
    }

    /// Counts something of a workflow's principal, if there are any.
    pub(super) fn with_principal(&self, flight: &Flight, f: impl FnOnce(&mut PrincipalTally)) {
        if let Some(principal) = self.recorder.borrow_mut().principal(flight.principal) {
            f(principal);
        }
    }

    /// A wait between attempts, or before the first, is over.
    pub(super) fn waited(&self, flight: &Flight, time: Duration) {
        self.with_recorder(|r| r.waited(time));
        self.with_principal(flight, |p| p.waited(time));
    }

    /// Everything that was measured, at the end.
    pub(super) fn into_parts(self: Rc<Self>) -> (Recorder, Flying, Failures, ConnectionFacts) {
        self.fly(0, self.now());
        let flying = *self.flying.borrow();
        let nothing = Recorder::new(self.recorder.borrow().shape());
        (
            // Taken and not copied: a recorder is megabytes.
            self.recorder.replace(nothing),
            flying,
            self.failures.borrow().clone(),
            self.transport.connections(),
        )
    }

    /// Takes one workflow up, at once and not only when the future is first polled: from here on it
    /// counts as started. The future runs it to its end and tells how that was.
    pub(super) fn workflow(
        self: Rc<Self>,
        id: u64,
        intended: Duration,
    ) -> impl Future<Output = Outcome> + use<T> {
        let mut rng = workflow_rng(self.plan.seed, id);
        let kind = self.plan.draw_kind(&mut rng);
        let flight = self.take_off(id, kind, intended);
        let mut workflow = Workflow::new(id, rng, &self.plan, &self.plan.kinds[kind]);
        let mut due = Due {
            id,
            at: intended,
            minted_by: None,
        };
        // A block and not a function, which would hold its arguments twice.
        async move {
            let (outcome, done) = loop {
                // On the heap, so that a workflow whose user thinks does not hold what a round takes.
                let ended = Box::pin(self.round(&flight, &mut workflow, due)).await;
                let pause = match ended.next {
                    Ok(pause) => pause,
                    Err(outcome) => break (outcome, ended.done),
                };
                due.at = ended.done + pause;
                due.minted_by = workflow.state_bytes().map(|_| ended.replica);
                if !pause.is_zero() {
                    flight.think.set(flight.think.get() + pause);
                    self.alarms.until(self.epoch + due.at).await;
                }
            };
            self.land(&flight, outcome, done);
            outcome
        }
    }

    fn take_off(&self, id: u64, kind: usize, intended: Duration) -> Rc<Flight> {
        let started = self.now();
        let mut flights = self.flights.borrow_mut();
        let place = flights.vacant_entry();
        let flight = Rc::new(Flight {
            place: place.key(),
            kind,
            principal: self.plan.principal(id),
            intended,
            started,
            think: Cell::default(),
            rounds: Cell::default(),
            first: Cell::default(),
            held: Cell::default(),
            sending: Cell::default(),
        });
        place.insert(Rc::clone(&flight));
        self.fly(1, started);
        self.with_recorder(|r| r.started(kind, intended));
        self.with_principal(&flight, PrincipalTally::started);
        count(&self.shared.started);
        flight
    }

    /// Ends a workflow at the moment at which its last round was done, which is a little ago: the
    /// reply was looked at since.
    fn land(&self, flight: &Flight, outcome: Outcome, done: Duration) {
        self.flights.borrow_mut().try_remove(flight.place);
        self.end_workflow(flight, outcome, done);
        let now = self.now();
        self.fly(-1, now);
        self.flying.borrow_mut().area_ns -= now.saturating_sub(done).as_nanos();
        self.landed.notify_one();
    }

    fn end_workflow(&self, flight: &Flight, outcome: Outcome, done: Duration) {
        self.with_recorder(|r| {
            r.workflow(&WorkflowSample {
                kind: flight.kind,
                outcome,
                rounds: flight.rounds.get(),
                intended: flight.intended,
                started: flight.started,
                done,
                think: flight.think.get(),
            });
        });
        self.with_principal(flight, |p| p.ended(outcome));
        count(if outcome == Outcome::Ok {
            &self.shared.ok
        } else {
            &self.shared.failed
        });
    }

    /// Ends every workflow that is still in flight: its time so far is a lower bound.
    pub(super) fn cut(&self, outcome: Outcome) {
        let done = self.now();
        let flights = std::mem::take(&mut *self.flights.borrow_mut());
        for (_, flight) in flights {
            if let Some(sending) = flight.sending.take() {
                let Sending { waiting, trace } = &*sending;
                let sample = self.sample(waiting, trace, outcome, done, flight.kind);
                self.record(&flight, &sample);
                self.note_wire(waiting, trace);
                let round = waiting.round;
                let why = match sample.sent {
                    Some(_) => format!("no reply by the end of the run to round {round}"),
                    None => format!("no connection by the end of the run for round {round}"),
                };
                self.failures
                    .borrow_mut()
                    .note(outcome, waiting.replica, &why);
            }
            let held = flight.held.take();
            let outcome = held.map_or(outcome, |held| self.cut_wait(&flight, &held, done));
            self.end_workflow(&flight, outcome, done);
            self.fly(-1, done);
        }
    }

    /// Ends a round that waits for its next attempt, or is held back before its first: nothing of it
    /// is outstanding, so that it ends as its last attempt did, or as throttled. Gives how its
    /// workflow ends.
    fn cut_wait(&self, flight: &Flight, held: &Held, done: Duration) -> Outcome {
        let sample = match held.sample.attempts {
            0 => RoundSample {
                done,
                ..held.sample
            },
            _ => held.sample,
        };
        self.waited(flight, done.saturating_sub(held.since));
        self.record(flight, &sample);
        let why = format!("{}; the run ended while it waited", held.why);
        let mut failures = self.failures.borrow_mut();
        failures.note(sample.outcome, sample.replica, &why);
        sample.outcome
    }

    /// Changes the number in flight, adding the area under its curve up to now.
    fn fly(&self, change: i64, now: Duration) {
        let mut flying = self.flying.borrow_mut();
        let held = now.saturating_sub(flying.since).as_nanos();
        flying.area_ns += held * u128::from(flying.now);
        flying.since = now;
        flying.now = flying.now.saturating_add_signed(change);
        flying.max = flying.max.max(flying.now);
        flying.changes += 1;
    }
}

/// Only the owning thread writes; others read.
pub(super) fn count(counter: &AtomicU64) {
    counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}
