//! What changed from one result to another, as text for a terminal and as Markdown.

mod line;
mod markdown;
mod text;

use loadgen_measure::RunComparison;

pub(crate) use line::{HEAD, Line, has_changed, heading, range, ratio, role, tally};
pub(crate) use markdown::escaped;

use crate::summary::{Style, Text};

/// Writes a comparison for a terminal, in lines of at most 100 columns but for single long names: the
/// judgement, both results, the figures that changed (`all`: every one), and what a reader should know.
/// A figure that does not exist is `n/a`.
pub fn comparison_summary(comparison: &RunComparison, all: bool, style: Style) -> String {
    let mut text = Text::new(style);
    text::write(&mut text, comparison, all);
    text.finish()
}

/// The same as Markdown, for a comment on a change.
pub fn comparison_markdown(comparison: &RunComparison, all: bool) -> String {
    markdown::of(comparison, all)
}
