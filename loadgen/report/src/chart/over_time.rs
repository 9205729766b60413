use loadgen_measure::{HistogramError, Latency, RunResult, SecondResult};

use super::axis::Scale;
use super::bins::{bins, width};
use super::marks::Mark;
use super::palette::Look;
use super::plot::{Line, Plot};
use super::titled;
use super::unit::{Across, Unit};
use crate::units::{plain, printable};

/// Quantiles of the response time of all successful rounds, second by second.
pub(crate) fn latency(result: &RunResult, most: u64) -> Result<Plot, HistogramError> {
    let bins = bins(&result.seconds, most);
    let mut lines: Vec<Line> = ["p50", "p99", "max"]
        .into_iter()
        .enumerate()
        .map(|(index, label)| Line {
            label: label.to_owned(),
            marker_step: 1,
            look: look(index, bins.len()),
            points: Vec::new(),
        })
        .collect();
    for bin in &bins {
        let mut together = Latency::new();
        for round in bin.seconds.iter().flat_map(|second| &second.rounds) {
            together.merge(&round.histogram.latency()?);
        }
        for (line, quantile) in lines.iter_mut().zip([0.5, 0.99, 1.0]) {
            // A second without a success breaks the line.
            let time = together.quantile_ns(quantile).map(|ns| ns as f64);
            line.points.push((bin.from, time.unwrap_or(f64::NAN)));
        }
    }
    Ok(plot(
        result,
        most,
        "response time over time",
        "Quantiles of the response time of successful rounds in each second of the run.",
        ("response time, logarithmic", Scale::Log, Unit::Time),
        lines,
    ))
}

/// Rounds sent, ended well and failed, second by second.
pub(crate) fn throughput(result: &RunResult, most: u64) -> Plot {
    let bins = bins(&result.seconds, most);
    let count = |label: &str, n: usize, count: fn(&SecondResult) -> u64| Line {
        label: label.to_owned(),
        marker_step: 1,
        look: look(n, bins.len()),
        points: bins.iter().map(|bin| (bin.from, bin.mean(count))).collect(),
    };
    let mut lines = vec![
        count("sent", 0, |second| second.sent),
        count("ok", 1, |second| second.ok),
    ];
    if result.seconds.iter().any(|second| second.failed > 0) {
        lines.push(count("failed", 2, |second| second.failed));
    }
    plot(
        result,
        most,
        "rounds over time",
        "Rounds sent, ended well and failed in each second of the run.",
        ("rounds per second", Scale::Linear, Unit::Number),
        lines,
    )
}

/// What the horizontal axis shows, with the seconds that were warm-up.
fn seconds(result: &RunResult, width: u64) -> String {
    let warmups = result.phases.iter().filter(|phase| phase.warmup);
    let spans = warmups.map(|phase| format!("{} to {}", plain(phase.from_s), plain(phase.to_s)));
    let cut = result
        .steady
        .as_ref()
        .and_then(|steady| steady.warmup_cut_s);
    let cut = cut
        .filter(|s| *s > 0.0)
        .map(|s| format!("0 to {}", plain(s)));
    let spans: Vec<String> = spans.chain(cut).collect();
    let mut notes = Vec::new();
    match width {
        1 => {}
        width => notes.push(format!("a point is {width} s")),
    }
    if !spans.is_empty() {
        notes.push(format!("warm-up: {}", spans.join(", ")));
    }
    if !result.events.is_empty() {
        notes.push("an event stands where its second begins".to_owned());
    }
    match notes.is_empty() {
        true => "second of the run".to_owned(),
        false => format!("second of the run ({})", notes.join("; ")),
    }
}

/// Every second line is dashed, so that two that lie on each other both show. Markers help on a
/// short line and hide a long one.
pub(super) fn look(n: usize, points: usize) -> Look {
    let look = Look::nth(n);
    let look = if n % 2 == 1 { look.dashed() } else { look };
    if points > 60 { look.unmarked() } else { look }
}

/// Lines over the seconds of the run, with its events.
pub(super) fn plot(
    result: &RunResult,
    most: u64,
    title: &str,
    description: &str,
    (y_label, y_scale, unit): (&str, Scale, Unit),
    lines: Vec<Line>,
) -> Plot {
    let width = width(&result.seconds, most);
    Plot {
        title: titled(result, title),
        description: description.to_owned(),
        x_label: seconds(result, width),
        across: Across::Seconds,
        y_label: y_label.to_owned(),
        y_scale,
        unit,
        lines,
        marks: marks(result, width as f64),
    }
}

/// When events began, and when what they did ended by itself: at the start of their second, since its
/// figures, which hold what they did, are drawn there too.
fn marks(result: &RunResult, width: f64) -> Vec<Mark> {
    let start = |at: f64| (at / width).floor() * width;
    let mut marks = Vec::new();
    for event in &result.events {
        let name = printable(&event.name);
        let begun = event.begun_s.map(|at| (at, name.clone()));
        let ended = event.begun_s.and(event.ends_s);
        let ended = ended.map(|at| (at, format!("end of {name}")));
        marks.extend(begun.into_iter().chain(ended).map(|(at, text)| Mark {
            at: start(at),
            text,
        }));
    }
    marks.sort_by(|a, b| a.at.total_cmp(&b.at));
    marks
}
