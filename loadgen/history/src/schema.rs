use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::HistoryError;

/// Marks the file as ours (`PRAGMA application_id`): the letters `ldgn`.
const APPLICATION: i64 = 0x6c64_676e;

/// What leads from each version to the next, from an empty file on. A step that has been released
/// does not change.
const STEPS: [&str; 1] = ["
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY,
        started_at TEXT NOT NULL,
        scenario TEXT NOT NULL,
        scenario_sha256 TEXT NOT NULL,
        seed TEXT NOT NULL,
        setup TEXT NOT NULL,
        machine TEXT NOT NULL,
        commit_id TEXT,
        commit_made_s INTEGER,
        status TEXT NOT NULL,
        result TEXT NOT NULL,
        UNIQUE (started_at, scenario_sha256, seed, machine)
    );
    CREATE TABLE counts (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        machine TEXT NOT NULL,
        commit_id TEXT NOT NULL,
        commit_made_s INTEGER,
        added_at TEXT NOT NULL,
        value REAL NOT NULL,
        UNIQUE (name, machine, commit_id)
    );
"];

/// Brings the file to the newest version; an empty one becomes ours. Several processes may do so at once.
pub(crate) fn bring_up(connection: &mut Connection, path: &Path) -> Result<(), HistoryError> {
    let failed = |source| HistoryError::of(path, source);
    let look = connection.transaction().map_err(failed)?;
    if version(&look, path)? == STEPS.len() {
        return Ok(());
    }
    drop(look);
    let step = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed)?;
    // Another process may have done it in between.
    for sql in &STEPS[version(&step, path)?..] {
        step.execute_batch(sql).map_err(failed)?;
    }
    step.pragma_update(None, "application_id", APPLICATION)
        .map_err(failed)?;
    step.pragma_update(None, "user_version", STEPS.len() as i64)
        .map_err(failed)?;
    step.commit().map_err(failed)
}

/// How many steps the file has behind it. Needs a transaction: outside of one another process may
/// change it between two of these questions.
fn version(look: &Transaction<'_>, path: &Path) -> Result<usize, HistoryError> {
    let number = |sql: &str| look.query_row(sql, [], |row| row.get::<_, i64>(0));
    let read = || {
        // Reads a table first, which is what holds the file still.
        let tables = number("SELECT count(*) FROM sqlite_schema")?;
        let application = number("PRAGMA application_id")?;
        Ok((application, number("PRAGMA user_version")?, tables))
    };
    let (application, version, tables) = read().map_err(|source| HistoryError::of(path, source))?;
    if application == 0 && version == 0 && tables == 0 {
        return Ok(0);
    }
    if application != APPLICATION {
        return Err(HistoryError::Foreign(path.to_owned()));
    }
    usize::try_from(version)
        .ok()
        .filter(|version| *version <= STEPS.len())
        .ok_or_else(|| HistoryError::Newer {
            path: path.to_owned(),
            found: version,
            known: STEPS.len() as i64,
        })
}
