use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Metric, Outcome, RunResult, Status};

/// One of the two that are compared.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// What is known: the base.
    A,
    /// What is judged.
    B,
}

impl Side {
    /// The other one.
    pub const fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }

    /// Its name in print.
    pub const fn name(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
        }
    }
}

/// What a side is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SideFacts {
    /// What is started, or not.
    pub kind: SideKind,
    /// Which: a command, addresses, or algorithm and backend; empty for the fleet as the scenario has
    /// it.
    pub what: String,
    /// Hash of its scenario, where that is another than the comparison's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario_sha256: Option<String>,
}

/// What is started for each run of a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SideKind {
    /// The scenario's own fleet.
    Fleet,
    /// A loadgen program, which drives the load and starts the fleet.
    Program,
    /// A server.
    Server,
    /// Nothing: servers that somebody else runs.
    Targets,
}

impl SideKind {
    /// In words, for messages.
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Fleet => "the scenario's fleet",
            Self::Program => "a loadgen program",
            Self::Server => "a server to start",
            Self::Targets => "servers that run already",
        }
    }
}

/// One run of one side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SideRun {
    /// The turn of four runs, from 0.
    pub turn: u64,
    /// Place in the turn, 0 to 3.
    #[schemars(range(min = 0, max = 3))]
    pub place: u8,
    /// The side.
    pub side: Side,
    /// Seed of the run, the same for all of a turn.
    pub seed: u64,
    /// Judgement on the run; absent when it did not come to an end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Workflows that ended well.
    pub succeeded: u64,
    /// Why it is not good, one sentence each.
    pub reasons: Vec<String>,
    /// Where its result stands, from the folder of this file; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The figures that it has, by name and in the unit of the name.
    pub figures: BTreeMap<String, f64>,
}

impl SideRun {
    /// From the result of a run.
    pub fn of(
        (turn, place, side): (u64, u8, Side),
        result: &RunResult,
        metrics: &[Metric],
        file: String,
    ) -> Self {
        let ok = result.load.outcomes.get(&Outcome::Ok);
        let figure = |metric: &Metric| Some((metric.to_string(), metric.value(result)?));
        Self {
            turn,
            place,
            side,
            seed: result.seed,
            status: Some(result.verdict.status),
            succeeded: ok.copied().unwrap_or(0),
            reasons: result.verdict.reasons.clone(),
            result: Some(file),
            figures: metrics.iter().filter_map(figure).collect(),
        }
    }

    /// One that did not come to an end.
    pub fn failed((turn, place, side): (u64, u8, Side), seed: u64, why: String) -> Self {
        Self {
            turn,
            place,
            side,
            seed,
            status: None,
            succeeded: 0,
            reasons: vec![why],
            result: None,
            figures: BTreeMap::new(),
        }
    }

    /// Whether it counts: it came to its end, was not bound by the load generator, and something ended
    /// well in it.
    pub fn counts(&self) -> bool {
        let whole = matches!(self.status, Some(Status::Good | Status::ThresholdMissed));
        whole && self.succeeded > 0
    }

    /// Whether it counts and missed a threshold.
    pub(super) fn missed(&self) -> bool {
        self.counts() && self.status == Some(Status::ThresholdMissed)
    }

    /// A figure, if it has a logarithm.
    pub(super) fn figure(&self, name: &str) -> Option<f64> {
        let value = self.figures.get(name).copied();
        value.filter(|value| value.is_finite() && *value > 0.0)
    }
}
