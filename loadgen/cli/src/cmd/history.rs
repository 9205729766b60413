//! `loadgen history`: results kept from commit to commit.

mod add;
mod git;
mod list;
mod trend;

use std::path::PathBuf;
use std::process::ExitCode;

use crate::failure::Failure;

/// Keep results from commit to commit, and see where they change.
#[derive(Debug, clap::Args)]
pub(crate) struct HistoryArgs {
    /// The file that they are kept in.
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        default_value = "results/history.sqlite"
    )]
    db: PathBuf,

    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Add(add::AddArgs),
    AddCount(add::AddCountArgs),
    AddBench(add::AddBenchArgs),
    List(list::ListArgs),
    Show(list::ShowArgs),
    Trend(trend::TrendArgs),
}

/// Exit code 0, or 2 for a file, result or figure that cannot be used.
pub(crate) fn run(args: &HistoryArgs) -> Result<ExitCode, Failure> {
    match &args.action {
        Action::Add(add) => add::run(&args.db, add),
        Action::AddCount(add) => add::run_count(&args.db, add),
        Action::AddBench(add) => add::run_bench(&args.db, add),
        Action::List(list) => list::run(&args.db, list),
        Action::Show(show) => list::run_show(&args.db, show),
        Action::Trend(trend) => trend::run(&args.db, trend),
    }?;
    Ok(ExitCode::SUCCESS)
}
