use std::path::PathBuf;
use std::process::ExitCode;

use loadgen_measure::RunResult;

use crate::failure::Failure;
use crate::format::Format;
use crate::store::Store;

/// Print a stored result again and draw its charts anew.
#[derive(Debug, clap::Args)]
pub(crate) struct ReportArgs {
    /// A result folder, or the result.json in it.
    #[arg(value_name = "RESULT")]
    result: PathBuf,

    /// What stdout gets.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,

    /// Where the charts go [default: beside the result].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints and draws. Exit code 0, or 2 when there is no readable result.
pub(crate) fn run(args: &ReportArgs) -> Result<ExitCode, Failure> {
    let file = if args.result.is_dir() {
        args.result.join("result.json")
    } else {
        args.result.clone()
    };
    let result = RunResult::load(&file).map_err(Failure::usage)?;
    args.format.print(&result)?;
    let folder = match &args.out {
        Some(folder) => folder.clone(),
        None => file.parent().map(PathBuf::from).unwrap_or_default(),
    };
    let folder = if folder.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        folder
    };
    Store::open(&folder)?.charts(&result)?;
    Ok(ExitCode::SUCCESS)
}
