//! Results kept from commit to commit, in one SQLite file.
//!
//! A [`History`] takes whole runs and single counts, each once, and gives series of one figure over
//! commits, of one machine and one scenario. Nothing here judges: that is
//! [`Trend`](loadgen_measure::Trend)'s.

mod commit;
mod count;
mod entry;
mod error;
mod file;
mod schema;
mod series;
mod slim;

pub use commit::Commit;
pub use entry::{Added, Entry};
pub use error::HistoryError;
pub use file::History;
pub use series::{Group, Series};
