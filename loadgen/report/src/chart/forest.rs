use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::{Chart, ChartError, Look, described, draw_marker, ink, linear_ticks};
use crate::units::printable;

const WIDTH: u32 = 960;
/// Pixels left of and right of the drawing, which hold the names and the figures.
const LEFT: i32 = 210;
const RIGHT: i32 = 280;
const TOP: i32 = 64;
const BOTTOM: i32 = 70;
/// Height of a dot's row, and what parts two names.
const ROW: i32 = 24;
const GAP: i32 = 16;
const INK: RGBColor = RGBColor(40, 40, 40);
const GRID: RGBColor = RGBColor(222, 222, 222);

/// One ratio with its interval.
pub(crate) struct Ratio {
    pub(crate) look: Look,
    pub(crate) ratio: f64,
    pub(crate) interval: Option<(f64, f64)>,
    pub(crate) label: String,
}

/// Ratios in rows, those of one name below each other, around a line at 1.
pub(crate) struct Forest {
    pub(crate) title: String,
    /// What the ratios are of.
    pub(crate) axis: String,
    pub(crate) names: Vec<(String, Vec<Ratio>)>,
}

/// A ratio where it is drawn.
struct Dot<'f> {
    name: &'f str,
    /// Middle of its row, in pixels.
    y: i32,
    of: &'f Ratio,
}

impl Forest {
    /// The chart; `None` where there is nothing to draw.
    ///
    /// # Errors
    /// When the drawing fails.
    pub(crate) fn chart(&self, name: &'static str) -> Result<Option<Chart>, ChartError> {
        let (rows, dots) = self.laid_out();
        if dots.is_empty() {
            return Ok(None);
        }
        let mut svg = String::new();
        self.draw(&mut svg, &rows, &dots)
            .map_err(|error| ChartError::Draw(error.to_string()))?;
        Ok(Some(Chart {
            name,
            svg: described(&svg, &self.title, &in_words(&dots)),
            title: self.title.clone(),
        }))
    }

    /// Names with the middle of their rows, and dots from top to bottom.
    fn laid_out(&self) -> (Vec<(i32, &str)>, Vec<Dot<'_>>) {
        let (mut rows, mut dots) = (Vec::new(), Vec::new());
        let mut y = TOP + GAP;
        for (name, ratios) in &self.names {
            let first = y;
            for of in ratios {
                dots.push(Dot {
                    name,
                    y: y + ROW / 2,
                    of,
                });
                y += ROW;
            }
            if y > first {
                rows.push((i32::midpoint(first, y), name.as_str()));
                y += GAP;
            }
        }
        (rows, dots)
    }

    fn draw(
        &self,
        svg: &mut String,
        rows: &[(i32, &str)],
        dots: &[Dot<'_>],
    ) -> Result<(), Box<dyn std::error::Error>> {
        let bottom = dots.last().map_or(TOP, |dot| dot.y) + ROW / 2 + GAP;
        let height = bottom + BOTTOM;
        let width = i32::try_from(WIDTH)?;
        let root =
            SVGBackend::with_string(svg, (WIDTH, u32::try_from(height)?)).into_drawing_area();
        root.fill(&WHITE)?;
        let ends = dots.iter().flat_map(|dot| {
            let (low, high) = dot.of.interval.unwrap_or((dot.of.ratio, dot.of.ratio));
            [low, high, dot.of.ratio]
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
        root.draw_text(
            &printable(&self.title),
            &ink(20, HPos::Center),
            (width / 2, 22),
        )?;
        let middle = i32::midpoint(LEFT, width - RIGHT);
        root.draw_text(
            &printable(&self.axis),
            &ink(15, HPos::Center),
            (middle, bottom + 42),
        )?;
        for (y, name) in rows {
            root.draw_text(&printable(name), &ink(15, HPos::Right), (LEFT - 14, *y))?;
        }
        for dot in dots {
            let colour = dot.of.look.colour;
            if let Some((from, to)) = dot.of.interval {
                let whole = vec![(at(from), dot.y), (at(to), dot.y)];
                root.draw(&PathElement::new(whole, colour.stroke_width(2)))?;
                for end in [from, to] {
                    let cap = vec![(at(end), dot.y - 5), (at(end), dot.y + 5)];
                    root.draw(&PathElement::new(cap, colour.stroke_width(2)))?;
                }
            }
            draw_marker(&root, dot.of.look, (at(dot.of.ratio), dot.y), 5)?;
            root.draw_text(
                &printable(&dot.of.label),
                &ink(13, HPos::Left),
                (width - RIGHT + 10, dot.y),
            )?;
        }
        root.present()?;
        Ok(())
    }
}

fn in_words(dots: &[Dot<'_>]) -> String {
    let dots = dots
        .iter()
        .map(|dot| format!("{}: {}", printable(dot.name), printable(&dot.of.label)));
    dots.collect::<Vec<_>>().join(". ")
}
