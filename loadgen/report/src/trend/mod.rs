//! A series over commits as text for a terminal, and as a chart.

mod chart;
mod table;

use loadgen_measure::{Trend, TrendPoint};

pub use chart::trend_chart;

use crate::summary::{Style, Text};

/// Writes a series for a terminal: its newest values, and where it changes.
pub fn trend_summary(trend: &Trend, style: Style) -> String {
    let mut text = Text::new(style);
    table::write(&mut text, trend);
    text.finish()
}

/// A commit as people write it: 10 digits, and whether files were changed.
fn commit(point: &TrendPoint) -> String {
    let Some(commit) = &point.commit else {
        return "unknown".to_owned();
    };
    let (hash, rest) = commit
        .split_once('-')
        .map_or((&**commit, ""), |(hash, _)| (hash, "+"));
    hash.chars().take(10).collect::<String>() + rest
}

/// A change for people, as in `+12.3 %`; what has no share is `from 0`.
fn percent(change: Option<f64>) -> String {
    change.map_or_else(
        || "from 0".to_owned(),
        |change| format!("{:+.1} %", 100.0 * change),
    )
}
