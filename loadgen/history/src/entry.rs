use rusqlite::Row;

/// What came of adding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It is kept under this number.
    New(i64),
    /// It was there already, under this number, and nothing changed.
    Known(i64),
}

/// A run that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub id: i64,
    /// When it began, RFC 3339 in UTC.
    pub started_at: String,
    /// Name of the scenario.
    pub scenario: String,
    /// SHA-256 of the scenario's text.
    pub scenario_sha256: String,
    /// Fingerprint of the machine.
    pub machine: String,
    /// The commit that was measured; `None` when it is not known.
    pub commit: Option<String>,
    /// The judgement on it, as in `good`.
    pub status: String,
}

impl Entry {
    pub(crate) const COLUMNS: &str =
        "id, started_at, scenario, scenario_sha256, machine, commit_id, status";

    /// Of a row of [`Entry::COLUMNS`].
    pub(crate) fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            started_at: row.get(1)?,
            scenario: row.get(2)?,
            scenario_sha256: row.get(3)?,
            machine: row.get(4)?,
            commit: row.get(5)?,
            status: row.get(6)?,
        })
    }
}
