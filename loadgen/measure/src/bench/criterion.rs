use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::files::{self, BenchError, wrong};
use super::verdict::ToolVerdict;
use crate::Judgement;
use crate::compare::Estimate;
use crate::stats::mean;

const BY: &str = "criterion";
/// What criterion takes as noise when nothing else is said, as a share.
const NOISE: f64 = 0.01;

/// One benchmark as criterion 0.5 to 0.8 stores it: nanoseconds an iteration.
#[derive(Debug, Clone)]
pub(super) struct Criterion {
    /// Where its baselines stand.
    folder: PathBuf,
    /// Name of the baseline.
    baseline: String,
    /// Logarithms of the samples' times an iteration, in the order in which they were taken; empty when
    /// only estimates are stored.
    logarithms: Vec<f64>,
    estimates: Option<Estimates>,
}

/// `sample.json`: so many iterations took so long together, in nanoseconds.
#[derive(Deserialize)]
struct Samples {
    iters: Vec<f64>,
    times: Vec<f64>,
}

/// `estimates.json`; of a `change` its values are shares.
#[derive(Debug, Clone, Deserialize)]
struct Estimates {
    mean: Point,
}

#[derive(Debug, Clone, Deserialize)]
struct Point {
    confidence_interval: Interval,
    point_estimate: f64,
}

#[derive(Debug, Clone, Deserialize)]
struct Interval {
    lower_bound: f64,
    upper_bound: f64,
}

/// `benchmark.json`.
#[derive(Deserialize)]
struct Identity {
    full_id: String,
}

impl Criterion {
    /// Every benchmark under these folders that has the baseline.
    pub(super) fn all(
        top: &Path,
        folders: &[PathBuf],
        baseline: &str,
    ) -> Result<BTreeMap<String, Self>, BenchError> {
        let mut found = BTreeMap::new();
        for folder in folders {
            let stored = folder.join(baseline);
            let estimates: Option<Estimates> = files::json(&stored.join("estimates.json"), BY)?;
            let path = stored.join("sample.json");
            let samples: Option<Samples> = files::json(&path, BY)?;
            if estimates.is_none() && samples.is_none() {
                continue;
            }
            let identity: Option<Identity> = files::json(&stored.join("benchmark.json"), BY)?;
            let inside = folder.strip_prefix(top).unwrap_or(folder);
            let name = identity.map_or_else(|| inside.display().to_string(), |of| of.full_id);
            let logarithms = match samples {
                Some(samples) => samples.logarithms().map_err(|why| wrong(&path, BY, why))?,
                None => Vec::new(),
            };
            let bench = Self {
                folder: folder.clone(),
                baseline: baseline.to_owned(),
                logarithms,
                estimates,
            };
            found.insert(name, bench);
        }
        Ok(found)
    }

    /// The time an iteration takes: the geometric mean over samples, with the interval of the mean
    /// logarithm. Samples that follow each other depend on each other, so its variance is that of blocks
    /// of them. `None` with fewer than 20 samples.
    pub(super) fn by_samples(&self) -> Option<Estimate> {
        let (ln, half) = mean(&self.logarithms)?;
        Estimate::new(ln.exp(), Some(half?))
    }

    /// The mean time an iteration takes, with criterion's own interval.
    pub(super) fn by_estimates(&self) -> Option<Estimate> {
        let mean = &self.estimates.as_ref()?.mean;
        let Interval {
            lower_bound,
            upper_bound,
        } = mean.confidence_interval;
        let half = (lower_bound > 0.0).then(|| (upper_bound / lower_bound).ln() / 2.0);
        Estimate::new(mean.point_estimate, half)
    }

    /// The mean time, whatever is known of its interval.
    pub(super) fn plain(&self) -> Option<Estimate> {
        let (ln, _) = mean(&self.logarithms)?;
        Estimate::new(ln.exp(), None)
    }

    /// What criterion said when it compared these two, if that is stored: where its `change` is the
    /// difference of exactly these means. It is judged as criterion prints it: beyond its noise threshold
    /// of 1 % with the whole interval. The p value of its test is not stored.
    pub(super) fn verdict(a: &Self, b: &Self) -> Result<Option<ToolVerdict>, BenchError> {
        let (Some(of_a), Some(of_b)) = (&a.estimates, &b.estimates) else {
            return Ok(None);
        };
        if b.baseline != "new" {
            return Ok(None);
        }
        let stored = b.folder.join("change").join("estimates.json");
        let Some(Estimates { mean: change }) = files::json::<Estimates>(&stored, BY)? else {
            return Ok(None);
        };
        let expected = of_b.mean.point_estimate / of_a.mean.point_estimate - 1.0;
        if (expected - change.point_estimate).abs() > 1e-9 {
            return Ok(None);
        }
        let Interval {
            lower_bound: low,
            upper_bound: high,
        } = change.confidence_interval;
        let judgement = if low > NOISE && high > NOISE {
            Some(Judgement::Regressed)
        } else if low < -NOISE && high < -NOISE {
            Some(Judgement::Improved)
        } else {
            None
        };
        Ok(Some(ToolVerdict {
            tool: BY.to_owned(),
            judgement,
            sentence: format!(
                "mean {:+.1} % ({:+.1} to {:+.1} %)",
                100.0 * change.point_estimate,
                100.0 * low,
                100.0 * high
            ),
        }))
    }
}

impl Samples {
    fn logarithms(self) -> Result<Vec<f64>, String> {
        if self.iters.len() != self.times.len() || self.times.is_empty() {
            return Err(format!(
                "it has {} counts of iterations and {} times",
                self.iters.len(),
                self.times.len()
            ));
        }
        let each = (1..).zip(self.iters.iter().zip(&self.times));
        let logarithm = |(number, (iters, time)): (u32, (&f64, &f64))| {
            let ln = (time / iters).ln();
            ln.is_finite()
                .then_some(ln)
                .ok_or_else(|| format!("sample {number} took {time} ns for {iters} iterations"))
        };
        each.map(logarithm).collect()
    }
}
