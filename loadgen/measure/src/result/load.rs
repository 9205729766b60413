use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::achieved::Achieved;
use super::figures::LatencyFigures;
use crate::{NotStarted, Outcome, PackedLatency, SlotLimit};

/// What load was meant, as facts from the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Workload {
    /// `partly open`, `closed` and so on, for people.
    pub label: String,
    /// Arrivals of workflows per second, as the mean over the whole plan, warm-up included; absent in
    /// a closed workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival_rate_per_s: Option<f64>,
    /// Most retries (rounds after round 0) of a workflow; reaching it is the outcome `round_cap`. Absent
    /// where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_cap: Option<u16>,
    /// Workflows kept in flight; absent in an open workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u64>,
}

/// Workflows in flight, looked at from time to time and not derived from latencies. The looks
/// are spread evenly from the start of the run to the end of the drain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InFlight {
    /// Mean over the looks.
    pub mean: f64,
    /// Highest seen.
    pub max: u64,
    /// Number of looks.
    pub looks: u64,
}

/// Planned, started and done work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadResult {
    /// What was meant.
    pub workload: Workload,
    /// Workflows that the plan held, warm-up included, as in all counts here.
    pub planned: u64,
    /// Workflows that were taken up.
    pub started: u64,
    /// Planned workflows that were not taken up, by cause; only causes that happened.
    pub not_started: BTreeMap<NotStarted, u64>,
    /// Ended workflows by outcome; only outcomes that happened.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Rounds that ended or were watched to the end, also those of which nothing was sent.
    pub rounds: u64,
    /// Rounds of which something was sent.
    pub rounds_sent: u64,
    /// Rounds of which nothing was sent, by outcome: held back, without a connection when the run
    /// ended, or refused one at every attempt. Only outcomes that happened.
    pub never_sent: BTreeMap<Outcome, u64>,
    /// Attempts to have a round answered, second and later ones included. One whose connection is
    /// refused is an attempt too.
    pub attempts: u64,
    /// Attempts of which something was sent.
    pub attempts_sent: u64,
    /// Seconds of load that rates and headline figures are of: those that are no warm-up.
    pub measured_s: f64,
    /// Planned workflows that were due in measured seconds, taken up or not, per measured second; absent
    /// in a closed workload and when nothing was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered_per_s: Option<f64>,
    /// Workflows that were due in measured seconds and taken up, per measured second; null when nothing
    /// was measured.
    pub started_per_s: Option<f64>,
    /// Workflows that ended well in measured seconds, whenever they were due, per measured second; null
    /// when nothing was measured. What ends in the drain is not in it.
    pub throughput_per_s: Option<f64>,
    /// Rounds whose reply was whole in measured seconds, whatever it said, per measured second; null
    /// when nothing was measured. What ends in the drain is not in it.
    pub rounds_per_s: Option<f64>,
    /// Offered against achieved rate; absent where the two cannot be compared: in a closed workload or
    /// one whose rate changes, over less than a second, with users who think long, and in a checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub achieved: Option<Achieved>,
    /// Workflows in flight; absent when nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_flight: Option<InFlight>,
}

/// What is known about connections from the driver.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectionFacts {
    /// Most connections that the scenario allowed at one time; absent without a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<u64>,
    /// Most connections that were open, or being made, at one time.
    pub open_max: u64,
    /// Most connections at one time on which the server had sent something; of several sending
    /// threads the sum of theirs. A server that takes fewer than are asked for shows here. Absent
    /// in a checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answering_max: Option<u64>,
    /// Fewest such connections after that, while workflows arrived; of several sending threads the
    /// sum of theirs, a lower bound. Absent in a checkpoint, and where each request has a connection
    /// of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answering_min: Option<u64>,
}

impl ConnectionFacts {
    /// With the connections of another thread.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        Self {
            asked: self.asked.or(other.asked),
            open_max: self.open_max + other.open_max,
            answering_max: sum(self.answering_max, other.answering_max),
            answering_min: sum(self.answering_min, other.answering_min),
        }
    }

    /// What is to say when clearly fewer connections were answered than were open: less than 9 of 10.
    /// `failed`: whether a server that answers left rounds without an answer.
    pub(super) fn shortfall(&self, failed: bool) -> Option<String> {
        let answering = self.answering_max.filter(|max| *max > 0)?;
        (failed && 10 * answering < 9 * self.open_max).then(|| {
            format!(
                "of {} connections at one time at most {answering} were ever answered: the server, \
                 or what stands before it, takes no more, or stood still as they were made",
                self.open_max
            )
        })
    }
}

/// Connections to all replicas.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectionResult {
    /// Limit and peak.
    #[serde(flatten)]
    pub facts: ConnectionFacts,
    /// Connections that were made over the whole run.
    pub established: u64,
    /// Rounds that went over a connection that had carried another request.
    pub reused_rounds: u64,
    /// Requests that were sent again because a kept-alive connection was closed before anything was
    /// received; not counted as attempts.
    #[serde(default)]
    pub resent: u64,
    /// Requests that the server told to take to another connection before it had looked at them
    /// (HTTP/2 GOAWAY or REFUSED_STREAM); not counted as attempts.
    #[serde(default)]
    pub moved: u64,
    /// Times that requests waited until one could be sent, by what was missing; only limits that
    /// were met. Of those that waited to the end of the run the time until then, a lower bound.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub slot_waits: BTreeMap<SlotLimit, LatencyFigures>,
    /// Times to connect; absent when no connection was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect: Option<LatencyFigures>,
}

/// What a trace context cost on the wire, apart from the sizes of requests, which are without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TraceContextResult {
    /// Attempts that were sent with one.
    pub attempts: u64,
    /// Its bytes in their bodies, all together.
    pub body_bytes: u64,
    /// Its bytes in their header fields, names and values, all together; before HTTP/2 compresses them.
    pub header_bytes: u64,
}

/// One second of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SecondResult {
    /// Position, from 0 at the start of the run.
    pub second: u64,
    /// Rounds whose first attempt was sent in it.
    pub sent: u64,
    /// Rounds that ended in it.
    pub done: u64,
    /// Rounds that ended well in it.
    pub ok: u64,
    /// Rounds that ended in any other way in it.
    pub failed: u64,
    /// Workflows that were due in it and passed over; absent when none was.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_started: u64,
    /// Attempts that a rate limit refused in it; absent when none was.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refused: u64,
    /// Response times of its successful rounds, for each round that had one.
    pub rounds: Vec<SecondRound>,
}

/// Response times of the successful rounds of one second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SecondRound {
    /// Position in the workflow, from 0.
    pub round: u16,
    /// How many.
    pub count: u64,
    /// Quantile 0.5, in nanoseconds.
    pub p50_ns: u64,
    /// Quantile 0.99, in nanoseconds.
    pub p99_ns: u64,
    /// Longest, in nanoseconds (the end of its histogram bucket, 3 digits).
    pub max_ns: u64,
    /// HdrHistogram V2, compressed, standard base64; values are nanoseconds.
    #[schemars(with = "String")]
    pub histogram: PackedLatency,
}

pub(super) fn is_zero(count: &u64) -> bool {
    *count == 0
}
