//! Two sides that were run in pairs, as text for a terminal, as Markdown and as a chart.

mod chart;

use loadgen_measure::{Look, PairedChange, PairedFigure, PairsEnd, PairsResult, SideFacts};

pub use chart::pairs_chart;

use crate::compare::{HEAD, Line, escaped, heading, range, ratio, role, tally};
use crate::summary::{Role, Style, Text};
use crate::units::{counted, or_nothing, percent, three_digits};

/// Writes a comparison in pairs for a terminal: the judgement, both sides, every figure, and what can be
/// said of it. With `all` also each figure's control, one side against itself.
pub fn pairs_summary(result: &PairsResult, all: bool, style: Style) -> String {
    let mut text = Text::new(style);
    let word = result.judgement.name().to_uppercase();
    let word = text.paint(role(result.judgement), &word);
    text.line(&format!("{word}  {}", verdict(result)));
    for (name, side) in [("A:", &result.facts.a), ("B:", &result.facts.b)] {
        text.sentence(name, Role::Quiet, &described(side));
    }
    if !result.figures.is_empty() {
        heading(&mut text, "figure");
        for figure in &result.figures {
            line(figure).write(&mut text);
            if all {
                control(figure).write(&mut text);
            }
        }
    }
    text.line("");
    text.sentence("", Role::Quiet, &rule(result));
    for finding in &result.findings {
        text.sentence("-", Role::Quiet, finding);
    }
    text.finish()
}

/// The same as Markdown, for a comment on a change.
pub fn pairs_markdown(result: &PairsResult, all: bool) -> String {
    let mut text = format!("**{}** {}\n\n", result.judgement, escaped(&verdict(result)));
    for (name, side) in [("A", &result.facts.a), ("B", &result.facts.b)] {
        text += &format!("- {name}: {}\n", escaped(&described(side)));
    }
    if !result.figures.is_empty() {
        text += &format!("\n| figure | {} |\n", HEAD.join(" | "));
        text += "| --- | ---: | ---: | ---: | ---: | --- |\n";
        for figure in &result.figures {
            let control = all.then(|| control(figure));
            for line in [line(figure)].into_iter().chain(control) {
                let cells = line.cells().join(" | ");
                text += &format!("| {} | {cells} |\n", escaped(&line.name));
            }
        }
    }
    text += &format!("\n{}.\n\n", escaped(&rule(result)));
    for finding in &result.findings {
        text += &format!("- {}\n", escaped(finding));
    }
    text
}

fn verdict(result: &PairsResult) -> String {
    let all = result.figures.iter().map(|figure| Some(figure.judgement));
    let ended = match result.facts.ended {
        Some(PairsEnd::Decided) => "decided",
        Some(PairsEnd::Complete) => "all pairs are there",
        Some(PairsEnd::MaxTime) => "the time was over",
        Some(PairsEnd::Interrupted) => "interrupted",
        Some(PairsEnd::Failed) => "too many runs do not count",
        None => "not at its end",
    };
    format!(
        "{}: {} after {} in {:.0} s ({ended})",
        result.facts.scenario.name,
        tally(all),
        counted(result.pairs as u64, "pair"),
        result.facts.elapsed_s
    )
}

fn described(side: &SideFacts) -> String {
    let mut described = side.kind.in_words().to_owned();
    if !side.what.is_empty() {
        described += &format!(": {}", side.what);
    }
    if side.scenario_sha256.is_some() {
        described += ", with a scenario of its own";
    }
    described
}

fn line(figure: &PairedFigure) -> Line {
    let value = |value: Option<f64>| or_nothing(value, three_digits);
    Line {
        name: figure.name.clone(),
        a: value(figure.a_median),
        b: value(figure.b_median),
        judgement: Some(figure.judgement),
        ..changed(figure.change.as_ref())
    }
}

/// One side against itself.
fn control(figure: &PairedFigure) -> Line {
    Line {
        name: "  against itself".to_owned(),
        judgement: Some(figure.control.judgement),
        ..changed(figure.control.change.as_ref())
    }
}

fn changed(change: Option<&PairedChange>) -> Line {
    Line {
        name: String::new(),
        a: String::new(),
        b: String::new(),
        change: or_nothing(change.map(|change| change.ratio), ratio),
        interval: or_nothing(change.and_then(|change| change.interval_95_fixed_n), range),
        judgement: None,
    }
}

/// How the judgements come about.
fn rule(result: &PairsResult) -> String {
    let rule = &result.facts.rule;
    let (alpha, least) = (percent(rule.alpha), percent(rule.min_change));
    match rule.look {
        Look::AfterEachPair => format!(
            "judged after each pair by bets on the signs of the log ratios, false alarms of all figures \
             together at most {alpha}; the smallest change that matters is {least} (--min-change); the \
             intervals are as if the number of pairs had been fixed and judge nothing"
        ),
        Look::Once => format!(
            "judged once by the signed-rank test with Holm's correction, false alarms of all figures \
             together at most {alpha}; the smallest change that matters is {least} (--min-change)"
        ),
    }
}
