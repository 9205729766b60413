use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use loadgen_measure::{BackendsResult, PairsResult, RunResult, save_atomically};
use loadgen_report::{Drawings, Named, backends_chart, comment, page, pairs_chart, pairs_markdown};

/// A folder that a run writes its files into.
#[derive(Debug)]
pub(crate) struct Store {
    folder: PathBuf,
}

impl Store {
    /// Makes the folder and tries to write in it, so that a full or read-only disk is known before
    /// the load and not after it.
    pub(crate) fn open(folder: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the result folder {}", folder.display()))?;
        let probe = folder.join(".writable");
        save_atomically(&probe, b"loadgen writes its results here\n")?;
        std::fs::remove_file(&probe)
            .with_context(|| format!("cannot remove {}", probe.display()))?;
        Ok(Self {
            folder: folder.to_owned(),
        })
    }

    /// A new folder in the default place, for a run that starts now.
    pub(crate) fn make_default(scenario: &str) -> anyhow::Result<Self> {
        let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
        Self::open(&fresh(
            Path::new("results/runs"),
            &format!("{scenario}-{now}"),
        )?)
    }

    /// Removes the folder if nothing is in it: what the run was to write will not come.
    pub(crate) fn forget_empty(&self) {
        let _ = std::fs::remove_dir(&self.folder);
    }

    /// The same of a comparison, of which no run may have left anything.
    pub(crate) fn forget_turns(&self) {
        let _ = std::fs::remove_dir(self.folder.join("turns"));
        self.forget_empty();
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes `result.json` alone, as a checkpoint does.
    pub(crate) fn result(&self, result: &RunResult) -> anyhow::Result<()> {
        Ok(result.save(&self.folder.join("result.json"))?)
    }

    /// Writes every file of a result. What can be written is written, also when something fails.
    pub(crate) fn everything(&self, result: &RunResult) -> anyhow::Result<()> {
        let json = self.result(result);
        let hlog = result.save_hlog(&self.folder.join("rounds.hlog"));
        json.and(hlog.map_err(anyhow::Error::from))
            .and(self.report(result))
    }

    /// Writes what people read of a result: charts, `report.html` and `report.md`.
    pub(crate) fn report(&self, result: &RunResult) -> anyhow::Result<()> {
        let name = self.folder.file_name().and_then(|name| name.to_str());
        let named = Named {
            name: name.unwrap_or(&result.scenario.name),
            result,
        };
        let drawings = Drawings::of_one(result).context("cannot draw the charts")?;
        self.charts(&drawings).and(self.page(&[named], &drawings))
    }

    /// Writes `report.html` and `report.md`: of one result or of several.
    pub(crate) fn page(&self, results: &[Named<'_>], drawings: &Drawings) -> anyhow::Result<()> {
        let html = page(results, drawings)
            .context("cannot draw the charts")
            .and_then(|page| self.file("report.html", &page));
        html.and(self.file("report.md", &comment(results)))
    }

    /// Writes `backends.json` alone, as a checkpoint does.
    pub(crate) fn comparison_only(&self, result: &BackendsResult) -> anyhow::Result<()> {
        Ok(result.save(&self.folder.join("backends.json"))?)
    }

    /// Writes every file of a comparison of backends. What can be written is written, also when
    /// something fails.
    pub(crate) fn comparison(&self, result: &BackendsResult) -> anyhow::Result<()> {
        let json = self.comparison_only(result);
        let chart = match backends_chart(result).context("cannot draw the chart")? {
            Some(chart) => self.file(&format!("{}.svg", chart.name), &chart.svg),
            None => Ok(()),
        };
        json.and(chart)
    }

    /// Writes `pairs.json` alone, as a checkpoint does.
    pub(crate) fn pairs_only(&self, result: &PairsResult) -> anyhow::Result<()> {
        Ok(result.save(&self.folder.join("pairs.json"))?)
    }

    /// Writes every file of a comparison in pairs. What can be written is written, also when something
    /// fails.
    pub(crate) fn pairs(&self, result: &PairsResult) -> anyhow::Result<()> {
        let json = self.pairs_only(result);
        let comment = self.file("report.md", &pairs_markdown(result, true));
        let chart = match pairs_chart(result).context("cannot draw the chart")? {
            Some(chart) => self.file(&format!("{}.svg", chart.name), &chart.svg),
            None => Ok(()),
        };
        json.and(comment).and(chart)
    }

    /// Writes the charts that there is data for: as many as can be written.
    fn charts(&self, drawings: &Drawings) -> anyhow::Result<()> {
        drawings
            .charts()
            .context("cannot draw the charts")?
            .iter()
            .map(|chart| self.file(&format!("{}.svg", chart.name), &chart.svg))
            .fold(Ok(()), anyhow::Result::and)
    }

    fn file(&self, name: &str, text: &str) -> anyhow::Result<()> {
        Ok(save_atomically(&self.folder.join(name), text.as_bytes())?)
    }
}

/// Makes a folder of this name that was not there before, so that of two runs in one second
/// neither writes over the other: with a number from 2 on behind the name if need be.
fn fresh(parent: &Path, name: &str) -> anyhow::Result<PathBuf> {
    std::fs::create_dir_all(parent)
        .with_context(|| format!("cannot make the folder {}", parent.display()))?;
    let mut folder = parent.join(name);
    let mut number = 2;
    loop {
        match std::fs::create_dir(&folder) {
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {
                folder = parent.join(format!("{name}-{number}"));
                number += 1;
            }
            made => {
                return made.map(|()| folder.clone()).with_context(|| {
                    format!("cannot make the result folder {}", folder.display())
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_run_gets_the_folder_of_another() {
        let parent = tempfile::tempdir().expect("a temporary folder");
        let parent = parent.path().join("runs");
        for expected in ["a-1", "a-1-2", "a-1-3"] {
            let made = fresh(&parent, "a-1").expect("a folder can be made");
            assert_eq!(made, parent.join(expected));
            assert!(made.is_dir());
        }
    }
}
