use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figure::Figure;
use crate::{RunResult, Status};

/// One run of one contender.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnRun {
    /// The turn, from 0; every contender has one run in it.
    pub turn: u64,
    /// Position in the list of contenders.
    pub contender: usize,
    /// Seed of the run, the same for all of a turn.
    pub seed: u64,
    /// Judgement on the run.
    pub status: Status,
    /// Why, one sentence each; empty when good.
    pub reasons: Vec<String>,
    /// Where its result stands, from the folder of this file.
    pub result: String,
    /// Its figures, in nanoseconds; those that it has.
    pub figures: BTreeMap<Figure, f64>,
}

impl TurnRun {
    /// From the result of the run.
    pub fn of(turn: u64, contender: usize, result: &RunResult, file: String) -> Self {
        let figures = Figure::ALL.into_iter();
        Self {
            turn,
            contender,
            seed: result.seed,
            status: result.verdict.status,
            reasons: result.verdict.reasons.clone(),
            result: file,
            figures: figures
                .filter_map(|figure| Some((figure, figure.of(result)?)))
                .collect(),
        }
    }

    /// Whether it counts: neither cut short nor bound by the load generator.
    pub fn counts(&self) -> bool {
        matches!(self.status, Status::Good | Status::ThresholdMissed)
    }

    /// A figure of a run that counts.
    pub(super) fn figure(&self, figure: Figure) -> Option<f64> {
        let value = self.figures.get(&figure).copied();
        value.filter(|_| self.counts())
    }
}
