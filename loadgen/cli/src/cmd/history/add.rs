use std::path::{Path, PathBuf};

use anyhow::Context as _;
use loadgen_history::{Added, Commit, History};
use loadgen_measure::{Environment, RunResult, instruction_counts};

use super::git;
use crate::console;
use crate::failure::Failure;

/// Keep a result. One that is kept already changes nothing.
#[derive(Debug, clap::Args)]
pub(super) struct AddArgs {
    /// A result folder, or the result.json in it.
    #[arg(value_name = "RESULT")]
    result: PathBuf,

    /// The commit that was measured [default: the one that is checked out here].
    #[arg(long, value_name = "SHA", value_parser = git::checked)]
    commit: Option<String>,
}

/// Keep a count, as of instructions; each name has one a commit and machine.
#[derive(Debug, clap::Args)]
pub(super) struct AddCountArgs {
    /// What was counted.
    #[arg(value_name = "NAME", value_parser = name)]
    name: String,

    /// How many: a finite number of 0 or more.
    #[arg(value_name = "VALUE", value_parser = count)]
    value: f64,

    /// The commit that was measured [default: the one that is checked out here].
    #[arg(long, value_name = "SHA", value_parser = git::checked)]
    commit: Option<String>,
}

/// Keep the instruction counts of all benchmarks of which gungraun has stored a summary.
#[derive(Debug, clap::Args)]
pub(super) struct AddBenchArgs {
    /// The folder that they are under, as target/gungraun.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// The commit that was measured [default: the one that is checked out here].
    #[arg(long, value_name = "SHA", value_parser = git::checked)]
    commit: Option<String>,
}

pub(super) fn run(db: &Path, args: &AddArgs) -> Result<(), Failure> {
    let file = if args.result.is_dir() {
        args.result.join("result.json")
    } else {
        args.result.clone()
    };
    let result = RunResult::load(&file).map_err(Failure::usage)?;
    let commit = args.commit.clone().map(git::named).or_else(git::here);
    let added = begun(db)?
        .add(&result, commit.as_ref())
        .map_err(Failure::usage)?;
    let of = commit.map_or_else(
        || "an unknown commit".to_owned(),
        |c| format!("commit {}", c.id),
    );
    say(db, "run", added, &of)
}

pub(super) fn run_count(db: &Path, args: &AddCountArgs) -> Result<(), Failure> {
    let commit = counted(args.commit.as_ref())?;
    let added = keep(&mut begun(db)?, &args.name, args.value, &commit)?;
    say(db, "count", added, &format!("commit {}", commit.id))
}

pub(super) fn run_bench(db: &Path, args: &AddBenchArgs) -> Result<(), Failure> {
    let counts = instruction_counts(&args.folder).map_err(Failure::usage)?;
    let commit = counted(args.commit.as_ref())?;
    let mut history = begun(db)?;
    for (name, instructions) in counts {
        let added = keep(&mut history, &name, instructions, &commit)?;
        say(
            db,
            &format!("{name}: count"),
            added,
            &format!("commit {}", commit.id),
        )?;
    }
    Ok(())
}

/// The commit that a count is of.
fn counted(named: Option<&String>) -> Result<Commit, Failure> {
    let commit = named.cloned().map(git::named).or_else(git::here);
    commit.ok_or_else(|| {
        Failure::usage(anyhow::anyhow!(
            "here is no commit checked out that the count could be of; name it with --commit SHA"
        ))
    })
}

/// Keeps a count of this machine, taken now.
fn keep(history: &mut History, name: &str, value: f64, commit: &Commit) -> Result<Added, Failure> {
    let machine = Environment::read().fingerprint;
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ");
    let added = history.add_count(name, value, &machine, commit, &now.to_string());
    added.map_err(Failure::usage)
}

/// Opens the file, or begins it with its folder.
fn begun(db: &Path) -> Result<History, Failure> {
    if let Some(folder) = db.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))
            .map_err(Failure::usage)?;
    }
    History::open_or_begin(db).map_err(Failure::usage)
}

fn say(db: &Path, what: &str, added: Added, of: &str) -> Result<(), Failure> {
    let line = match added {
        Added::New(id) => format!("{what} {id} of {of} is kept in {}\n", db.display()),
        Added::Known(id) => format!(
            "it is kept already, as {what} {id} in {}; nothing changed\n",
            db.display()
        ),
    };
    Ok(console::print(&line)?)
}

fn name(text: &str) -> Result<String, String> {
    let fits = !text.is_empty() && text.len() <= 200 && !text.contains(char::is_control);
    match fits {
        true => Ok(text.to_owned()),
        false => Err("a name has 1 to 200 bytes and no control characters".to_owned()),
    }
}

fn count(text: &str) -> Result<f64, String> {
    let count = text
        .parse()
        .ok()
        .filter(|c: &f64| c.is_finite() && *c >= 0.0);
    count.ok_or_else(|| "a count is a finite number of 0 or more".to_owned())
}
