use std::process::ExitCode;

use loadgen_measure::Judgement;

use crate::console;
use crate::failure::Failure;

/// What is shown of a comparison that ends with a judgement, and what that is worth as an exit code.
#[derive(Debug, clap::Args)]
pub(crate) struct JudgedArgs {
    /// Show everything that was compared, not only what changed.
    #[arg(long)]
    all: bool,

    /// Exit with 3 also when the judgement is undecided.
    #[arg(long)]
    strict: bool,

    /// What stdout gets.
    #[arg(long, value_enum, default_value = "text")]
    format: JudgedFormat,
}

/// What stdout gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum JudgedFormat {
    /// A table for people.
    Text,
    /// The same as Markdown, for a comment on a change.
    Markdown,
    /// The whole comparison as JSON, and nothing else.
    Json,
    /// Nothing: the exit code tells.
    Quiet,
}

impl JudgedArgs {
    /// Whether stdout is for people.
    pub(crate) fn is_text(&self) -> bool {
        self.format == JudgedFormat::Text
    }

    /// Whether only the exit code is wanted.
    pub(crate) fn is_quiet(&self) -> bool {
        self.format == JudgedFormat::Quiet
    }

    /// Prints in the form that was asked for; text and Markdown are told whether to show everything.
    /// Exit code 0; 3 when it regressed (with `--strict` also when undecided).
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub(crate) fn end(
        &self,
        judgement: Judgement,
        text: impl FnOnce(bool) -> String,
        markdown: impl FnOnce(bool) -> String,
        json: impl FnOnce() -> String,
    ) -> Result<ExitCode, Failure> {
        match self.format {
            JudgedFormat::Text => console::print(&text(self.all)),
            JudgedFormat::Markdown => console::print(&markdown(self.all)),
            JudgedFormat::Json => console::print(&json()),
            JudgedFormat::Quiet => Ok(()),
        }?;
        Ok(ExitCode::from(if judgement.stops(self.strict) {
            3
        } else {
            0
        }))
    }
}

/// A share of more than 0, at most 10.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let share = text
        .parse()
        .ok()
        .filter(|share| *share > 0.0 && *share <= 10.0);
    share.ok_or_else(|| "it must be a share above 0 and at most 10, as in 0.05 for 5 %".to_owned())
}
