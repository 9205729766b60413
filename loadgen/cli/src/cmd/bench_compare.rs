use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::anyhow;
use loadgen_measure::{BenchComparison, BenchPlace};
use loadgen_report::{Style, bench_markdown, bench_summary};

use super::judged::{JudgedArgs, share};
use crate::failure::Failure;
use crate::tool::tool;

/// What of a time matters least when nothing is said.
const TIMES: f64 = 0.1;
/// What of a count of instructions does: those repeat.
const COUNTS: f64 = 0.01;

/// Compare two results of benchmarks: times of criterion, instruction counts of gungraun.
///
/// Reads what they store (target/criterion, and target/gungraun where summaries were saved): two folders, or two
/// baselines of criterion in one. Each benchmark is judged like the figures of `loadgen compare`; where
/// the tool stored what it said itself, that stands below.
#[derive(Debug, clap::Args)]
pub(crate) struct BenchCompareArgs {
    /// The folder of the older result; of both when it is the only one.
    #[arg(value_name = "BASE")]
    base: PathBuf,

    /// The folder of the newer one.
    #[arg(value_name = "NEW")]
    new: Option<PathBuf>,

    /// Criterion's baselines, the older one first; give it twice [default with two folders: new, the last
    /// run in each].
    #[arg(long = "baseline", value_name = "NAME")]
    baselines: Vec<String>,

    /// The smallest change that matters, as a share [default: 0.1 for times, 0.01 for counts].
    #[arg(long, value_name = "SHARE", value_parser = share)]
    min_change: Option<f64>,

    #[command(flatten)]
    shown: JudgedArgs,
}

/// Compares. Exit code 0; 3 when it regressed (with `--strict` also when undecided); 2 when there is
/// nothing to compare.
pub(crate) fn run(args: &BenchCompareArgs) -> Result<ExitCode, Failure> {
    let (old, new) = args.baselines()?;
    let place = |folder, baseline| BenchPlace { folder, baseline };
    let newer: &Path = args.new.as_deref().unwrap_or(&args.base);
    let comparison = BenchComparison::read(
        tool(),
        place(&args.base, old),
        place(newer, new),
        args.new.is_some(),
        args.min_change.unwrap_or(TIMES),
        args.min_change.unwrap_or(COUNTS),
    )
    .map_err(Failure::usage)?;
    args.shown.end(
        comparison.judgement,
        |all| bench_summary(&comparison, all, Style::Coloured),
        |all| bench_markdown(&comparison, all),
        || comparison.to_json(),
    )
}

impl BenchCompareArgs {
    /// Names of criterion's baselines, of the older and of the newer result.
    fn baselines(&self) -> Result<(&str, &str), Failure> {
        match (&self.baselines[..], &self.new) {
            ([], Some(_)) => Ok(("new", "new")),
            ([], None) => Err(Failure::usage(anyhow!(
                "one folder has to have two results: name criterion's baselines, the older one first, as in \
                 --baseline before --baseline new, or give a second folder"
            ))),
            ([old, new], _) => {
                for name in [old, new] {
                    let plain = !name.is_empty() && !name.contains(['/', '\\']) && name != "..";
                    if !plain || name == "change" {
                        return Err(Failure::usage(anyhow!(
                            "--baseline {name}: no baseline can have that name"
                        )));
                    }
                }
                if self.new.is_none() && old == new {
                    return Err(Failure::usage(anyhow!(
                        "--baseline {old} twice: in one folder that is one result"
                    )));
                }
                Ok((old, new))
            }
            (given, _) => Err(Failure::usage(anyhow!(
                "--baseline is given {} times; give it twice, the older one first",
                given.len()
            ))),
        }
    }
}
