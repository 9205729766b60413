use loadgen_measure::{HistogramError, Latency, RunResult, SecondResult};

use super::axis::{Scale, linear_ticks};
use super::latency::short_time;
use super::marks::Mark;
use super::palette::Look;
use super::plot::{Line, Plot};
use super::titled;
use crate::units::plain;

/// Quantiles of the response time of all successful rounds, second by second.
pub(crate) fn latency(result: &RunResult) -> Result<Plot, HistogramError> {
    let mut lines: Vec<Line> = ["p50", "p99", "max"]
        .into_iter()
        .enumerate()
        .map(|(index, label)| Line {
            label: label.to_owned(),
            marker_step: 1,
            look: look(index, result.seconds.len()),
            points: Vec::new(),
        })
        .collect();
    for second in &result.seconds {
        let mut together = Latency::new();
        for round in &second.rounds {
            together.merge(&round.histogram.latency()?);
        }
        for (line, quantile) in lines.iter_mut().zip([0.5, 0.99, 1.0]) {
            // A second without a success breaks the line.
            let time = together.quantile_ns(quantile).map(|ns| ns as f64);
            let point = (second.second as f64, time.unwrap_or(f64::NAN));
            line.points.push(point);
        }
    }
    Ok(plot(
        result,
        "response time over time",
        "Quantiles of the response time of successful rounds in each second of the run.",
        ("response time, logarithmic", Scale::Log, short_time),
        lines,
    ))
}

/// Rounds sent, ended well and failed, second by second.
pub(crate) fn throughput(result: &RunResult) -> Plot {
    let count = |label: &str, n: usize, count: fn(&SecondResult) -> u64| Line {
        label: label.to_owned(),
        marker_step: 1,
        look: look(n, result.seconds.len()),
        points: result
            .seconds
            .iter()
            .map(|second| (second.second as f64, count(second) as f64))
            .collect(),
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
        "rounds over time",
        "Rounds sent, ended well and failed in each second of the run.",
        ("rounds per second", Scale::Linear, plain),
        lines,
    )
}

/// What the horizontal axis shows, with the seconds that were warm-up.
fn seconds(result: &RunResult) -> String {
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
    if spans.is_empty() {
        "second of the run".to_owned()
    } else {
        format!("second of the run (warm-up: {})", spans.join(", "))
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
    title: &str,
    description: &str,
    (y_label, y_scale, y_text): (&str, Scale, fn(f64) -> String),
    lines: Vec<Line>,
) -> Plot {
    Plot {
        title: titled(result, title),
        description: description.to_owned(),
        x_label: seconds(result),
        x_ticks: |low, high| {
            let ticks = linear_ticks(low, high, 10).into_iter();
            ticks
                .filter(|place| place.fract() == 0.0)
                .map(|place| (place, plain(place)))
                .collect()
        },
        y_label: y_label.to_owned(),
        y_scale,
        y_text,
        lines,
        marks: marks(result),
    }
}

/// When events began, and when what they did ended by itself.
fn marks(result: &RunResult) -> Vec<Mark> {
    let mut marks = Vec::new();
    for event in &result.events {
        let begun = event.begun_s.map(|at| (at, event.name.clone()));
        let ended = event.begun_s.and(event.ends_s);
        let ended = ended.map(|at| (at, format!("end of {}", event.name)));
        let both = begun.into_iter().chain(ended);
        marks.extend(both.map(|(at, text)| Mark { at, text }));
    }
    marks.sort_by(|a, b| a.at.total_cmp(&b.at));
    marks
}
