use loadgen_measure::Trend;

use super::{commit, percent};
use crate::chart::{Across, Chart, ChartError, Line, Look, Mark, Plot, Scale, Unit};
use crate::units::printable;

/// Every value of the series, the levels between its changes, and a mark at each change. `None` without
/// values.
///
/// # Errors
/// When the drawing fails.
pub fn trend_chart(trend: &Trend) -> Result<Option<Chart>, ChartError> {
    let of = trend.scenario.as_ref();
    let of = of.map_or_else(String::new, |scenario| format!("{}: ", printable(scenario)));
    let plot = Plot {
        title: format!("{of}{} from commit to commit", printable(&trend.name)),
        description: description(trend),
        x_label: "measurement, in the order of time".to_owned(),
        across: Across::Measurements,
        y_label: format!("{} (the axis need not start at 0)", printable(&trend.name)),
        y_scale: Scale::Close,
        unit: Unit::Exact,
        lines: lines(trend),
        marks: marks(trend),
    };
    Ok(plot.draw()?.map(|svg| Chart {
        name: "trend",
        title: plot.title,
        svg,
    }))
}

/// Where the n-th value stands.
fn place(index: usize) -> f64 {
    index as f64 + 1.0
}

fn lines(trend: &Trend) -> Vec<Line> {
    let points = trend.points.iter().enumerate();
    let mut lines = vec![Line {
        label: "measured".to_owned(),
        look: Look::nth(0),
        marker_step: 1,
        points: points.map(|(i, point)| (place(i), point.value)).collect(),
    }];
    if !trend.changes.is_empty() {
        lines.push(Line {
            label: "level".to_owned(),
            look: Look::nth(4).dashed().unmarked(),
            marker_step: 1,
            points: levels(trend),
        });
    }
    lines
}

/// A flat piece from each change to the next, with a gap between them.
fn levels(trend: &Trend) -> Vec<(f64, f64)> {
    let starts = trend.changes.iter().map(|change| change.index);
    let ends = starts.clone().chain([trend.points.len()]);
    let heights = trend.changes.first().map(|change| change.before);
    let heights = heights
        .into_iter()
        .chain(trend.changes.iter().map(|change| change.after));
    let pieces = [0].into_iter().chain(starts).zip(ends).zip(heights);
    pieces
        .flat_map(|((start, end), height)| {
            let gap = (f64::NAN, f64::NAN);
            [(place(start), height), (place(end) - 1.0, height), gap]
        })
        .collect()
}

fn marks(trend: &Trend) -> Vec<Mark> {
    let mark = |index: usize, change: Option<f64>| Mark {
        at: place(index),
        text: format!(
            "{} {}",
            printable(&commit(&trend.points[index])),
            percent(change)
        ),
    };
    let changes = trend.changes.iter().map(|c| mark(c.index, c.change()));
    let jumps = trend
        .jumps
        .iter()
        .map(|jump| mark(jump.index, Some(jump.change)));
    changes.chain(jumps).collect()
}

fn description(trend: &Trend) -> String {
    let marks = marks(trend);
    let marks: Vec<&str> = marks.iter().map(|mark| mark.text.as_str()).collect();
    let changes = match marks.is_empty() {
        true => "no change".to_owned(),
        false => format!("changes at {}", marks.join(", ")),
    };
    format!(
        "{} values on {}; {changes}.",
        trend.points.len(),
        printable(&trend.machine)
    )
}
