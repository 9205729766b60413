use std::time::Duration;

use bytes::Bytes;
use loadgen_measure::{Outcome, RoundSample, ServerTiming};
use tokio::time::Instant;

use super::core::{Core, count};
use super::flight::{Flight, Waiting};
use crate::classify::Reply;
use crate::transport::{Failure, Outgoing, Trace, Transport};
use crate::workflow::{Step, Workflow};

impl<T: Transport> Core<T> {
    /// One round: request, reply, sample. Gives what is next and when the reply was whole.
    pub(super) async fn round(
        &self,
        flight: &Flight,
        workflow: &mut Workflow,
        due: Duration,
        replica: u16,
        minted_by: Option<u16>,
    ) -> (Step, Duration) {
        let (template, headers) = &self.kinds[flight.kind];
        let body = Bytes::from(workflow.body(template));
        let waiting = Waiting {
            round: workflow.round(),
            intended: due,
            replica,
            minted_by,
            request_bytes: body.len() as u64 - workflow.trace_bytes(),
            state_sent_bytes: workflow.state_bytes(),
        };
        let leaves = workflow.disconnects_after(&self.plan.kinds[flight.kind]);
        let leaves = leaves.map_or(self.plan.timeout, |after| after.min(self.plan.timeout));
        flight.trace.reset();
        flight.round.set(Some(waiting));
        let answer = self
            .transport
            .send(
                Outgoing {
                    to: replica,
                    headers,
                    own_headers: workflow.headers(),
                    id: workflow.request_id(),
                    body,
                    timeout: leaves,
                },
                &flight.trace,
            )
            .await;
        flight.round.set(None);
        flight.rounds.set(flight.rounds.get().saturating_add(1));
        let (step, done, reply, state) = match answer {
            Ok((reply, done)) => {
                let kind = &self.plan.kinds[flight.kind];
                let (step, state) = workflow.take(&reply, &self.plan, kind);
                let done = done.saturating_duration_since(self.epoch);
                (step, done, Some(reply), state)
            }
            Err(Failure::Timeout) if leaves < self.plan.timeout => {
                let why = "the client left before the reply, as planned".to_owned();
                let outcome = Outcome::Abandoned;
                (Step::Over { outcome, why }, self.now(), None, None)
            }
            Err(failure) => (no_reply(&failure), self.now(), None, None),
        };
        let outcome = match &step {
            Step::Again { .. } | Step::Leave => Outcome::Ok,
            Step::Over { outcome, .. } => *outcome,
        };
        let sample = self.sample(&waiting, &flight.trace, outcome, done, flight.kind);
        self.record(&RoundSample {
            response_bytes: reply.as_ref().map(|r| r.body_bytes),
            state_received_bytes: state,
            server: reply.map_or_else(ServerTiming::default, |r: Reply| r.server),
            ..sample
        });
        self.note_wire(replica, &flight.trace);
        (step, done)
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
        RoundSample {
            kind,
            round: waiting.round,
            outcome,
            attempts: u16::from(sent.is_some()),
            intended: waiting.intended,
            first_sent: trace.first_sent.get().map(moment),
            sent,
            done,
            replica: waiting.replica,
            minted_by: waiting.minted_by,
            request_bytes: waiting.request_bytes,
            response_bytes: None,
            state_sent_bytes: waiting.state_sent_bytes,
            state_received_bytes: None,
            server: ServerTiming::default(),
            reused_connection: trace.reused.get(),
        }
    }

    /// What happened between the round and its connection, apart from both clocks.
    pub(super) fn note_wire(&self, replica: u16, trace: &Trace) {
        self.with_recorder(|recorder| {
            if let Some(time) = trace.connect.get() {
                recorder.connect(replica, time);
            }
            if let Some((limit, time)) = trace.wait.get() {
                recorder.slot_wait(limit, time);
            }
            recorder.resent(trace.resent.get().into());
            recorder.moved(trace.moved.get().into());
        });
    }

    pub(super) fn record(&self, sample: &RoundSample) {
        self.recorder.borrow_mut().round(sample);
        count(&self.shared.rounds);
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
