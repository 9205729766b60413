use loadgen_measure::TrendPoint;

use crate::{Added, Commit, History, HistoryError};

impl History {
    /// Keeps a count of one commit, as of instructions; each name has one a commit and machine. `added_at`
    /// is RFC 3339.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn add_count(
        &mut self,
        name: &str,
        value: f64,
        machine: &str,
        commit: &Commit,
        added_at: &str,
    ) -> Result<Added, HistoryError> {
        self.add_once(
            "SELECT id FROM counts WHERE name = ?1 AND machine = ?2 AND commit_id = ?3",
            (name, machine, &commit.id),
            "INSERT INTO counts (name, machine, commit_id, commit_made_s, added_at, value)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (name, machine, &commit.id, commit.made_s, added_at, value),
        )
    }

    /// The counts of a name on one machine, in the order of time; empty when there are none.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn counts(&self, name: &str, machine: &str) -> Result<Vec<TrendPoint>, HistoryError> {
        let read = || -> rusqlite::Result<Vec<_>> {
            let mut query = self.connection.prepare(
                "SELECT id, commit_id, added_at, value FROM counts WHERE name = ?1 AND machine = ?2
                 ORDER BY coalesce(commit_made_s, unixepoch(added_at)), added_at, id",
            )?;
            let points = query.query_map((name, machine), |row| {
                Ok(TrendPoint {
                    id: row.get(0)?,
                    commit: row.get(1)?,
                    at: row.get(2)?,
                    value: row.get(3)?,
                })
            })?;
            points.collect()
        };
        read().map_err(|source| HistoryError::of(&self.path, source))
    }
}
