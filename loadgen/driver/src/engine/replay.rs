use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use loadgen_measure::{Outcome, Replay};
use tokio::time::Instant;

use super::core::{Core, count};
use crate::classify::{Meaning, Reply, classify};
use crate::transport::{Failure, Outgoing, Trace, Transport};

/// What came of a request.
pub(super) type Answer = Result<(Reply, Instant), Failure>;

/// Another request with the same state, whose reply decides.
pub(super) struct Other {
    pub(super) replica: u16,
    pub(super) trace: Trace,
}

impl<T: Transport> Core<T> {
    /// Sends a request that carries a state, and at the same moment the same bytes to so many replicas in
    /// all, and waits for all of them. The reply of the replica that was chosen decides; where it is no
    /// success, the first success of the others does, since only one of them may be able to have it.
    pub(super) async fn replay(
        &self,
        kind: usize,
        request: &Outgoing<'_>,
        trace: &Trace,
        of: u16,
    ) -> (Answer, Option<Other>) {
        let others: Vec<(Outgoing<'_>, Trace)> = (1..of)
            .map(|n| {
                let to = (request.to + n) % self.replicas;
                let other = Outgoing {
                    to,
                    body: request.body.clone(),
                    ..*request
                };
                (other, Trace::default())
            })
            .collect();
        let requests = others.iter().map(|(other, trace)| (other, trace));
        let sends = [(request, trace)].into_iter().chain(requests);
        let sends = sends.map(|(request, trace)| self.transport.send(request, trace));
        let mut answers = all(sends.collect()).await;
        let goes = [request.to]
            .into_iter()
            .chain(others.iter().map(|(other, _)| other.to));
        for (replica, answer) in goes.zip(&answers).skip(1) {
            if answer.is_ok() {
                count(&self.shared.answered[usize::from(replica)]);
            }
        }
        let ends: Vec<Option<Outcome>> =
            answers.iter().map(|a| self.ended_as(request, a)).collect();
        let with = |outcome| ends.iter().filter(|end| **end == Some(outcome)).count() as u64;
        let replay = Replay {
            requests: u64::from(of),
            ok: with(Outcome::Ok),
            refused: with(Outcome::StateRejected),
        };
        self.with_recorder(|r| r.replayed(kind, &replay));
        let first = ends.iter().position(|end| *end == Some(Outcome::Ok));
        match first.unwrap_or(0) {
            0 => (answers.swap_remove(0), None),
            place => {
                let (other, trace) = others.into_iter().nth(place - 1).expect("it was sent");
                let replica = other.to;
                (answers.swap_remove(place), Some(Other { replica, trace }))
            }
        }
    }

    /// How a request ended; `None` without a reply.
    fn ended_as(&self, request: &Outgoing<'_>, answer: &Answer) -> Option<Outcome> {
        let (reply, _) = answer.as_ref().ok()?;
        let texts = &self.plan.throttle.result_text;
        Some(match classify(reply, request.id, true, texts) {
            Meaning::Complete | Meaning::Ask { .. } => Outcome::Ok,
            Meaning::Throttled { .. } => Outcome::Throttled,
            Meaning::Failed { outcome, .. } => outcome,
        })
    }
}

/// A future, and what it gave.
type Running<F> = (Pin<Box<F>>, Option<<F as Future>::Output>);

/// Runs futures at one time to the end of all.
async fn all<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut open: Vec<Running<F>> = futures
        .into_iter()
        .map(|future| (Box::pin(future), None))
        .collect();
    poll_fn(|context| {
        for (future, output) in open.iter_mut().filter(|(_, output)| output.is_none()) {
            if let Poll::Ready(done) = future.as_mut().poll(context) {
                *output = Some(done);
            }
        }
        match open.iter().all(|(_, output)| output.is_some()) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    })
    .await;
    open.into_iter().filter_map(|(_, output)| output).collect()
}
