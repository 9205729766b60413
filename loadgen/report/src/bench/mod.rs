//! What changed from one result of benchmarks to another, as text and as Markdown.

use loadgen_measure::{BenchChange, BenchComparison, Judgement, ToolVerdict, Unit};

use crate::compare::{HEAD, Line, escaped, has_changed, heading, role, tally};
use crate::summary::{Role, Style, Text};
use crate::units::{counted, percent};

/// Writes a comparison of benchmarks for a terminal: the judgement, the benchmarks that changed (`all`:
/// every one) with what the tool itself says, and what a reader should know.
pub fn bench_summary(comparison: &BenchComparison, all: bool, style: Style) -> String {
    let mut text = Text::new(style);
    let word = comparison.judgement.name().to_uppercase();
    let word = text.paint(role(comparison.judgement), &word);
    text.line(&format!("{word}  {}", verdict(comparison)));
    let mut hidden = Vec::new();
    for (unit, title) in [
        (Unit::Ns, "time an iteration"),
        (Unit::Instructions, "instructions"),
    ] {
        let benches = comparison.benches.iter().filter(|bench| bench.unit == unit);
        let (shown, rest): (Vec<_>, Vec<_>) =
            benches.partition(|bench| all || is_shown(comparison, bench));
        hidden.extend(rest.iter().map(|bench| bench.change.judgement));
        if shown.is_empty() {
            continue;
        }
        heading(&mut text, title);
        for bench in shown {
            Line::new(bench.name.clone(), unit, &bench.change).write(&mut text);
            if let Some(own) = &bench.tool_verdict {
                text.sentence(&format!("  {}:", own.tool), Role::Quiet, &said(own));
            }
        }
    }
    text.line("");
    if !hidden.is_empty() {
        let hidden = format!(
            "not shown, since it moved by less than what matters (--all shows it): {}",
            tally(hidden.into_iter())
        );
        text.sentence("", Role::Quiet, &hidden);
    }
    text.sentence("", Role::Quiet, &rule(comparison));
    for note in &comparison.notes {
        text.sentence("!", Role::Warning, note);
    }
    text.finish()
}

/// The same as Markdown, for a comment on a change.
pub fn bench_markdown(comparison: &BenchComparison, all: bool) -> String {
    let mut text = format!("**{}** {}\n", comparison.judgement, verdict(comparison));
    let shown = comparison.benches.iter();
    let shown: Vec<&BenchChange> = shown
        .filter(|bench| all || is_shown(comparison, bench))
        .collect();
    if shown.is_empty() {
        text += "\nNothing moved by what matters.\n";
    } else {
        text += &format!("\n| benchmark | {} | the tool itself |\n", HEAD.join(" | "));
        text += "| --- | ---: | ---: | ---: | ---: | --- | --- |\n";
        for bench in shown {
            let line = Line::new(bench.name.clone(), bench.unit, &bench.change);
            let own = bench.tool_verdict.as_ref();
            let own = own.map_or_else(String::new, |own| format!("{}: {}", own.tool, said(own)));
            text += &format!(
                "| {} | {} | {} |\n",
                escaped(&line.name),
                line.cells().join(" | "),
                escaped(&own)
            );
        }
    }
    text += &format!("\n{}.\n\n", rule(comparison));
    for note in &comparison.notes {
        text += &format!("- {}\n", escaped(note));
    }
    text
}

fn is_shown(comparison: &BenchComparison, bench: &BenchChange) -> bool {
    let least = match bench.unit {
        Unit::Instructions => comparison.min_change_counts,
        _ => comparison.min_change_times,
    };
    has_changed(&bench.change, least)
}

fn verdict(comparison: &BenchComparison) -> String {
    let all = comparison
        .benches
        .iter()
        .map(|bench| bench.change.judgement);
    format!(
        "of {} {}",
        counted(comparison.benches.len() as u64, "benchmark"),
        tally(all)
    )
}

/// The tool's own word and what it goes by.
fn said(own: &ToolVerdict) -> String {
    let word = own.judgement.map_or("no change", Judgement::name);
    format!("{word}, {}", own.sentence)
}

fn rule(comparison: &BenchComparison) -> String {
    let mut rules = Vec::new();
    let has = |unit| comparison.benches.iter().any(|bench| bench.unit == unit);
    if has(Unit::Ns) {
        rules.push(format!(
            "times are judged by intervals of {:.2} % (95 % widened for {} of them) and the smallest \
             change that matters, {}",
            100.0 * comparison.level,
            comparison.judged_times,
            percent(comparison.min_change_times)
        ));
    }
    if has(Unit::Instructions) {
        rules.push(format!(
            "counts of instructions are judged by themselves and {}",
            percent(comparison.min_change_counts)
        ));
    }
    format!("{} (--min-change)", rules.join("; "))
}
