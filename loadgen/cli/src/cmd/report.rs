use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, anyhow};
use loadgen_measure::RunResult;
use loadgen_report::{Drawings, Named, Style, side_by_side};

use crate::console;
use crate::failure::Failure;
use crate::format::Format;
use crate::store::Store;

/// Results that stand side by side at most: a page of more has no room for their columns.
const MOST: usize = 6;

/// Print a stored result again and write its page, its comment and its charts anew; several stand side
/// by side.
///
/// Writes report.html, which opens without a network, and report.md, for a pull request.
#[derive(Debug, clap::Args)]
pub(crate) struct ReportArgs {
    /// A result folder, or the result.json in it; up to 6 of them.
    #[arg(value_name = "RESULT", required = true)]
    results: Vec<PathBuf>,

    /// What stdout gets; with `json` and several results, one JSON text after the other.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,

    /// Where the files go [default: beside the result; several need it].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints and writes. Exit code 0, or 2 when there is no readable result.
pub(crate) fn run(args: &ReportArgs) -> Result<ExitCode, Failure> {
    if args.results.len() > MOST {
        let count = args.results.len();
        return Err(Failure::usage(anyhow!(
            "{count} results are too many for one page: give {MOST} at most"
        )));
    }
    let files: Vec<PathBuf> = args.results.iter().map(|path| file(path)).collect();
    let mut results = Vec::new();
    for file in &files {
        results.push(RunResult::load(file).map_err(Failure::usage)?);
    }
    match (&results[..], &args.out) {
        ([result], out) => {
            args.format.print(result)?;
            let folder = out.clone().unwrap_or_else(|| folder(&files[0]));
            Store::open(&folder)?.report(result)?;
        }
        (_, None) => {
            return Err(Failure::usage(anyhow!(
                "a page of several results belongs to none of their folders: say with --out DIR where \
                 it goes"
            )));
        }
        (several, Some(out)) => {
            let names: Vec<String> = files.iter().map(|file| name(file)).collect();
            let named: Vec<Named<'_>> = names
                .iter()
                .zip(several)
                .map(|(name, result)| Named { name, result })
                .collect();
            match args.format {
                Format::Text => console::print(&side_by_side(&named, Style::Coloured))?,
                format => several.iter().try_for_each(|one| format.print(one))?,
            }
            let drawings = Drawings::of(&named).context("cannot draw the charts")?;
            Store::open(out)?.page(&named, &drawings)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The result file that an argument means.
fn file(path: &Path) -> PathBuf {
    if path.is_dir() {
        path.join("result.json")
    } else {
        path.to_owned()
    }
}

/// The folder that a file is in.
fn folder(file: &Path) -> PathBuf {
    match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// What a result is called: as its folder, or as its file where that has no name.
fn name(file: &Path) -> String {
    let folder = folder(file);
    let named = folder.canonicalize().ok();
    let named = named.as_deref().and_then(Path::file_name);
    let name = named.or_else(|| file.file_name()).unwrap_or_default();
    name.to_string_lossy().into_owned()
}
