use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Why a history cannot be read or written. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// There is no such file.
    #[error("{}: there is no history yet; `loadgen history add RESULT` begins one", .0.display())]
    Missing(PathBuf),
    /// The file is none of ours.
    #[error("{}: it is no history of loadgen; name another file with --db", .0.display())]
    Foreign(PathBuf),
    /// The file was written by a later version.
    #[error(
        "{}: its version is {found}, this program knows versions up to {known}; use a newer loadgen",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest version that can be read.
        known: i64,
    },
    /// The file is damaged.
    #[error("{}: the file is damaged; take it from a copy, or begin a new one", .0.display())]
    Damaged(PathBuf),
    /// Other processes kept it locked for too long.
    #[error("{}: other processes have kept it locked for 10 s; try again", .0.display())]
    Busy(PathBuf),
    /// Anything else that SQLite says.
    #[error("{}: {source}", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What it says.
        source: rusqlite::Error,
    },
    /// A result that is no whole run.
    #[error("the result is a checkpoint of a run that did not end; only whole runs are kept")]
    Partial,
    /// A result that cannot be written as JSON.
    #[error("the result cannot be written as JSON: {0}")]
    NoJson(serde_json::Error),
    /// A stored result cannot be read.
    #[error("{}: run {id} cannot be read: {source}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Its number.
        id: i64,
        /// Why.
        source: serde_json::Error,
    },
}

impl HistoryError {
    /// What an error of SQLite means for this file.
    pub(crate) fn of(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::Foreign(path),
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged(path),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy(path),
            _ => Self::Sqlite { path, source },
        }
    }
}
