use loadgen_measure::RunResult;
use loadgen_report::{Style, summary};

use crate::console;

/// What stdout gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// A summary for people.
    Text,
    /// The whole result as JSON, and nothing else.
    Json,
    /// Nothing: the exit code tells.
    Quiet,
}

impl Format {
    /// Prints a result.
    pub(crate) fn print(self, result: &RunResult) -> anyhow::Result<()> {
        match self {
            Self::Text => console::print(&summary(result, Style::Coloured)),
            Self::Json => console::print_with(|out| result.write_json(out)),
            Self::Quiet => Ok(()),
        }
    }
}
