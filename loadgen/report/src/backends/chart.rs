use loadgen_measure::{BackendsResult, Figure};
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use crate::chart::{Chart, ChartError, Look, described, draw_marker, ink, linear_ticks};
use crate::units::{printable, time_ns};

const WIDTH: u32 = 960;
/// Pixels left of and right of the drawing, which hold the names and the figures.
const LEFT: i32 = 210;
const RIGHT: i32 = 280;
const TOP: i32 = 64;
const BOTTOM: i32 = 70;
/// Height of a dot's row, and what parts two contenders.
const ROW: i32 = 24;
const GAP: i32 = 16;
const INK: RGBColor = RGBColor(40, 40, 40);
const GRID: RGBColor = RGBColor(222, 222, 222);

/// What is drawn of each contender: what the server says, what the client sees, what it costs.
const SHOWN: [Figure; 3] = [
    Figure::OpenAndSealP50,
    Figure::ServiceP50,
    Figure::CpuPerWorkflow,
];

/// One dot with its interval.
struct Dot {
    name: String,
    /// Middle of its row, in pixels.
    y: i32,
    look: Look,
    ratio: f64,
    interval: Option<(f64, f64)>,
    label: String,
}

/// A dot and its 95 % interval for each figure of each contender, as times the base; `None` where no
/// contender can be set against a base.
///
/// # Errors
/// When the drawing fails.
pub fn backends_chart(result: &BackendsResult) -> Result<Option<Chart>, ChartError> {
    let (rows, dots) = laid_out(result);
    if dots.is_empty() {
        return Ok(None);
    }
    let name = printable(&result.facts.scenario.name);
    let title = format!("{name}: backends against the base");
    let mut svg = String::new();
    draw(&mut svg, &title, result, &rows, &dots)
        .map_err(|error| ChartError::Draw(error.to_string()))?;
    Ok(Some(Chart {
        name: "backends",
        svg: described(&svg, &title, &in_words(&dots)),
        title,
    }))
}

/// Names with the middle of their rows, and dots from top to bottom.
fn laid_out(result: &BackendsResult) -> (Vec<(i32, String)>, Vec<Dot>) {
    let (mut rows, mut dots) = (Vec::new(), Vec::new());
    let mut y = TOP + GAP;
    for contender in 0..result.facts.contenders.len() {
        let first = y;
        for (index, figure) in SHOWN.into_iter().enumerate() {
            let of = result.figure(figure).and_then(|f| f.contender(contender));
            let Some((of, against)) = of.and_then(|of| Some((of, of.against_base.as_ref()?)))
            else {
                continue;
            };
            let apart = if against.told_apart {
                ""
            } else {
                ", not told apart"
            };
            dots.push(Dot {
                name: printable(&result.name(contender)),
                y: y + ROW / 2,
                look: Look::nth(index),
                ratio: against.ratio,
                interval: against.interval_95,
                label: format!(
                    "{} {} ({:.2}x{apart})",
                    figure.name(),
                    time_ns(of.median_ns),
                    against.ratio
                ),
            });
            y += ROW;
        }
        if y > first {
            rows.push((i32::midpoint(first, y), printable(&result.name(contender))));
            y += GAP;
        }
    }
    (rows, dots)
}

fn draw(
    svg: &mut String,
    title: &str,
    result: &BackendsResult,
    rows: &[(i32, String)],
    dots: &[Dot],
) -> Result<(), Box<dyn std::error::Error>> {
    let bottom = dots.last().map_or(TOP, |dot| dot.y) + ROW / 2 + GAP;
    let height = bottom + BOTTOM;
    let width = i32::try_from(WIDTH)?;
    let root = SVGBackend::with_string(svg, (WIDTH, u32::try_from(height)?)).into_drawing_area();
    root.fill(&WHITE)?;
    let ends = dots.iter().flat_map(|dot| {
        let (low, high) = dot.interval.unwrap_or((dot.ratio, dot.ratio));
        [low, high, dot.ratio]
    });
    let (low, high) = ends.fold((1.0_f64, 1.0_f64), |(low, high), end| {
        (low.min(end), high.max(end))
    });
    let room = ((high - low) * 0.06).max(0.02);
    let (low, high) = (low - room, high + room);
    let at = |ratio: f64| {
        let share = (ratio - low) / (high - low);
        LEFT + (share * f64::from(width - LEFT - RIGHT)).round() as i32
    };
    let line = |from, to, colour: RGBColor| PathElement::new(vec![from, to], colour);
    for tick in linear_ticks(low, high, 6) {
        root.draw(&line((at(tick), TOP), (at(tick), bottom), GRID))?;
        let text = format!("{tick:.3}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        root.draw_text(text, &ink(14, HPos::Center), (at(tick), bottom + 14))?;
    }
    root.draw(&line((at(1.0), TOP), (at(1.0), bottom), INK))?;
    root.draw(&line((LEFT, bottom), (width - RIGHT, bottom), INK))?;
    root.draw_text(title, &ink(20, HPos::Center), (width / 2, 22))?;
    let base = result
        .base
        .map_or_else(String::new, |base| result.name(base));
    let axis = format!(
        "times the base, {} (dot: median over turns, line: 95 % interval)",
        printable(&base)
    );
    let middle = i32::midpoint(LEFT, width - RIGHT);
    root.draw_text(&axis, &ink(15, HPos::Center), (middle, bottom + 42))?;
    for (y, name) in rows {
        root.draw_text(name, &ink(15, HPos::Right), (LEFT - 14, *y))?;
    }
    for dot in dots {
        let colour = dot.look.colour;
        if let Some((from, to)) = dot.interval {
            let whole = vec![(at(from), dot.y), (at(to), dot.y)];
            root.draw(&PathElement::new(whole, colour.stroke_width(2)))?;
            for end in [from, to] {
                let cap = vec![(at(end), dot.y - 5), (at(end), dot.y + 5)];
                root.draw(&PathElement::new(cap, colour.stroke_width(2)))?;
            }
        }
        draw_marker(&root, dot.look, (at(dot.ratio), dot.y), 5)?;
        root.draw_text(
            &dot.label,
            &ink(13, HPos::Left),
            (width - RIGHT + 10, dot.y),
        )?;
    }
    root.present()?;
    Ok(())
}

fn in_words(dots: &[Dot]) -> String {
    let dots = dots
        .iter()
        .map(|dot| format!("{}: {}", dot.name, dot.label));
    dots.collect::<Vec<_>>().join(". ")
}
