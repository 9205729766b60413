use std::path::{Path, PathBuf};

use loadgen_history::{Commit, History};
use loadgen_measure::{Outcome, RunResult};
use tempfile::TempDir;

/// A folder with a history in it.
pub(crate) struct Shelf(TempDir);

impl Shelf {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().join("history.sqlite")
    }

    pub(crate) fn history(&self) -> History {
        History::open_or_begin(&self.path()).unwrap()
    }
}

/// A run that was stored once, in version 1 of results.
pub(crate) fn stored() -> RunResult {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/result.json");
    RunResult::load(&path).unwrap()
}

/// That run on the n-th day, with this median response time of a workflow.
pub(crate) fn on_day(n: u32, p50_ns: u64) -> RunResult {
    let mut result = stored();
    result.clock.started_at = format!("2027-{:02}-{:02}T08:00:00Z", 1 + n / 28, 1 + n % 28);
    result.steady = None;
    let ok = result.all.workflows.get_mut(&Outcome::Ok).unwrap();
    ok.response.as_mut().unwrap().p50_ns = p50_ns;
    result
}

pub(crate) fn commit(n: u32, made_s: Option<i64>) -> Commit {
    Commit {
        id: format!("{n:040x}"),
        made_s,
    }
}
