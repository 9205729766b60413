//! A comparison of backends as text for a terminal, and as a chart.

mod chart;
mod table;

use loadgen_measure::BackendsResult;

pub use chart::backends_chart;

use crate::summary::{Style, Text};

/// Writes a comparison for a terminal: medians of each contender, differences from the base, what can
/// be ranked, and what can be said. A figure that does not exist is `n/a`.
pub fn backends_summary(result: &BackendsResult, style: Style) -> String {
    let mut text = Text::new(style);
    table::write(&mut text, result);
    text.finish()
}
