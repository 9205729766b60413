//! A result as SVG charts.

mod aead;
mod axis;
mod bins;
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

pub(crate) use axis::{Scale, linear_ticks};
pub(crate) use palette::{Look, Marker};
pub(crate) use plot::{Plot, described, ink};

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

/// Every chart that the result has data for, in a fixed order. A result without data gives no chart.
///
/// # Errors
/// When a stored histogram is damaged or the drawing fails.
pub fn charts(result: &RunResult) -> Result<Vec<Chart>, ChartError> {
    let mut charts = Vec::new();
    for (name, plot) in of_one(result)? {
        if let Some(svg) = plot.draw()? {
            charts.push(Chart {
                name,
                title: plot.title,
                svg,
            });
        }
    }
    Ok(charts)
}

/// The charts of one result, or of several laid over each other, before they are drawn; some of them may
/// have no points.
pub(crate) fn plots(results: &[Named<'_>]) -> Result<Vec<(&'static str, Plot)>, ChartError> {
    let mut each = Vec::new();
    for named in results {
        each.push(of_one(named.result)?);
    }
    if each.len() == 1 {
        return Ok(each.pop().unwrap_or_default());
    }
    let mut all: Vec<(&'static str, Vec<Plot>)> = Vec::new();
    for (index, (name, plot)) in each
        .into_iter()
        .flat_map(|plots| plots.into_iter().enumerate())
    {
        match all.get_mut(index) {
            Some((_, plots)) => plots.push(plot),
            None => all.push((name, vec![plot])),
        }
    }
    let overlaid = all
        .into_iter()
        .filter_map(|(name, plots)| Some((name, overlay::overlay(plots)?)));
    Ok(overlaid.collect())
}

/// Every chart that there is.
fn of_one(result: &RunResult) -> Result<Vec<(&'static str, Plot)>, HistogramError> {
    Ok(vec![
        ("latency-by-quantile", latency::plot(result)?),
        ("payload-by-round", payload::plot(result)),
        ("aead-by-round", aead::plot(result)),
        ("latency-over-time", over_time::latency(result)?),
        ("throughput-over-time", over_time::throughput(result)),
        ("time-by-round", retry::plot(result)),
        ("throughput-by-step", staircase::plot(result)),
        ("rate-limit-over-time", rate_limit::plot_of(result)),
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
