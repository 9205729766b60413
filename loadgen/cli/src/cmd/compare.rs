use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::anyhow;
use loadgen_measure::{RunComparison, RunResult};
use loadgen_report::{Style, comparison_markdown, comparison_summary};

use super::judged::{JudgedArgs, share};
use crate::failure::Failure;
use crate::tool::tool;

/// Compare two stored results: what changed from A to B, and what of it is sure.
///
/// Each figure that the results hold an interval of is judged: regressed, improved, equal or undecided.
/// Results of different scenarios, seeds, options or machines are refused, and so are such that were cut
/// short or are invalid. One run each cannot tell a change from a machine that has drifted in between.
#[derive(Debug, clap::Args)]
pub(crate) struct CompareArgs {
    /// The older result: a result folder, or the result.json in it.
    #[arg(value_name = "A")]
    a: PathBuf,

    /// The newer one.
    #[arg(value_name = "B")]
    b: PathBuf,

    /// The smallest change that matters, as a share: 0.1 is 10 %.
    #[arg(long, value_name = "SHARE", default_value = "0.1", value_parser = share)]
    min_change: f64,

    /// Compare also what ought not to be compared.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    shown: JudgedArgs,
}

/// Compares. Exit code 0; 3 when it regressed (with `--strict` also when undecided); 2 when the two
/// cannot be read or ought not to be compared.
pub(crate) fn run(args: &CompareArgs) -> Result<ExitCode, Failure> {
    let a = load(&args.a)?;
    let b = load(&args.b)?;
    let (file_a, file_b) = (args.a.display().to_string(), args.b.display().to_string());
    let comparison = RunComparison::new(tool(), (&file_a, &a), (&file_b, &b), args.min_change);
    if !comparison.obstacles.is_empty() && !args.force {
        let why = comparison.obstacles.iter().map(|one| one.sentence.as_str());
        let why: Vec<&str> = why.collect();
        return Err(Failure::usage(anyhow!(
            "{file_a} (A) and {file_b} (B) ought not to be compared: {}; --force compares them all the same",
            why.join("; ")
        )));
    }
    args.shown.end(
        comparison.judgement,
        |all| comparison_summary(&comparison, all, Style::Coloured),
        |all| comparison_markdown(&comparison, all),
        || comparison.to_json(),
    )
}

/// Reads a result, of which only what a comparison takes is kept.
fn load(path: &Path) -> Result<RunResult, Failure> {
    let file = if path.is_dir() {
        path.join("result.json")
    } else {
        path.to_owned()
    };
    let mut result = RunResult::load(&file).map_err(Failure::usage)?;
    // Most of a long run's result, of which two would have to be held at once.
    for second in &mut result.seconds {
        second.rounds = Vec::new();
    }
    Ok(result)
}
