//! Results for people: a summary for a terminal, SVG charts, a page, and a comment for a pull request; and
//! for other programs: exports.
//!
//! Everything is a function of a [`RunResult`](loadgen_measure::RunResult), or of a
//! [`BackendsResult`](loadgen_measure::BackendsResult), or the like, alone; nothing here
//! measures, and nothing knows the network.

mod backends;
mod bench;
mod chart;
mod comment;
mod compare;
mod export;
mod named;
mod page;
mod pairs;
mod sections;
mod side_by_side;
mod summary;
mod table;
mod trend;
mod units;

pub use backends::{backends_chart, backends_summary};
pub use bench::{bench_markdown, bench_summary};
pub use chart::{Chart, ChartError, Drawings, charts};
pub use comment::comment;
pub use compare::{comparison_markdown, comparison_summary};
pub use export::{ExportError, ExportFormat, export};
pub use named::Named;
pub use page::page;
pub use pairs::{pairs_chart, pairs_markdown, pairs_summary};
pub use side_by_side::side_by_side;
pub use summary::{Style, summary};
pub use trend::{trend_chart, trend_summary};
