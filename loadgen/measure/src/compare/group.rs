use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::change::{Draft, Estimate, FigureChange};
use super::figure::ComparedFigure;
use super::rates;
use super::side::{Figures, Side};
use crate::RunResult;

/// Figures of one thing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FigureGroup {
    /// What they are of.
    pub of: Part,
    /// Name of the kind; absent for all kinds together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Those that either result has.
    pub figures: Vec<FigureChange>,
}

/// A part of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The run as a whole.
    Run,
    /// Whole workflows.
    Workflow,
    /// The rounds of one position in the workflow, from 0.
    Round(u16),
}

/// A group that is not judged yet.
pub(super) struct DraftGroup {
    pub(super) of: Part,
    pub(super) kind: Option<String>,
    pub(super) figures: Vec<(ComparedFigure, Draft)>,
}

/// Everything that is compared: the run, all kinds together, and each kind where there are several.
pub(super) fn groups(a: &RunResult, b: &RunResult) -> Vec<DraftGroup> {
    let mut names: Vec<&str> = Vec::new();
    for kind in a.kinds.iter().chain(&b.kinds) {
        if !names.contains(&kind.name.as_str()) {
            names.push(&kind.name);
        }
    }
    let mut groups = vec![run(a, b)];
    groups.extend(work(None, &Side::all(a), &Side::all(b)));
    for name in names.iter().filter(|_| names.len() > 1) {
        let (of_a, of_b) = (Side::kind(a, name), Side::kind(b, name));
        groups.extend(work(Some(name), &of_a, &of_b));
    }
    for group in &mut groups {
        group.figures.retain(|(_, draft)| !draft.is_nothing());
    }
    groups.retain(|group| !group.figures.is_empty());
    groups
}

fn run(a: &RunResult, b: &RunResult) -> DraftGroup {
    let mut figures = vec![
        (ComparedFigure::Throughput, rates::throughput(a, b)),
        (ComparedFigure::FailedWorkflows, rates::failed(a, b)),
    ];
    figures.extend(drafts(&alone(a), &alone(b)));
    DraftGroup {
        of: Part::Run,
        kind: None,
        figures,
    }
}

/// Whole workflows and each round of one kind, or of all.
fn work(kind: Option<&str>, a: &Side<'_>, b: &Side<'_>) -> Vec<DraftGroup> {
    let group = |of, a: Figures, b: Figures| DraftGroup {
        of,
        kind: kind.map(str::to_owned),
        figures: drafts(&a, &b),
    };
    let mut groups = vec![group(Part::Workflow, a.workflow(), b.workflow())];
    let rounds = 0..a.rounds().max(b.rounds());
    groups
        .extend(rounds.map(|number| group(Part::Round(number), a.round(number), b.round(number))));
    groups
}

fn drafts(a: &Figures, b: &Figures) -> Vec<(ComparedFigure, Draft)> {
    let both = a.iter().zip(b);
    both.map(|((figure, a), (_, b))| (*figure, Draft::of(*a, *b)))
        .collect()
}

/// Figures of which a run has one number, and nothing says how far that may be off.
fn alone(result: &RunResult) -> Figures {
    let load = &result.load;
    let missing = load.not_started.values();
    let missing = missing.fold(0.0, |sum, count| sum + *count as f64);
    let not_started = (load.planned > 0).then(|| missing / load.planned as f64);
    let cpu = result.aead.as_ref().and_then(|aead| aead.cpu.as_ref());
    let estimate = |value: Option<f64>| Estimate::new(value?, None);
    vec![
        (ComparedFigure::NotStarted, estimate(not_started)),
        (
            ComparedFigure::CpuPerWorkflow,
            estimate(cpu.and_then(|cpu| cpu.per_workflow_ns)),
        ),
        (ComparedFigure::FleetMemory, estimate(fleet_memory(result))),
    ]
}

/// `None` where the memory of one of the run's own replicas is not known, or it had none.
fn fleet_memory(result: &RunResult) -> Option<f64> {
    let own = result.replicas.iter().map(|replica| &replica.facts);
    let own = own.filter(|facts| facts.started_by_run);
    let bytes: Vec<u64> = own.map(|facts| facts.rss_bytes).collect::<Option<_>>()?;
    let sum = bytes.into_iter().reduce(u64::saturating_add)?;
    Some(sum as f64)
}
