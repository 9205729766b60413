//! Results for people: a summary for a terminal, and SVG charts.
//!
//! Everything is a function of a [`RunResult`](loadgen_measure::RunResult) alone; nothing here
//! measures, and nothing knows the network.

mod chart;
mod summary;
mod table;
mod units;

pub use chart::{Chart, ChartError, charts};
pub use summary::{Style, summary};
