use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use loadgen_history::{Group, History};
use loadgen_measure::{Environment, Metric, Trend, save_atomically};
use loadgen_report::{Style, trend_chart, trend_summary};

use crate::console;
use crate::failure::Failure;

/// Print a figure over commits, and where it changes.
///
/// Runs are set side by side only where scenario, machine, options and targets are the same.
#[derive(Debug, clap::Args)]
pub(super) struct TrendArgs {
    /// A figure as thresholds have it, as in workflow.p99_ms; with --count the name of a count.
    #[arg(value_name = "METRIC")]
    metric: String,

    /// The scenario [default: that of the newest run].
    #[arg(long, value_name = "NAME", conflicts_with = "count")]
    scenario: Option<String>,

    /// METRIC is the name of a count of `history add-count`.
    #[arg(long)]
    count: bool,

    /// Write a chart into this file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// What stdout gets.
    #[arg(long, value_enum, default_value = "text")]
    format: TrendFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum TrendFormat {
    /// A table for people.
    Text,
    /// The series and its changes as JSON, and nothing else.
    Json,
    /// Nothing.
    Quiet,
}

pub(super) fn run(db: &Path, args: &TrendArgs) -> Result<(), Failure> {
    let history = History::open(db).map_err(Failure::usage)?;
    let trend = match args.count {
        true => of_count(db, &history, args),
        false => of_figure(db, &history, args),
    }?;
    match args.format {
        TrendFormat::Text => console::print(&trend_summary(&trend, Style::Coloured))?,
        TrendFormat::Json => {
            let text = serde_json::to_string_pretty(&trend).context("cannot make JSON of it")?;
            console::print(&(text + "\n"))?;
        }
        TrendFormat::Quiet => {}
    }
    if let Some(path) = &args.svg {
        let chart = trend_chart(&trend).context("cannot draw the chart")?;
        let chart = chart.ok_or_else(|| anyhow!("there is no value to draw"))?;
        save_atomically(path, chart.svg.as_bytes()).map_err(anyhow::Error::from)?;
    }
    Ok(())
}

fn of_figure(db: &Path, history: &History, args: &TrendArgs) -> Result<Trend, Failure> {
    let metric: Metric = args.metric.parse().map_err(Failure::usage)?;
    let groups = history.groups(args.scenario.as_deref());
    let groups = groups.map_err(Failure::usage)?;
    let Some((group, others)) = groups.split_first() else {
        let of = args.scenario.as_ref();
        let of = of.map_or_else(String::new, |name| format!(" of the scenario {name}"));
        return Err(Failure::usage(anyhow!(
            "{}: there is no run{of}",
            db.display()
        )));
    };
    let series = history.series(group, &metric).map_err(Failure::usage)?;
    if series.points.is_empty() {
        return Err(Failure::usage(anyhow!(
            "{}: none of the {} runs of {} has the figure {metric}",
            db.display(),
            group.runs,
            group.scenario
        )));
    }
    notes(others, series.unsound, series.without);
    Ok(Trend::of_figures(
        (&args.metric, metric.better()),
        &group.scenario,
        &group.machine,
        series.points,
    ))
}

/// Says what is left out.
fn notes(others: &[Group], unsound: u64, without: u64) {
    let apart: u64 = others.iter().map(|group| group.runs).sum();
    for (count, why) in [
        (
            apart,
            "of another scenario, machine, set of options or target",
        ),
        (unsound, "invalid or interrupted"),
        (without, "without this figure"),
    ] {
        if count > 0 {
            console::say(format_args!("left out: {count} runs, {why}"));
        }
    }
}

fn of_count(db: &Path, history: &History, args: &TrendArgs) -> Result<Trend, Failure> {
    let machine = Environment::read().fingerprint;
    let points = history.counts(&args.metric, &machine);
    let points = points.map_err(Failure::usage)?;
    if points.is_empty() {
        return Err(Failure::usage(anyhow!(
            "{}: there is no count {} of this machine",
            db.display(),
            args.metric
        )));
    }
    Ok(Trend::of_counts(&args.metric, &machine, points))
}
