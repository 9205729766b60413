use loadgen_measure::RunComparison;

use super::line::{HEAD, Line, has_changed};
use super::text::{described, name, rule, verdict};
use crate::units::printable;

pub(super) fn of(comparison: &RunComparison, all: bool) -> String {
    let mut text = format!(
        "**{}** {}\n\n",
        comparison.judgement,
        escaped(&verdict(comparison))
    );
    for (name, run) in [("A", &comparison.a), ("B", &comparison.b)] {
        text += &format!("- {name}: {}\n", escaped(&described(run)));
    }
    for obstacle in &comparison.obstacles {
        let sentence = escaped(&obstacle.sentence);
        text += &format!("- compared all the same (`--force`): {sentence}\n");
    }
    let mut rows = Vec::new();
    for (group, figure) in comparison.figures() {
        if all || has_changed(&figure.change, comparison.min_change) {
            let line = Line::new(figure.figure.name().to_owned(), figure.unit, &figure.change);
            rows.push((name(group), line));
        }
    }
    if rows.is_empty() {
        text += "\nNothing moved by what matters.\n";
    } else {
        text += &format!("\n| of | figure | {} |\n", HEAD.join(" | "));
        text += "| --- | --- | ---: | ---: | ---: | ---: | --- |\n";
        for (of, line) in rows {
            let cells = line.cells().join(" | ");
            text += &format!("| {} | {} | {cells} |\n", escaped(&of), escaped(&line.name));
        }
    }
    text += &format!("\n{}.\n\n", escaped(&rule(comparison)));
    for note in &comparison.notes {
        text += &format!("- {}\n", escaped(note));
    }
    text
}

/// A text of unknown origin as part of a line of Markdown.
pub(crate) fn escaped(text: &str) -> String {
    let mut line = String::new();
    for c in printable(text).chars() {
        if matches!(
            c,
            '|' | '`' | '<' | '>' | '*' | '_' | '\\' | '[' | ']' | '&'
        ) {
            line.push('\\');
        }
        line.push(c);
    }
    line
}
