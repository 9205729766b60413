//! Two stored results of one scenario: what changed from A to B.

mod change;
mod figure;
mod group;
mod note;
mod obstacle;
mod rates;
mod side;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::json;
use crate::stats::level;
use crate::{Judgement, RunResult, ScenarioRecord, Status, Tool};

pub use change::{Change, FigureChange};
pub(crate) use change::{DEGREES, Draft, Estimate};
pub use figure::{ComparedFigure, Unit};
pub use group::{FigureGroup, Part};
pub use obstacle::{Obstacle, ObstacleCode};

/// Version of a comparison's JSON that this crate writes.
pub const COMPARISON_SCHEMA_VERSION: u32 = 1;

/// What changed from one stored result to another.
///
/// Response-time quantiles of all kinds together are judged by the intervals that results hold of them,
/// throughput and failures by their seconds, sizes by their histograms. All other figures are one number
/// a run, and have no judgement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunComparison {
    /// Version of this format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub schema_version: u32,
    /// The program that compared.
    pub tool: Tool,
    /// The judgement on all figures together: regressed when any is, else undecided when any is or
    /// none could be judged, else improved when any is, else equal.
    pub judgement: Judgement,
    /// The smallest change that matters, as a share.
    pub min_change: f64,
    /// Figures that have a judgement by an interval.
    pub judged: usize,
    /// Level of the intervals by which they are judged: 95 % widened for their number (Bonferroni).
    pub level: f64,
    /// The base.
    pub a: ComparedRun,
    /// What is set against it.
    pub b: ComparedRun,
    /// Why they ought not to be compared; empty unless that was asked for all the same.
    pub obstacles: Vec<Obstacle>,
    /// The figures: of the run, of all kinds together, of each kind where there are several.
    pub groups: Vec<FigureGroup>,
    /// What a reader should know, one sentence each.
    pub notes: Vec<String>,
}

/// One of the two results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedRun {
    /// Where it stands, as it was named.
    pub file: String,
    /// The program that made it.
    pub tool: Tool,
    /// Name of its scenario.
    pub scenario: String,
    /// SHA-256 of the scenario's text, in hexadecimal.
    pub scenario_sha256: String,
    /// Wall-clock start, RFC 3339 in UTC.
    pub started_at: String,
    /// Judgement on it.
    pub status: Status,
    /// Class of its machine.
    pub fingerprint: String,
}

impl RunComparison {
    /// Compares two results, with the names of their files. `min_change` is the smallest change that
    /// matters, as a share.
    pub fn new(tool: Tool, a: (&str, &RunResult), b: (&str, &RunResult), min_change: f64) -> Self {
        let groups = group::groups(a.1, b.1);
        let drafts = groups.iter().flat_map(|group| &group.figures);
        let judged = drafts.filter(|(_, draft)| draft.has_interval()).count();
        let groups: Vec<FigureGroup> = groups
            .into_iter()
            .map(|group| FigureGroup {
                of: group.of,
                kind: group.kind,
                figures: group
                    .figures
                    .into_iter()
                    .map(|(figure, draft)| FigureChange {
                        figure,
                        unit: figure.unit(),
                        better: figure.better(),
                        change: draft.judge(figure.better(), judged, DEGREES, min_change),
                    })
                    .collect(),
            })
            .collect();
        let all = groups.iter().flat_map(|group| &group.figures);
        let judgement = Judgement::of_all(all.filter_map(|figure| figure.change.judgement));
        let mut comparison = Self {
            schema_version: COMPARISON_SCHEMA_VERSION,
            tool,
            judgement: judgement.unwrap_or(Judgement::Undecided),
            min_change,
            judged,
            level: level(judged),
            obstacles: obstacle::obstacles(a.1, b.1),
            a: ComparedRun::of(a),
            b: ComparedRun::of(b),
            groups,
            notes: Vec::new(),
        };
        comparison.notes = note::notes(&comparison, a.1, b.1);
        comparison
    }

    /// Every figure with what it is of.
    pub fn figures(&self) -> impl Iterator<Item = (&FigureGroup, &FigureChange)> {
        let each = |group| std::iter::repeat(group);
        self.groups
            .iter()
            .flat_map(move |group| each(group).zip(&group.figures))
    }

    /// The comparison as JSON text that ends in a newline.
    pub fn to_json(&self) -> String {
        json::text(self)
    }
}

impl ComparedRun {
    fn of((file, result): (&str, &RunResult)) -> Self {
        let ScenarioRecord { name, sha256, .. } = &result.scenario;
        Self {
            file: file.to_owned(),
            tool: result.tool.clone(),
            scenario: name.clone(),
            scenario_sha256: sha256.clone(),
            started_at: result.clock.started_at.clone(),
            status: result.verdict.status,
            fingerprint: result.environment.fingerprint.clone(),
        }
    }
}

/// The JSON Schema (2020-12) of a comparison, as text that ends in a newline. The committed copy is
/// `schema/compare-v1.schema.json`.
pub fn comparison_schema() -> String {
    json::schema::<RunComparison>()
}
