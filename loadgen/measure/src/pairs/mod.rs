//! Two sides in interleaved pairs of runs, judged by a rule that may look after every pair.

mod figure;
mod rule;
mod side;
mod turns;
mod words;

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::figure::Ratios;
use self::turns::Pair;
use crate::json;
use crate::result::{SaveError, ScenarioRecord, Tool, save_atomically};
use crate::{Environment, Judgement, Metric};

pub use figure::{PairedChange, PairedControl, PairedFigure};
pub use rule::{Evidence, Look, Rule};
pub use side::{Side, SideFacts, SideKind, SideRun};
pub use turns::{TURN, order as pair_order};

/// Version of the file that this crate writes.
pub const PAIRS_SCHEMA_VERSION: u32 = 1;

/// Pairs that have to be left out before their share ends a comparison.
const LEFT_OUT_AT_LEAST: usize = 4;

/// Everything known about a comparison in pairs: the content of `pairs.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairsResult {
    /// Version of this format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub schema_version: u32,
    /// What is known beside the runs.
    #[serde(flatten)]
    pub facts: PairsFacts,
    /// The judgement on all figures together: regressed when any is, else undecided when any is.
    pub judgement: Judgement,
    /// Pairs of runs that both count.
    pub pairs: usize,
    /// Pairs in which a run does not count.
    pub left_out: usize,
    /// The figures: each is judged at `rule.alpha` over their number.
    pub figures: Vec<PairedFigure>,
    /// Figures that were asked for, or are looked at without being asked for, and that the first pair
    /// did not have on both sides: they are not judged.
    pub not_there: Vec<String>,
    /// Every run, in the order of time.
    pub runs: Vec<SideRun>,
    /// What can be said, and what cannot, one sentence each.
    pub findings: Vec<String>,
}

/// What is known of a comparison beside its runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairsFacts {
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
    /// The base.
    pub a: SideFacts,
    /// What is judged against it.
    pub b: SideFacts,
    /// How pairs are judged.
    pub rule: Rule,
    /// Pairs that were to be; absent when they are added until all is decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs_asked: Option<u64>,
    /// When no more pairs begin, in seconds; absent when their number was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_time_s: Option<f64>,
    /// How it ended; absent while it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<PairsEnd>,
    /// How long it took, in seconds.
    pub elapsed_s: f64,
}

/// How a comparison in pairs ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PairsEnd {
    /// Every figure was decided.
    Decided,
    /// All pairs that were asked for are there.
    Complete,
    /// The time was over.
    MaxTime,
    /// An interrupt.
    Interrupted,
    /// Too many pairs had to be left out, or a side cannot be run at all.
    Failed,
}

impl PairsResult {
    /// Judges the pairs of these runs by the figures that the first pair has.
    pub fn new(facts: PairsFacts, metrics: &[Metric], runs: Vec<SideRun>) -> Self {
        let (pairs, left_out) = counted(&runs);
        let control: Vec<_> = turns::control(&runs).collect();
        let (there, not_there) = parted(metrics, &pairs);
        let (ratios, rulings) = Self::rulings(&facts, &there, &pairs, &control);
        let rule = (&facts.rule, there.len());
        let judged = there.iter().zip(ratios).zip(rulings);
        let figures: Vec<PairedFigure> = judged
            .map(|((metric, ratios), rulings)| {
                PairedFigure::of(metric, ratios, rulings, rule, &pairs)
            })
            .collect();
        let judgement = Judgement::of_all(figures.iter().map(|figure| figure.judgement));
        let mut result = Self {
            schema_version: PAIRS_SCHEMA_VERSION,
            judgement: judgement.unwrap_or(Judgement::Undecided),
            pairs: pairs.len(),
            left_out,
            figures,
            not_there: not_there.iter().map(ToString::to_string).collect(),
            facts,
            runs,
            findings: Vec::new(),
        };
        result.findings = words::findings(&result);
        result
    }

    /// Whether more pairs would change nothing: a figure has regressed, which stays, or every one is
    /// decided.
    pub fn settled(facts: &PairsFacts, metrics: &[Metric], runs: &[SideRun]) -> bool {
        let (pairs, _) = counted(runs);
        let (there, _) = parted(metrics, &pairs);
        let control: Vec<_> = turns::control(runs).collect();
        let (_, rulings) = Self::rulings(facts, &there, &pairs, &control);
        let regressed = |(ruling, control): &(rule::Ruling, rule::Ruling)| {
            ruling.judgement == Judgement::Regressed && !control.is_alarm()
        };
        let open = |(ruling, _): &(rule::Ruling, rule::Ruling)| ruling.decided_after.is_none();
        rulings.iter().any(regressed) || !there.is_empty() && !rulings.iter().any(open)
    }

    /// Whether so many pairs had to be left out that the comparison is to end: at least 4, and more than
    /// a quarter of all.
    pub fn too_many_left_out(runs: &[SideRun]) -> bool {
        let (pairs, left_out) = counted(runs);
        left_out >= LEFT_OUT_AT_LEAST && 3 * left_out > pairs.len()
    }

    /// Pairs of these runs that count.
    pub fn counted(runs: &[SideRun]) -> usize {
        counted(runs).0.len()
    }

    /// A figure.
    pub fn figure(&self, name: &str) -> Option<&PairedFigure> {
        self.figures.iter().find(|figure| figure.name == name)
    }

    /// How many runs of a side count and missed thresholds of the scenario.
    fn missed(&self, side: Side) -> usize {
        let of = self.runs.iter().filter(|run| run.side == side);
        of.filter(|run| run.missed()).count()
    }

    /// Ratios and rulings of each figure; the second ruling is on the control.
    fn rulings(
        facts: &PairsFacts,
        metrics: &[&Metric],
        pairs: &[Pair<'_>],
        control: &[turns::ControlPair<'_>],
    ) -> (Vec<Ratios>, Vec<(rule::Ruling, rule::Ruling)>) {
        let each = metrics.iter();
        let ratios: Vec<Ratios> = each
            .map(|metric| Ratios::of(&metric.to_string(), pairs, control))
            .collect();
        let turned = ratios.iter().zip(metrics);
        let (series, controls): (Vec<_>, Vec<_>) = turned
            .map(|(ratios, metric)| ratios.turned(metric.better()))
            .unzip();
        let asked = facts.pairs_asked.unwrap_or(0);
        let complete = pairs.len() as u64 >= asked;
        let judge = |series: &[Vec<f64>]| facts.rule.rulings(series, metrics.len(), complete);
        let rulings = judge(&series).into_iter().zip(judge(&controls)).collect();
        (ratios, rulings)
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

/// The pairs that count, and how many do not.
fn counted(runs: &[SideRun]) -> (Vec<Pair<'_>>, usize) {
    let (good, bad): (Vec<_>, Vec<_>) = turns::pairs(runs).partition(|(_, counts)| *counts);
    (good.into_iter().map(|(pair, _)| pair).collect(), bad.len())
}

/// The figures that the first pair has on both sides, and the others. The number that `alpha` is divided
/// by must not depend on what comes later.
fn parted<'m>(metrics: &'m [Metric], pairs: &[Pair<'_>]) -> (Vec<&'m Metric>, Vec<&'m Metric>) {
    let there = |metric: &&Metric| {
        let name = metric.to_string();
        pairs
            .first()
            .is_some_and(|pair| pair.a.figure(&name).is_some() && pair.b.figure(&name).is_some())
    };
    metrics.iter().partition(there)
}

/// The JSON Schema (2020-12) of `pairs.json`, as text that ends in a newline. The committed copy is
/// `schema/pairs-v1.schema.json`.
pub fn pairs_schema() -> String {
    json::schema::<PairsResult>()
}
