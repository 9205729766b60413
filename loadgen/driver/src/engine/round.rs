use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use loadgen_measure::{Outcome, PrincipalTally, Refusal, RefusedBody, RoundSample, ServerTiming};
use tokio::time::Instant;

use super::again::After;
use super::core::{Core, count};
use super::flight::{Attempts, Flight, Sending, Waiting};
use super::replay::Other;
use crate::classify::Reply;
use crate::deviation::deviation;
use crate::spread::choose;
use crate::throttle::{Notice, Wait};
use crate::transport::{Failure, Outgoing, Trace, Transport};
use crate::workflow::{Step, Workflow};

/// What a workflow's round is made for: its number and where its state came from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Due {
    pub(super) id: u64,
    pub(super) at: Duration,
    pub(super) minted_by: Option<u16>,
}

/// How a round ended, after all its attempts.
pub(super) struct Ended {
    /// The pause before the next round, or how the workflow ended.
    pub(super) next: Result<Duration, Outcome>,
    /// When its reply was whole or its failure seen, or when the last wait was over.
    pub(super) done: Duration,
    pub(super) replica: u16,
}

/// One attempt that ended.
pub(super) struct Attempt {
    pub(super) step: Step,
    /// HTTP status of the reply; `None` without one.
    pub(super) status: Option<u16>,
    /// The round, if this was its last attempt.
    pub(super) sample: RoundSample,
}

impl<T: Transport> Core<T> {
    /// One round: attempts until one is answered or none may follow, then its sample.
    pub(super) async fn round(&self, flight: &Flight, workflow: &mut Workflow, due: Due) -> Ended {
        let mut before = Attempts::default();
        let mut last: Option<Box<Attempt>> = None;
        let mut pinned = None;
        // Moved on by what holds an attempt back on purpose.
        let mut ready = due.at;
        loop {
            let replica = pinned.unwrap_or_else(|| self.replica(flight, workflow, due.id));
            if let Some(gates) = &self.again.gates {
                let held = match &last {
                    Some(attempt) => (attempt.sample, attempt.why().to_owned()),
                    None => self.unsent(flight, workflow, due, replica),
                };
                // Boxed, as is every wait between attempts: what does not happen takes no room.
                let turn = gates.turn(self, flight, due.id, held, workflow.rng());
                match Box::pin(turn).await {
                    Ok(held) => ready += held,
                    Err(why) => {
                        let attempt = match last {
                            Some(attempt) => *attempt,
                            None => self.held_back(flight, workflow, due, replica),
                        };
                        return self.finish_late(flight, attempt, why);
                    }
                }
            }
            if let Some(attempt) = last.take() {
                self.supersede(&attempt);
            }
            let attempt = self
                .attempt(flight, workflow, &due, replica, (&before, ready))
                .await;
            match self.after(flight, &attempt, due.id, before.made + 1, workflow.rng()) {
                After::End(why) => return self.finish(flight, attempt, why),
                After::EndAt(until, why) => {
                    let attempt = Box::pin(self.waited_after(flight, attempt, until)).await;
                    return self.finish_late(flight, *attempt, why);
                }
                After::Attempt(until, at) => {
                    let attempt = Box::pin(self.waited_after(flight, attempt, until)).await;
                    let sample = &attempt.sample;
                    before = Attempts {
                        made: sample.attempts,
                        first_sent: sample.first_sent.map(|sent| (sent, sample.ready)),
                    };
                    ready = until;
                    pinned = at;
                    last = Some(attempt);
                    workflow.attempt_again();
                }
            }
        }
    }

    /// An attempt, after the wait that follows it.
    async fn waited_after(
        &self,
        flight: &Flight,
        attempt: Attempt,
        until: Duration,
    ) -> Box<Attempt> {
        self.wait(flight, &attempt, until).await;
        Box::new(attempt)
    }

    fn replica(&self, flight: &Flight, workflow: &mut Workflow, id: u64) -> u16 {
        let requests = workflow.requests();
        let replica = choose(
            self.plan.kinds[flight.kind].spread,
            self.replicas,
            id,
            requests,
            flight.first.get(),
            workflow.rng(),
        );
        if flight.first.get().is_none() {
            flight.first.set(Some(replica));
        }
        replica
    }

    /// One attempt: request, reply, and what the reply leads to.
    async fn attempt(
        &self,
        flight: &Flight,
        workflow: &mut Workflow,
        due: &Due,
        replica: u16,
        (before, ready): (&Attempts, Duration),
    ) -> Attempt {
        let (template, headers) = &self.kinds[flight.kind];
        let body = Bytes::from(workflow.body(template));
        let trace_bytes = (workflow.trace_bytes(), workflow.trace_header_bytes());
        let waiting = Waiting {
            request_bytes: body.len() as u64 - trace_bytes.0,
            trace_bytes,
            before: *before,
            ready,
            ..waiting(workflow, *due, replica)
        };
        if before.made > 0 {
            let now = self.now();
            self.with_recorder(|r| r.new_attempt(now));
        }
        let leaves = workflow.disconnects_after(&self.plan.kinds[flight.kind]);
        let leaves = leaves.map_or(self.plan.timeout, |after| after.min(self.plan.timeout));
        let sending = Rc::new(Sending {
            waiting,
            trace: Trace::default(),
        });
        flight.sending.replace(Some(Rc::clone(&sending)));
        let Sending { waiting, trace } = &*sending;
        let id = workflow.request_id();
        let request = Outgoing {
            to: replica,
            headers,
            own_headers: workflow.headers(),
            id: id.as_str(),
            body,
            timeout: leaves,
        };
        let copies = self.plan.kinds[flight.kind].replay;
        let (answer, other) = if copies > 1 && waiting.state_sent_bytes.is_some() {
            // Boxed: what few scenarios ask for takes no room in others.
            Box::pin(self.replay(flight.kind, &request, trace, copies)).await
        } else {
            (self.transport.send(&request, trace).await, None)
        };
        flight.sending.take();
        let elsewhere;
        let (waiting, trace, replica) = match &other {
            None => (waiting, trace, replica),
            Some(Other { replica, trace }) => {
                elsewhere = Waiting {
                    replica: *replica,
                    ..*waiting
                };
                (&elsewhere, trace, *replica)
            }
        };
        let (step, done, reply, state) = match answer {
            Ok((reply, done)) => {
                let kind = &self.plan.kinds[flight.kind];
                let (step, state) = workflow.take(&reply, &self.plan, kind);
                let done = done.saturating_duration_since(self.epoch);
                count(&self.shared.answered[usize::from(replica)]);
                (step, done, Some(reply), state)
            }
            Err(Failure::Timeout) if leaves < self.plan.timeout => {
                let why = "the client left before the reply, as planned".to_owned();
                let outcome = Outcome::Abandoned;
                (Step::Over { outcome, why }, self.now(), None, None)
            }
            Err(failure) => (no_reply(&failure), self.now(), None, None),
        };
        let outcome = step.outcome();
        let sample = self.sample(waiting, trace, outcome, done, flight.kind);
        self.note_wire(waiting, trace);
        if reply.as_ref().is_some_and(|reply| reply.status == 413) {
            let refused = RefusedBody {
                replica,
                kind: flight.kind,
                round: sample.round,
                bytes: waiting.request_bytes,
            };
            self.with_recorder(|r| r.too_large(&refused));
        }
        let failed = reply.as_ref().filter(|_| outcome != Outcome::Ok);
        if let Some(seen) = failed.and_then(deviation) {
            self.with_recorder(|r| r.status_deviation(replica, seen));
        }
        if let Step::Throttled { notice, .. } = &step {
            self.with_recorder(|r| r.refused(&refusal(notice, replica, done)));
            self.with_principal(flight, PrincipalTally::refused);
        }
        Attempt {
            step,
            status: reply.as_ref().map(|r| r.status),
            sample: RoundSample {
                response_bytes: reply.as_ref().map(|r| r.body_bytes),
                state_received_bytes: state,
                server: reply.map_or_else(ServerTiming::default, |r: Reply| r.server),
                ..sample
            },
        }
    }

    /// Records a round whose last attempt this was. `why`: what kept another one from being made.
    fn finish(&self, flight: &Flight, attempt: Attempt, why: Option<&'static str>) -> Ended {
        let sample = attempt.sample;
        self.record(flight, &sample);
        self.again.paid_back(flight.principal, sample.outcome);
        let next = match attempt.step {
            Step::Again { pause, asked } => {
                if !asked {
                    self.with_recorder(|r| r.state_only(sample.replica));
                }
                Ok(pause)
            }
            Step::Leave => Err(Outcome::Abandoned),
            Step::Throttled { why: said, .. } | Step::Over { why: said, .. } => {
                if sample.outcome != Outcome::Ok {
                    let text = why.map(|why| format!("{said}; {why}")).unwrap_or(said);
                    let mut failures = self.failures.borrow_mut();
                    failures.note(sample.outcome, sample.replica, &text);
                }
                Err(sample.outcome)
            }
        };
        Ended {
            next,
            done: sample.done,
            replica: sample.replica,
        }
    }

    /// The same after a wait that no attempt followed: the workflow was under way as long.
    fn finish_late(&self, flight: &Flight, attempt: Attempt, why: &'static str) -> Ended {
        Ended {
            done: self.now(),
            ..self.finish(flight, attempt, Some(why))
        }
    }

    pub(super) fn sample(
        &self,
        waiting: &Waiting,
        trace: &Trace,
        outcome: Outcome,
        done: Duration,
        kind: usize,
    ) -> RoundSample {
        let moment = |at: Instant| at.saturating_duration_since(self.epoch);
        let sent = trace.sent.get().map(moment);
        let (first_sent, ready) = match waiting.before.first_sent {
            Some((sent, ready)) => (Some(sent), ready),
            None => match trace.first_sent.get() {
                // Nearly always the same.
                first if first == trace.sent.get() => (sent, waiting.ready),
                first => (first.map(moment), waiting.ready),
            },
        };
        RoundSample {
            kind,
            round: waiting.round,
            outcome,
            attempts: waiting.before.made + 1,
            intended: waiting.intended,
            ready,
            first_sent,
            sent,
            done,
            replica: waiting.replica,
            minted_by: waiting.minted_by,
            request_bytes: waiting.request_bytes,
            response_bytes: None,
            state_sent_bytes: waiting.state_sent_bytes,
            state_received_bytes: None,
            server: ServerTiming::default(),
            reused_connection: sent.is_some() && trace.reused.get(),
        }
    }

    /// What happened between the round and its connection, apart from both clocks.
    pub(super) fn note_wire(&self, waiting: &Waiting, trace: &Trace) {
        self.with_recorder(|recorder| {
            if let Some(time) = trace.connect.get() {
                recorder.connect(waiting.replica, time);
            }
            let (in_body, in_header) = waiting.trace_bytes;
            if in_body > 0 && trace.sent.get().is_some() {
                recorder.traced(in_body, in_header);
            }
            if let Some((limit, time)) = trace.slot_wait() {
                recorder.slot_wait(limit, time);
            }
            recorder.resent(trace.resent.get().into());
            recorder.moved(trace.moved.get().into());
        });
    }

    pub(super) fn record(&self, flight: &Flight, sample: &RoundSample) {
        let rounds = flight.rounds.get();
        flight
            .rounds
            .set(rounds.saturating_add(u16::from(sample.was_tried())));
        self.with_recorder(|recorder| {
            recorder.round(sample);
            if sample.outcome == Outcome::Ok {
                recorder.admitted(flight.principal, sample.done);
            }
        });
        count(&self.shared.rounds);
    }
}

impl Attempt {
    /// What was said; empty for what is no failure.
    pub(super) fn why(&self) -> &str {
        match &self.step {
            Step::Again { .. } | Step::Leave => "",
            Step::Throttled { why, .. } | Step::Over { why, .. } => why,
        }
    }
}

/// A round that is due, before its request is made.
pub(super) fn waiting(workflow: &Workflow, due: Due, replica: u16) -> Waiting {
    Waiting {
        round: workflow.round(),
        intended: due.at,
        ready: due.at,
        replica,
        minted_by: due.minted_by,
        request_bytes: 0,
        trace_bytes: (0, 0),
        state_sent_bytes: workflow.state_bytes(),
        before: Attempts::default(),
    }
}

fn refusal(notice: &Notice, replica: u16, at: Duration) -> Refusal {
    Refusal {
        replica,
        signal: notice.signal,
        certain: notice.certain,
        sdk: notice.sdk,
        told: match notice.wait {
            Wait::For(wait) => Some(wait),
            Wait::Until(moment) => Some(
                moment
                    .elapsed()
                    .map_or_else(|e| e.duration(), |_| Duration::ZERO),
            ),
            Wait::Untold | Wait::Unreadable => None,
        },
        unreadable: notice.wait == Wait::Unreadable,
        at,
    }
}

fn no_reply(failure: &Failure) -> Step {
    let (outcome, why) = match failure {
        Failure::Connection(why) => (Outcome::ConnectError, why.clone()),
        Failure::Stale => (
            Outcome::StaleConnection,
            "the server closed a kept-alive connection as the request was sent".to_owned(),
        ),
        Failure::Timeout => (
            Outcome::Timeout,
            "no whole reply in the allowed time".to_owned(),
        ),
        Failure::Generator(why) => (Outcome::GeneratorFault, why.clone()),
    };
    Step::Over { outcome, why }
}
