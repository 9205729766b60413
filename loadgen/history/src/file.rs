use std::path::{Path, PathBuf};
use std::time::Duration;

use loadgen_measure::{RunResult, Status};
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Params, TransactionBehavior};

use crate::{Added, Commit, Entry, HistoryError, schema, slim};

/// How long another process may hold the file before that is an error.
const PATIENCE: Duration = Duration::from_secs(10);

/// A file of runs and counts. Several processes may use it at once: each change is a transaction that
/// takes the file from its start, and waits up to 10 s for that.
#[derive(Debug)]
pub struct History {
    pub(crate) path: PathBuf,
    pub(crate) connection: Connection,
}

impl History {
    /// Opens the file.
    ///
    /// # Errors
    /// When it is missing, damaged, locked for too long, or not ours.
    pub fn open(path: &Path) -> Result<Self, HistoryError> {
        if !path.exists() {
            return Err(HistoryError::Missing(path.to_owned()));
        }
        Self::with(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
    }

    /// Opens the file, or begins one. Its folder must be there.
    ///
    /// # Errors
    /// As [`History::open`], and when it cannot be made.
    pub fn open_or_begin(path: &Path) -> Result<Self, HistoryError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        Self::with(path, flags)
    }

    fn with(path: &Path, flags: OpenFlags) -> Result<Self, HistoryError> {
        let failed = |source| HistoryError::of(path, source);
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        connection.busy_timeout(PATIENCE).map_err(failed)?;
        schema::bring_up(&mut connection, path)?;
        Ok(Self {
            path: path.to_owned(),
            connection,
        })
    }

    /// Keeps a run. The same run, by its start, scenario, seed and machine, is kept once.
    ///
    /// # Errors
    /// When it is a checkpoint, or the file cannot be written.
    pub fn add(
        &mut self,
        result: &RunResult,
        commit: Option<&Commit>,
    ) -> Result<Added, HistoryError> {
        if result.partial {
            return Err(HistoryError::Partial);
        }
        let slim = slim::slim(result).map_err(HistoryError::NoJson)?;
        let seed = result.seed.to_string();
        let machine = &result.environment.fingerprint;
        self.add_once(
            "SELECT id FROM runs
             WHERE started_at = ?1 AND scenario_sha256 = ?2 AND seed = ?3 AND machine = ?4",
            (
                &result.clock.started_at,
                &result.scenario.sha256,
                &seed,
                machine,
            ),
            "INSERT INTO runs (started_at, scenario_sha256, seed, machine, scenario, setup,
                               commit_id, commit_made_s, status, result)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            (
                &result.clock.started_at,
                &result.scenario.sha256,
                &seed,
                machine,
                &result.scenario.name,
                setup(result),
                commit.map(|commit| &commit.id),
                commit.and_then(|commit| commit.made_s),
                status(result.verdict.status),
                slim,
            ),
        )
    }

    /// Adds a row unless the first statement, with its parameters, finds one already. Nobody else can
    /// write in between.
    pub(crate) fn add_once(
        &mut self,
        find: &str,
        key: impl Params,
        insert: &str,
        row: impl Params,
    ) -> Result<Added, HistoryError> {
        let Self { path, connection } = self;
        let add = || -> rusqlite::Result<Added> {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let known = change.query_row(find, key, |row| row.get(0)).optional()?;
            if let Some(id) = known {
                return Ok(Added::Known(id));
            }
            change.execute(insert, row)?;
            let id = change.last_insert_rowid();
            change.commit()?;
            Ok(Added::New(id))
        };
        add().map_err(|source| HistoryError::of(path, source))
    }

    /// Every run, in the order of time: of commits where they are known, else of runs.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn entries(&self) -> Result<Vec<Entry>, HistoryError> {
        let read = || -> rusqlite::Result<Vec<_>> {
            let sql = format!("SELECT {} FROM runs ORDER BY {IN_TIME}", Entry::COLUMNS);
            let mut query = self.connection.prepare(&sql)?;
            query.query_map([], Entry::of)?.collect()
        };
        read().map_err(|source| HistoryError::of(&self.path, source))
    }

    /// A run with its result, without seconds and histograms; `None` when there is none of this number.
    ///
    /// # Errors
    /// When the file or the stored result cannot be read.
    pub fn run(&self, id: i64) -> Result<Option<(Entry, RunResult)>, HistoryError> {
        let sql = format!("SELECT {}, result FROM runs WHERE id = ?1", Entry::COLUMNS);
        let found = self
            .connection
            .query_row(&sql, [id], |row| {
                Ok((Entry::of(row)?, row.get::<_, String>("result")?))
            })
            .optional()
            .map_err(|source| HistoryError::of(&self.path, source))?;
        let Some((entry, text)) = found else {
            return Ok(None);
        };
        Ok(Some((entry, self.parse(id, &text)?)))
    }

    pub(crate) fn parse(&self, id: i64, text: &str) -> Result<RunResult, HistoryError> {
        serde_json::from_str(text).map_err(|source| HistoryError::Content {
            path: self.path.clone(),
            id,
            source,
        })
    }
}

/// The order of time. Commits whose time is not known stand where their run began.
pub(crate) const IN_TIME: &str = "coalesce(commit_made_s, unixepoch(started_at)), started_at, id";

/// What else must agree for two runs to be comparable: the targets, and options other than the seed.
pub(crate) fn setup(result: &RunResult) -> String {
    let options = result.options.iter().filter(|(name, _)| *name != "seed");
    let options: serde_json::Map<_, _> = options.map(|(n, v)| (n.clone(), v.clone())).collect();
    serde_json::json!({ "options": options, "targets": result.targets }).to_string()
}

pub(crate) fn status(status: Status) -> &'static str {
    match status {
        Status::Good => "good",
        Status::ThresholdMissed => "threshold_missed",
        Status::Invalid => "invalid",
        Status::Interrupted => "interrupted",
    }
}
