use std::path::Path;

use loadgen_history::{Entry, History};
use loadgen_report::{Style, summary};

use crate::console;
use crate::failure::Failure;

/// Print every run that is kept, in the order of time.
#[derive(Debug, clap::Args)]
pub(super) struct ListArgs {
    /// Only runs of this scenario.
    #[arg(long, value_name = "NAME")]
    scenario: Option<String>,
}

/// Print a run that is kept, without what is only in its result folder: seconds and histograms.
#[derive(Debug, clap::Args)]
pub(super) struct ShowArgs {
    /// Its number in the list.
    #[arg(value_name = "ID")]
    id: i64,
}

pub(super) fn run(db: &Path, args: &ListArgs) -> Result<(), Failure> {
    let entries = History::open(db)
        .and_then(|history| history.entries())
        .map_err(Failure::usage)?;
    let wanted = |entry: &&Entry| match &args.scenario {
        Some(name) => entry.scenario == *name,
        None => true,
    };
    let lines = entries.iter().filter(wanted).map(line);
    let text: String = lines.collect();
    Ok(console::print(&text)?)
}

pub(super) fn run_show(db: &Path, args: &ShowArgs) -> Result<(), Failure> {
    let history = History::open(db).map_err(Failure::usage)?;
    let found = history.run(args.id).map_err(Failure::usage)?;
    let Some((entry, result)) = found else {
        return Err(Failure::usage(anyhow::anyhow!(
            "{}: there is no run {}; `loadgen history list` prints those that are there",
            db.display(),
            args.id
        )));
    };
    let text = format!("{}\n{}", line(&entry), summary(&result, Style::Coloured));
    Ok(console::print(&text)?)
}

/// A run in a line.
fn line(entry: &Entry) -> String {
    let commit = entry.commit.as_deref().unwrap_or("unknown");
    let shown = |text: &str| text.replace(char::is_control, " ");
    format!(
        "{:>5}  {:.19}  {:<12.12}  {:<16}  {:<20}  {}\n",
        entry.id,
        entry.started_at,
        commit,
        entry.status,
        shown(&entry.scenario),
        shown(&entry.machine)
    )
}
