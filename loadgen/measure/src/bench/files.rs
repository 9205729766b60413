use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

/// The longest file of a benchmark that is read, in bytes.
const MAX_BYTES: u64 = 16 << 20;
/// How deep folders are looked through.
const MAX_DEPTH: usize = 16;

/// Results of benchmarks could not be read.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A file or folder cannot be opened or read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not in the format that its program writes.
    #[error("{}: not as {by} writes it: {why}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The program.
        by: &'static str,
        /// What is wrong.
        why: String,
    },
    /// There are no results.
    #[error("no results under {}: {wanted}", path.display())]
    Nothing {
        /// The folder.
        path: PathBuf,
        /// What was looked for.
        wanted: String,
    },
}

/// Every folder under this one, itself included, in the order of their names. Links are not followed.
pub(super) fn folders(top: &Path) -> Result<Vec<PathBuf>, BenchError> {
    let mut found = Vec::new();
    let mut left = vec![(top.to_owned(), 0)];
    while let Some((folder, depth)) = left.pop() {
        let failed = |source| BenchError::Read {
            path: folder.clone(),
            source,
        };
        let mut inside = Vec::new();
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if depth < MAX_DEPTH && entry.file_type().map_err(failed)?.is_dir() {
                inside.push(entry.path());
            }
        }
        inside.sort_unstable();
        left.extend(inside.into_iter().rev().map(|inner| (inner, depth + 1)));
        found.push(folder);
    }
    Ok(found)
}

/// Reads a JSON file; `None` when there is none.
pub(super) fn json<T: DeserializeOwned>(
    path: &Path,
    by: &'static str,
) -> Result<Option<T>, BenchError> {
    let failed = |source| BenchError::Read {
        path: path.to_owned(),
        source,
    };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(failed(e)),
    };
    let mut text = Vec::new();
    let mut limited = file.take(MAX_BYTES + 1);
    limited.read_to_end(&mut text).map_err(failed)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(wrong(
            path,
            by,
            format!("it has more than {MAX_BYTES} bytes"),
        ));
    }
    let failed = |at: String, why: serde_json::Error| wrong(path, by, format!("{at}: {why}"));
    let mut deserializer = serde_json::Deserializer::from_slice(&text);
    let value = serde_path_to_error::deserialize(&mut deserializer)
        .map_err(|error| failed(error.path().to_string(), error.into_inner()))?;
    deserializer
        .end()
        .map_err(|error| failed(".".to_owned(), error))?;
    Ok(Some(value))
}

pub(super) fn wrong(path: &Path, by: &'static str, why: String) -> BenchError {
    BenchError::Content {
        path: path.to_owned(),
        by,
        why,
    }
}
