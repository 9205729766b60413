//! A result as SVG charts.

mod aead;
mod axis;
mod bins;
mod forest;
mod labels;
mod latency;
mod look;
mod marks;
mod over_time;
mod overlay;
mod palette;
mod payload;
mod plot;
mod rate_limit;
mod retry;
mod staircase;
mod unit;

use loadgen_measure::{HistogramError, RunResult};

use crate::named::Named;
use crate::units::printable;

pub(crate) use axis::Scale;
use axis::linear_ticks;
pub(crate) use forest::{Forest, Ratio};
use look::draw_marker;
pub(crate) use marks::Mark;
pub(crate) use palette::{Look, Marker};
pub(crate) use plot::{Line, Plot, described, ink};
pub(crate) use unit::{Across, Unit};

/// One chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chart {
    /// Name for a file, without ending, as in `latency-by-quantile`.
    pub name: &'static str,
    /// Title, also inside the chart.
    pub title: String,
    /// A whole SVG document.
    pub svg: String,
}

/// Why a chart could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ChartError {
    /// A stored histogram is damaged.
    #[error("a histogram of the result is damaged: {0}")]
    Histogram(#[from] HistogramError),
    /// The drawing library failed.
    #[error("the chart could not be drawn: {0}")]
    Draw(String),
}

/// Points that the lines of a chart over time have at most, those of all results together: more than a
/// picture has room for hide each other, and a page of a long run would grow without bound.
const POINTS: u64 = 600;
/// The fewest that a line is cut down to.
const POINTS_MIN: u64 = 150;

/// Every chart that the result has data for, in a fixed order. A result without data gives no chart.
///
/// # Errors
/// When a stored histogram is damaged or the drawing fails.
pub fn charts(result: &RunResult) -> Result<Vec<Chart>, ChartError> {
    Drawings::of_one(result)?.charts()
}

/// Charts of one result, or of several laid over each other, before they are drawn. Making them reads
/// every second of a run.
pub struct Drawings {
    plots: Vec<(&'static str, Plot)>,
}

impl Drawings {
    /// Those of one result.
    ///
    /// # Errors
    /// When a stored histogram is damaged.
    pub fn of_one(result: &RunResult) -> Result<Self, ChartError> {
        let plots = plots(result, POINTS)?;
        Ok(Self { plots })
    }

    /// Those of results: with the letters of a page where there are several.
    ///
    /// # Errors
    /// When a stored histogram is damaged.
    pub fn of(results: &[Named<'_>]) -> Result<Self, ChartError> {
        if let [one] = results {
            return Self::of_one(one.result);
        }
        let points = POINTS / (results.len() as u64).max(1);
        let mut all: Vec<(&'static str, Vec<Plot>)> = Vec::new();
        for named in results {
            let plots = plots(named.result, points.max(POINTS_MIN))?;
            for (index, (name, plot)) in plots.into_iter().enumerate() {
                match all.get_mut(index) {
                    Some((_, plots)) => plots.push(plot),
                    None => all.push((name, vec![plot])),
                }
            }
        }
        let overlaid = all
            .into_iter()
            .filter_map(|(name, plots)| Some((name, overlay::overlay(plots)?)));
        Ok(Self {
            plots: overlaid.collect(),
        })
    }

    /// Draws those that there is data for.
    ///
    /// # Errors
    /// When the drawing fails.
    pub fn charts(&self) -> Result<Vec<Chart>, ChartError> {
        let mut charts = Vec::new();
        for (name, plot) in &self.plots {
            if let Some(svg) = plot.draw()? {
                charts.push(Chart {
                    name,
                    title: plot.title.clone(),
                    svg,
                });
            }
        }
        Ok(charts)
    }

    pub(crate) fn plots(&self) -> &[(&'static str, Plot)] {
        &self.plots
    }
}

/// Every chart that there is; some may have no points.
fn plots(result: &RunResult, most: u64) -> Result<Vec<(&'static str, Plot)>, HistogramError> {
    Ok(vec![
        ("latency-by-quantile", latency::plot(result)?),
        ("payload-by-round", payload::plot(result)),
        ("aead-by-round", aead::plot(result)),
        ("latency-over-time", over_time::latency(result, most)?),
        ("throughput-over-time", over_time::throughput(result, most)),
        ("time-by-round", retry::plot(result)),
        ("throughput-by-step", staircase::plot(result)),
        ("rate-limit-over-time", rate_limit::plot_of(result, most)),
    ])
}

/// A title: the scenario, what is shown, and whether all of it is warm-up.
fn titled(result: &RunResult, what: &str) -> String {
    let only = if result.warmup_only {
        " (warm-up only)"
    } else {
        ""
    };
    format!("{}: {what}{only}", printable(&result.scenario.name))
}
