use loadgen_measure::{ComparedRun, FigureGroup, Judgement, Part, RunComparison, Status};

use super::line::{Line, has_changed, heading, role, tally};
use crate::summary::{Role, Text};
use crate::units::{counted, percent};

pub(super) fn write(text: &mut Text, comparison: &RunComparison, all: bool) {
    head(text, comparison);
    let mut hidden = Vec::new();
    for group in &comparison.groups {
        let (shown, rest): (Vec<_>, Vec<_>) = group
            .figures
            .iter()
            .partition(|figure| all || has_changed(&figure.change, comparison.min_change));
        hidden.extend(rest.iter().map(|figure| figure.change.judgement));
        if shown.is_empty() {
            continue;
        }
        heading(text, &name(group));
        for figure in shown {
            Line::new(figure.figure.name().to_owned(), figure.unit, &figure.change).write(text);
        }
    }
    text.line("");
    if !hidden.is_empty() {
        let hidden = format!(
            "not shown, since it moved by less than {} (--all shows it): {}",
            percent(comparison.min_change),
            tally(hidden.into_iter())
        );
        text.sentence("", Role::Quiet, &hidden);
    }
    text.sentence("", Role::Quiet, &rule(comparison));
    for note in &comparison.notes {
        text.sentence("!", Role::Warning, note);
    }
}

/// The judgement, and what was compared.
fn head(text: &mut Text, comparison: &RunComparison) {
    let word = comparison.judgement.name().to_uppercase();
    let word = text.paint(role(comparison.judgement), &word);
    text.line(&format!("{word}  {}", verdict(comparison)));
    for (name, run) in [("A:", &comparison.a), ("B:", &comparison.b)] {
        text.sentence(name, Role::Quiet, &described(run));
    }
    for obstacle in &comparison.obstacles {
        let sentence = format!("compared all the same (--force): {}", obstacle.sentence);
        text.sentence("!", Role::Bad, &sentence);
    }
}

/// The judgements in numbers.
pub(super) fn verdict(comparison: &RunComparison) -> String {
    let all = comparison
        .figures()
        .map(|(_, figure)| figure.change.judgement);
    let judged: Vec<Option<Judgement>> = all.filter(Option::is_some).collect();
    if judged.is_empty() {
        return format!("{}: no figure could be judged", comparison.b.scenario);
    }
    format!(
        "{}: of {} {}",
        comparison.b.scenario,
        counted(judged.len() as u64, "judged figure"),
        tally(judged.into_iter())
    )
}

pub(super) fn described(run: &ComparedRun) -> String {
    let status = match run.status {
        Status::Good => "good",
        Status::ThresholdMissed => "threshold missed",
        Status::Invalid => "invalid",
        Status::Interrupted => "interrupted",
    };
    format!(
        "{}, {} of {}, {status}, by {} {}",
        run.file, run.scenario, run.started_at, run.tool.name, run.tool.version
    )
}

/// How the judgements come about.
pub(super) fn rule(comparison: &RunComparison) -> String {
    format!(
        "judged by intervals of {:.2} % (95 % widened for {} of them) and the smallest change that \
         matters, {} (--min-change)",
        100.0 * comparison.level,
        comparison.judged,
        percent(comparison.min_change)
    )
}

/// What a group is of.
pub(super) fn name(group: &FigureGroup) -> String {
    let part = match group.of {
        Part::Run => "the run".to_owned(),
        Part::Workflow => "workflows".to_owned(),
        Part::Round(number) => format!("round {number}"),
    };
    match &group.kind {
        Some(kind) => format!("{kind}, {part}"),
        None => part,
    }
}
