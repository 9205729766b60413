//! Results for people, a summary for a terminal and SVG charts, and for other programs: exports.
//!
//! Everything is a function of a [`RunResult`](loadgen_measure::RunResult), or of a
//! [`BackendsResult`](loadgen_measure::BackendsResult), alone; nothing here
//! measures, and nothing knows the network.

mod backends;
mod bench;
mod chart;
mod compare;
mod export;
mod summary;
mod table;
mod units;

pub use backends::{backends_chart, backends_summary};
pub use bench::{bench_markdown, bench_summary};
pub use chart::{Chart, ChartError, charts};
pub use compare::{comparison_markdown, comparison_summary};
pub use export::{ExportError, ExportFormat, export};
pub use summary::{Style, summary};
