use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

use super::blocks::table;
use crate::chart::{ChartError, Marker, Plot, Scale};
use crate::table::Table;
use crate::units::NOTHING;

/// Rows of the table beside a chart at most.
const ROWS: usize = 200;

/// A chart as a picture, as numbers for the script, and as a table; `None` when nothing is drawn.
pub(super) fn figure(name: &str, plot: &Plot) -> Result<Option<Markup>, ChartError> {
    let Some(svg) = plot.draw()? else {
        return Ok(None);
    };
    let label = format!("{}. {}", plot.title, plot.description);
    Ok(Some(html! {
        figure.chart id=(name) {
            figcaption { (plot.title) }
            p { (plot.description) }
            div.buttons {
                button.whole type="button" aria-label={ "Whole range: " (plot.title) } { "Whole range" }
                button.printed type="button" aria-pressed="false" aria-label={ "As printed: " (plot.title) } { "As printed" }
            }
            div.live role="img" aria-label=(label) {}
            div.still { (PreEscaped(with_own_ids(&svg, name))) }
            details {
                summary { "Points of the chart as a table" }
                (table(&plot.title, &points(plot)))
            }
            script type="application/json" { (PreEscaped(safe(&data(plot)))) }
        }
    }))
}

/// Title and description of a picture have names, and no two of them on a page may be the same.
fn with_own_ids(svg: &str, name: &str) -> String {
    let svg = svg.replacen(
        "\"title desc\"",
        &format!("\"{name}-title {name}-desc\""),
        1,
    );
    let svg = svg.replacen("id=\"title\"", &format!("id=\"{name}-title\""), 1);
    svg.replacen("id=\"desc\"", &format!("id=\"{name}-desc\""), 1)
}

/// A number, without a point where it is whole.
fn number(value: f64) -> Value {
    match value.fract() == 0.0 && value.abs() < 9e15 {
        true => json!(value as i64),
        false => json!(value),
    }
}

/// JSON in which nothing ends or opens an element of the page.
fn safe(json: &Value) -> String {
    let text = json
        .to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e");
    text.replace('&', "\\u0026")
}

/// Every place across that some line has a point at, rising, each once.
fn places(plot: &Plot) -> Vec<f64> {
    let points = plot.lines.iter().flat_map(|line| &line.points);
    let mut places: Vec<f64> = points
        .map(|point| point.0)
        .filter(|x| x.is_finite())
        .collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    places
}

/// What a line has at each of the places: `None` where it has no point, and no number where its point
/// has no place on the axis.
fn heights(plot: &Plot, places: &[f64]) -> Vec<Vec<Option<Option<f64>>>> {
    let lines = plot.lines.iter().map(|line| {
        let mut heights = vec![None; places.len()];
        for &(x, y) in &line.points {
            if let Ok(at) = places.binary_search_by(|place| place.total_cmp(&x)) {
                heights[at] = Some(plot.y_scale.place(y).map(|_| y));
            }
        }
        heights
    });
    lines.collect()
}

fn data(plot: &Plot) -> Value {
    let places = places(plot);
    let lines: Vec<Value> = plot
        .lines
        .iter()
        .zip(heights(plot, &places))
        .map(|(line, heights)| {
            let colour = line.look.colour;
            let y = heights.into_iter().map(|height| match height {
                None => json!("-"),
                Some(height) => height.map_or(Value::Null, number),
            });
            json!({
                "label": line.label,
                "colour": format!("#{:02X}{:02X}{:02X}", colour.0, colour.1, colour.2),
                "dashed": line.look.dashed,
                "marked": line.look.marker != Marker::None && line.marker_step == 1,
                "y": y.collect::<Vec<Value>>(),
            })
        })
        .collect();
    let marks = plot.marks.iter();
    json!({
        "across": plot.across.name(),
        "unit": plot.unit.name(),
        "log": plot.y_scale == Scale::Log,
        "x_label": plot.x_label,
        "x": places.iter().map(|place| number(*place)).collect::<Vec<Value>>(),
        "lines": lines,
        "marks": marks.map(|mark| json!({"at": mark.at, "text": mark.text})).collect::<Vec<_>>(),
    })
}

/// The points in a table: a column for each line, and of many points every second, third and so on.
fn points(plot: &Plot) -> Table {
    let places = places(plot);
    let heights = heights(plot, &places);
    let step = places.len().div_ceil(ROWS).max(1);
    let first = match step {
        1 => plot.x_label.clone(),
        step => format!("{}, one point in {step}", plot.x_label),
    };
    let mut head = vec![first.as_str()];
    head.extend(plot.lines.iter().map(|line| line.label.as_str()));
    let mut table = Table::new(1, &head);
    for (at, place) in places.iter().enumerate().step_by(step) {
        let mut row = vec![plot.across.text(*place)];
        row.extend(heights.iter().map(|line| match line[at] {
            Some(Some(value)) => plot.unit.text(value),
            _ => NOTHING.to_owned(),
        }));
        table.row(row);
    }
    table
}
