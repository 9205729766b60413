//! Cryptography backends side by side: the same scenario under each, in turns.

mod compare;
mod figure;
mod turn_run;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::json;
use crate::result::{SaveError, ScenarioRecord, Tool, save_atomically};
use crate::{Environment, turns_for};

pub use compare::{AgainstBase, ContenderFigure, FigureComparison};
pub use figure::Figure;
pub use turn_run::TurnRun;

/// Version of the file that this crate writes.
pub const BACKENDS_SCHEMA_VERSION: u32 = 1;

/// Everything known about a comparison of backends: the content of `backends.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BackendsResult {
    /// Version of this format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub schema_version: u32,
    /// What is known beside the runs.
    #[serde(flatten)]
    pub facts: BackendsFacts,
    /// The contender that the others are set against: the first that ran; null when none did.
    pub base: Option<usize>,
    /// Every run that ended, in the order of time.
    pub runs: Vec<TurnRun>,
    /// Level of the intervals by which contenders are told apart, widened for the number of pairs.
    pub level: f64,
    /// Turns that such an interval takes at least.
    pub turns_needed: usize,
    /// The figures; those that any contender has.
    pub figures: Vec<FigureComparison>,
    /// What can be said, and what cannot, one sentence each.
    pub findings: Vec<String>,
}

/// What is known of a comparison beside its runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BackendsFacts {
    /// The program.
    pub tool: Tool,
    /// What was run.
    pub scenario: ScenarioRecord,
    /// Options of the command that are not in the scenario.
    pub options: BTreeMap<String, serde_json::Value>,
    /// The machine.
    pub environment: Environment,
    /// Wall-clock start, RFC 3339 in UTC.
    pub started_at: String,
    /// The contenders, in the order in which they were named.
    pub contenders: Vec<Contender>,
    /// Turns that were to be; absent when only time was to end them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns_asked: Option<u64>,
    /// Whether an interrupt ended it.
    pub interrupted: bool,
    /// Whether it is still going on.
    pub partial: bool,
}

/// An algorithm and the library that computes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Contender {
    /// The algorithm.
    pub algorithm: String,
    /// The library.
    pub backend: String,
    /// Why it was left out from then on; absent when it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

impl BackendsResult {
    /// Compares the runs.
    pub fn new(facts: BackendsFacts, runs: Vec<TurnRun>) -> Self {
        let ran: BTreeSet<usize> = runs
            .iter()
            .filter(|run| run.counts())
            .map(|run| run.contender)
            .collect();
        let base = ran.first().copied();
        let level = compare::level(ran.len());
        let figures = base.map_or_else(Vec::new, |base| {
            let all = Figure::ALL.into_iter();
            all.filter_map(|figure| FigureComparison::of(figure, &runs, base, level))
                .collect()
        });
        let mut result = Self {
            schema_version: BACKENDS_SCHEMA_VERSION,
            facts,
            base,
            runs,
            level,
            turns_needed: turns_for(level).unwrap_or(usize::MAX),
            figures,
            findings: Vec::new(),
        };
        result.findings = words::findings(&result);
        result
    }

    /// What tells a contender from the others: its backend, its algorithm or both.
    pub fn name(&self, contender: usize) -> String {
        let all = &self.facts.contenders;
        let Some(one) = all.get(contender) else {
            return contender.to_string();
        };
        let one_algorithm = all.iter().all(|other| other.algorithm == one.algorithm);
        let one_backend = all.iter().all(|other| other.backend == one.backend);
        match (one_algorithm, one_backend) {
            (true, _) => one.backend.clone(),
            (false, true) => one.algorithm.clone(),
            (false, false) => format!("{} {}", one.backend, one.algorithm),
        }
    }

    /// One figure of every contender.
    pub fn figure(&self, figure: Figure) -> Option<&FigureComparison> {
        self.figures.iter().find(|one| one.figure == figure)
    }

    /// Runs of a contender that count.
    pub fn counted(&self, contender: usize) -> usize {
        let own = self.runs.iter().filter(|run| run.contender == contender);
        own.filter(|run| run.counts()).count()
    }

    /// The comparison as JSON text that ends in a newline.
    pub fn to_json(&self) -> String {
        json::text(self)
    }

    /// Writes it as a JSON file, wholly or not at all.
    ///
    /// # Errors
    /// When the folder is missing, not writable or full.
    pub fn save(&self, path: &Path) -> Result<(), SaveError> {
        save_atomically(path, self.to_json().as_bytes())
    }
}

/// The JSON Schema (2020-12) of `backends.json`, as text that ends in a newline. The committed copy
/// is `schema/backends-v1.schema.json`.
pub fn backends_schema() -> String {
    json::schema::<BackendsResult>()
}
