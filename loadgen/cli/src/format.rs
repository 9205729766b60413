use std::io::Write as _;

use loadgen_measure::RunResult;
use loadgen_report::{Style, summary};

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
    /// Prints a result. A reader that went away is no fault of ours.
    pub(crate) fn print(self, result: &RunResult) {
        let mut stdout = anstream::stdout();
        let _ = match self {
            Self::Text => stdout.write_all(summary(result, Style::Coloured).as_bytes()),
            Self::Json => stdout.write_all(result.to_json().as_bytes()),
            Self::Quiet => Ok(()),
        };
        let _ = stdout.flush();
    }
}
