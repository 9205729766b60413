use loadgen_measure::{Metric, TrendPoint};

use crate::file::IN_TIME;
use crate::{History, HistoryError};

/// Runs that can be compared: of one scenario and its text, one machine, one set of options and targets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Name of the scenario.
    pub scenario: String,
    /// SHA-256 of its text.
    pub scenario_sha256: String,
    /// Fingerprint of the machine.
    pub machine: String,
    /// How many runs it has.
    pub runs: u64,
    setup: String,
}

/// A figure over the runs of a group.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its values in the order of time.
    pub points: Vec<TrendPoint>,
    /// Runs that were invalid or interrupted, which are left out.
    pub unsound: u64,
    /// Runs without such a figure, which are left out.
    pub without: u64,
}

impl History {
    /// The groups of runs, that of the newest run first; of this scenario alone if one is named.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn groups(&self, scenario: Option<&str>) -> Result<Vec<Group>, HistoryError> {
        let read = || -> rusqlite::Result<Vec<_>> {
            let mut query = self.connection.prepare(
                "SELECT scenario, scenario_sha256, machine, setup, count(*) FROM runs
                 WHERE ?1 IS NULL OR scenario = ?1
                 GROUP BY scenario, scenario_sha256, machine, setup ORDER BY max(started_at) DESC",
            )?;
            let groups = query.query_map([scenario], |row| {
                Ok(Group {
                    scenario: row.get(0)?,
                    scenario_sha256: row.get(1)?,
                    machine: row.get(2)?,
                    setup: row.get(3)?,
                    runs: row.get::<_, i64>(4)?.unsigned_abs(),
                })
            })?;
            groups.collect()
        };
        read().map_err(|source| HistoryError::of(&self.path, source))
    }

    /// A figure over the runs of a group. Runs that say nothing about the target are left out.
    ///
    /// # Errors
    /// When the file or a stored result cannot be read.
    pub fn series(&self, group: &Group, metric: &Metric) -> Result<Series, HistoryError> {
        let failed = |source| HistoryError::of(&self.path, source);
        let sql = format!(
            "SELECT id, commit_id, started_at, status, result FROM runs
             WHERE scenario = ?1 AND scenario_sha256 = ?2 AND machine = ?3 AND setup = ?4
             ORDER BY {IN_TIME}"
        );
        let mut query = self.connection.prepare(&sql).map_err(failed)?;
        let of = (
            &group.scenario,
            &group.scenario_sha256,
            &group.machine,
            &group.setup,
        );
        let mut rows = query.query(of).map_err(failed)?;
        let mut series = Series {
            points: Vec::new(),
            unsound: 0,
            without: 0,
        };
        while let Some(row) = rows.next().map_err(failed)? {
            let id = row.get(0).map_err(failed)?;
            let status: String = row.get(3).map_err(failed)?;
            if status != "good" && status != "threshold_missed" {
                series.unsound += 1;
                continue;
            }
            let text: String = row.get(4).map_err(failed)?;
            match metric.value(&self.parse(id, &text)?) {
                Some(value) if value.is_finite() => series.points.push(TrendPoint {
                    id,
                    commit: row.get(1).map_err(failed)?,
                    at: row.get(2).map_err(failed)?,
                    value,
                }),
                _ => series.without += 1,
            }
        }
        Ok(series)
    }
}
