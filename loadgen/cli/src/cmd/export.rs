use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use loadgen_measure::{RunResult, save_atomically};
use loadgen_report::{ExportFormat, export};

use crate::console;
use crate::failure::Failure;

/// Write a stored result in a form that another program reads.
#[derive(Debug, clap::Args)]
pub(crate) struct ExportArgs {
    /// A result folder, or the result.json in it.
    #[arg(value_name = "RESULT")]
    result: PathBuf,

    /// The form.
    #[arg(value_enum, value_name = "FORMAT")]
    format: Form,

    /// The file to write, wholly or not at all [default: stdout].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// JUnit XML: a test for each threshold and check, and one for the verdict.
    Junit,
    /// Bencher Metric Format.
    Bencher,
    /// github-action-benchmark, customSmallerIsBetter: times and sizes.
    GithubActionBenchmark,
    /// github-action-benchmark, customBiggerIsBetter: rates.
    GithubActionBenchmarkBigger,
    /// The data of k6's handleSummary.
    K6Summary,
    /// CSV, a row for each figure.
    Csv,
    /// CSV, a row for each figure of each second.
    CsvSeconds,
    /// Prometheus' text format.
    Prometheus,
}

impl From<Form> for ExportFormat {
    fn from(form: Form) -> Self {
        match form {
            Form::Junit => Self::Junit,
            Form::Bencher => Self::Bencher,
            Form::GithubActionBenchmark => Self::GithubSmallerIsBetter,
            Form::GithubActionBenchmarkBigger => Self::GithubBiggerIsBetter,
            Form::K6Summary => Self::K6Summary,
            Form::Csv => Self::Csv,
            Form::CsvSeconds => Self::CsvSeconds,
            Form::Prometheus => Self::Prometheus,
        }
    }
}

/// Exports. Exit code 0 whatever the verdict, or 2 when there is no readable result.
pub(crate) fn run(args: &ExportArgs) -> Result<ExitCode, Failure> {
    let file = if args.result.is_dir() {
        args.result.join("result.json")
    } else {
        args.result.clone()
    };
    let result = RunResult::load(&file).map_err(Failure::usage)?;
    let mut text = Vec::new();
    export(&result, args.format.into(), &mut text)
        .with_context(|| file.display().to_string())
        .map_err(Failure::usage)?;
    match &args.out {
        Some(path) => save_atomically(path, &text).map_err(anyhow::Error::from)?,
        None => console::print_raw(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}
