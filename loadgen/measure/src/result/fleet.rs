use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::aead::Sealing;
use super::figures::LatencyFigures;
use super::load::is_zero;
use super::rate_limit::ReplicaLimit;
use crate::{Outcome, StatusDeviation};

/// What is known from outside about a replica: the driver and the process table say it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplicaFacts {
    /// Its URL.
    pub url: String,
    /// Whether the run started it.
    pub started_by_run: bool,
    /// How it died during the run; absent while it lived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub died: Option<ReplicaDeath>,
    /// What it protects request states with; absent when the run did not start it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sealing: Option<Sealing>,
    /// The rate limit that it was started with; absent without one, and when the run did not start
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<ReplicaLimit>,
    /// Where it records used states: `none`, `memory` or `redis`; absent when the run did not start it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// How often the run started it anew.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub restarts: u64,
    /// Processor time that it used from the start of the load to the end of the run, in seconds; absent
    /// when not readable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_s: Option<f64>,
    /// Its resident memory at the end of the run, in bytes; absent when not readable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rss_bytes: Option<u64>,
    /// Resident memory by answered request, in bytes: the slope of a straight line through what was
    /// seen in the second half of the load; absent when too little was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rss_slope_bytes_per_request: Option<f64>,
    /// Standard error of that slope, in bytes per request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rss_slope_standard_error: Option<f64>,
}

impl ReplicaFacts {
    /// Bytes per request, and their standard error, when memory rises by more than 1 KiB a request
    /// and that is more than three standard errors.
    pub fn growth(&self) -> Option<(f64, f64)> {
        let slope = self.rss_slope_bytes_per_request?;
        let error = self.rss_slope_standard_error?;
        (slope > 1024.0 && slope > 3.0 * error).then_some((slope, error))
    }
}

/// How a replica that a run had started ended before its time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplicaDeath {
    /// Exit status in words, as in `exit status: 101` or `signal: 9 (SIGKILL)`.
    pub status: String,
    /// The last lines that it wrote to stderr.
    pub stderr_tail: String,
}

/// One replica.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplicaResult {
    /// Position in the list; the matrix uses it.
    pub index: usize,
    /// What is known from outside.
    #[serde(flatten)]
    pub facts: ReplicaFacts,
    /// Rounds whose last attempt was sent to it, or failed before it could be, by outcome.
    pub rounds: BTreeMap<Outcome, u64>,
    /// Service time of its successful rounds; absent when there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<LatencyFigures>,
    /// Times to connect to it; absent when no connection was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect: Option<LatencyFigures>,
    /// Rounds that went over a connection that had carried another request.
    pub reused_rounds: u64,
    /// Attempts that it answered with a JSON-RPC error under another HTTP status than the protocol
    /// gives to the code. Their outcome follows from the code, and their times are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub status_deviations: Vec<DeviationCount>,
    /// Rounds that it answered with a state and no question, to be asked again: shed load, or work
    /// that is not done yet. Absent when there were none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub state_only_rounds: u64,
    /// Requests that it refused as too large; absent when there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub too_large: Option<TooLarge>,
}

/// Requests that were refused as too large (HTTP 413), whatever the reply's body said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TooLarge {
    /// How many.
    pub count: u64,
    /// The smallest of their bodies, in bytes.
    pub smallest_bytes: u64,
}

impl TooLarge {
    pub(crate) fn together(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let (Some(a), Some(b)) = (one, other) else {
            return one.or(other);
        };
        Some(Self {
            count: a.count + b.count,
            smallest_bytes: a.smallest_bytes.min(b.smallest_bytes),
        })
    }
}

/// How often an error came with another HTTP status than the protocol's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeviationCount {
    /// Which error and statuses.
    #[serde(flatten)]
    pub seen: StatusDeviation,
    /// How often.
    pub count: u64,
}

/// Rounds that were sent with a request state, by who minted it and who got it back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Matrix {
    /// Number of replicas, n.
    pub replicas: usize,
    /// All n x n cells, row (minted by) after row.
    pub cells: Vec<MatrixCell>,
}

/// One cell of the matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MatrixCell {
    /// Replica that minted the state.
    pub minted_by: usize,
    /// Replica that got it back.
    pub opened_by: usize,
    /// Rounds that ended well.
    pub ok: u64,
    /// Rounds whose state was refused.
    pub state_rejected: u64,
    /// Rounds that ended in any other way.
    pub other: u64,
    /// Service time of the rounds that ended well; absent when there were none, and in fleets of
    /// more than 16 replicas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<LatencyFigures>,
}

impl Matrix {
    /// The cell of a pair of replicas.
    pub fn cell(&self, minted_by: usize, opened_by: usize) -> Option<&MatrixCell> {
        self.cells
            .iter()
            .find(|cell| cell.minted_by == minted_by && cell.opened_by == opened_by)
    }

    /// Rounds in all cells.
    pub fn total(&self) -> u64 {
        self.cells.iter().map(MatrixCell::total).sum()
    }
}

impl MatrixCell {
    /// Rounds in this cell.
    pub fn total(&self) -> u64 {
        self.ok + self.state_rejected + self.other
    }
}
