use std::time::Duration;

use crate::{Outcome, TimeMeaning};

/// What the samples of a run index into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Names of the workflow kinds; samples carry the position.
    pub kinds: Vec<String>,
    /// URLs of the replicas; samples carry the position.
    pub replicas: Vec<String>,
}

/// What a server said about its own work in the `Server-Timing` header of one answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ServerTiming {
    /// Checking and recovering the request state; `None` when not reported.
    pub open: Option<Duration>,
    /// The tool's own work; `None` when not reported.
    pub handle: Option<Duration>,
    /// Protecting the next request state; `None` when not reported.
    pub seal: Option<Duration>,
    /// Asking a record of used states, which is in none of the others; `None` when not reported.
    pub store: Option<Duration>,
}

/// One round, after its last attempt. All moments are offsets from the start of the run on the
/// monotonic clock; the recorder derives response time, service time and lateness from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundSample {
    /// Workflow kind, a position in [`Shape::kinds`].
    pub kind: usize,
    /// Round within the workflow; 0 is the first.
    pub round: u16,
    /// How it ended.
    pub outcome: Outcome,
    /// Attempts to have it answered: 1 without a second one, 0 when it was held back to its end. One
    /// whose connection is refused is an attempt too, of which nothing is sent.
    pub attempts: u16,
    /// When the plan wanted it sent.
    pub intended: Duration,
    /// When its first attempt that was sent could have been, by plan and policy: when it was intended,
    /// or when what held it back on purpose was over (a back-off, a replica that refuses others).
    pub ready: Duration,
    /// When something was first sent; `None` when nothing was.
    pub first_sent: Option<Duration>,
    /// When its last attempt was sent; `None` when nothing of that was sent.
    pub sent: Option<Duration>,
    /// When the reply was whole, the failure was seen, or (for ages) the run gave up watching.
    pub done: Duration,
    /// Replica that the last attempt went to, a position in [`Shape::replicas`].
    pub replica: u16,
    /// Replica that minted the state that was sent; `None` when no state was sent.
    pub minted_by: Option<u16>,
    /// Bytes of the request body.
    pub request_bytes: u64,
    /// Bytes of the response body; `None` when no whole answer came.
    pub response_bytes: Option<u64>,
    /// Bytes of the request state that was sent; `None` when there was none.
    pub state_sent_bytes: Option<u64>,
    /// Bytes of the request state in the answer; `None` when there was none.
    pub state_received_bytes: Option<u64>,
    /// What the server said about its own work.
    pub server: ServerTiming,
    /// Whether the last attempt went over a connection that had carried another request.
    pub reused_connection: bool,
}

impl RoundSample {
    /// Whether its last attempt was sent, or failed before it could be. One that was held back, or
    /// still waited for a connection when the run ended, was not.
    pub fn was_tried(&self) -> bool {
        let failed = self.attempts > 0 && self.outcome.time_meaning() != TimeMeaning::Age;
        self.sent.is_some() || failed
    }
}

/// One attempt that another attempt of the same round followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SupersededAttempt {
    /// Workflow kind, a position in [`Shape::kinds`].
    pub kind: usize,
    /// Round within the workflow.
    pub round: u16,
    /// When the plan wanted the round sent.
    pub intended: Duration,
    /// How the attempt ended.
    pub outcome: Outcome,
    /// From its send to its end; `None` when nothing was sent.
    pub service: Option<Duration>,
}

/// One whole workflow. All moments are offsets from the start of the run on the monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkflowSample {
    /// Workflow kind, a position in [`Shape::kinds`].
    pub kind: usize,
    /// How it ended: the outcome of its last round.
    pub outcome: Outcome,
    /// Rounds that were sent, or failed before they could be.
    pub rounds: u16,
    /// When the plan wanted round 0 sent.
    pub intended: Duration,
    /// When the workflow was taken up.
    pub started: Duration,
    /// When its last round was done.
    pub done: Duration,
    /// Answering (think) time inside it, over all rounds.
    pub think: Duration,
}
