use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::ChartError;
use super::axis::Scale;
use super::labels::{draw_labels, margin};
use super::look::{MARKER, draw_marker, draw_ring, stroke, with_dashes};
use super::marks::{Mark, draw_marks};
use super::palette::{Look, Marker};
use super::unit::{Across, Unit};

pub(super) const SIZE: (u32, u32) = (960, 540);
/// Pixels left of, above and below the drawing; those right of it hold the labels of the lines.
pub(super) const MARGINS: (i32, i32, i32) = (92, 56, 66);
const INK: RGBColor = RGBColor(40, 40, 40);
const GRID: RGBColor = RGBColor(222, 222, 222);
pub(super) type Drawing<'a> =
    ChartContext<'a, SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// A chart before it is drawn: lines over two axes.
pub(crate) struct Plot {
    pub(crate) title: String,
    /// What a reader who cannot see it should know.
    pub(crate) description: String,
    pub(crate) x_label: String,
    pub(crate) across: Across,
    pub(crate) y_label: String,
    pub(crate) y_scale: Scale,
    pub(crate) unit: Unit,
    pub(crate) lines: Vec<Line>,
    /// Moments on the horizontal axis that a reader should know, rising.
    pub(crate) marks: Vec<Mark>,
}

/// One line of a chart. A point that has no place on the axes is left out and breaks the line
/// there, so that nothing is drawn where nothing was measured.
pub(crate) struct Line {
    pub(crate) label: String,
    pub(crate) look: Look,
    pub(crate) points: Vec<(f64, f64)>,
    /// Every how many points a marker stands; at least 1.
    pub(crate) marker_step: usize,
}

/// A line on its axes.
pub(super) struct Placed<'a> {
    pub(super) line: &'a Line,
    /// Unbroken parts, none of them empty.
    pub(super) segments: Vec<Vec<(f64, f64)>>,
}

impl Plot {
    /// The SVG document; `None` when no line has a point. The drawing library never sees a
    /// number that is not finite or an empty range: it hangs or panics on those.
    pub(crate) fn draw(&self) -> Result<Option<String>, ChartError> {
        let lines: Vec<Placed<'_>> = self
            .lines
            .iter()
            .map(|line| self.placed(line))
            .filter(|placed| !placed.segments.is_empty())
            .collect();
        let points = || {
            lines
                .iter()
                .flat_map(|placed| placed.segments.iter().flatten())
        };
        let Some((x_low, x_high)) = ends(points().map(|point| point.0)) else {
            return Ok(None);
        };
        let Some((y_low, y_high)) = ends(points().map(|point| point.1)) else {
            return Ok(None);
        };
        let x = if x_low < x_high {
            (x_low, x_high)
        } else {
            (x_low - 0.25, x_high + 0.25)
        };
        let y = self.y_scale.range(y_low, y_high);
        let mut svg = String::new();
        self.draw_into(&mut svg, &lines, x, y)
            .map_err(|error| ChartError::Draw(error.to_string()))?;
        let svg = with_dashes(&svg);
        Ok(Some(described(&svg, &self.title, &self.description)))
    }

    fn placed<'a>(&self, line: &'a Line) -> Placed<'a> {
        let place = |&(x, y): &(f64, f64)| Some((x, self.y_scale.place(y)?));
        let segments = line
            .points
            .iter()
            .map(|point| place(point).filter(|(x, _)| x.is_finite()))
            .collect::<Vec<_>>()
            .split(Option::is_none)
            .filter(|segment| !segment.is_empty())
            .map(|segment| segment.iter().copied().flatten().collect())
            .collect();
        Placed { line, segments }
    }

    fn draw_into(
        &self,
        svg: &mut String,
        lines: &[Placed<'_>],
        x: (f64, f64),
        y: (f64, f64),
    ) -> Result<(), Box<dyn std::error::Error>> {
        let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let (left, top, bottom) = MARGINS;
        let right = margin(lines);
        let mut drawing: Drawing<'_> = ChartBuilder::on(&root)
            .margin_left(left)
            .margin_right(right)
            .margin_top(top)
            .margin_bottom(bottom)
            .build_cartesian_2d(x.0..x.1, y.0..y.1)?;
        self.draw_axes(&root, &mut drawing, x, y)?;
        let edge = i32::try_from(SIZE.0)? - right;
        draw_marks(&root, &drawing, &self.marks, edge, x, y)?;
        for placed in lines {
            for segment in &placed.segments {
                draw_segment(&root, &mut drawing, placed.line, segment)?;
            }
        }
        draw_labels(&root, &drawing, lines)?;
        root.present()?;
        Ok(())
    }

    fn draw_axes(
        &self,
        root: &DrawingArea<SVGBackend<'_>, Shift>,
        drawing: &mut Drawing<'_>,
        x: (f64, f64),
        y: (f64, f64),
    ) -> Result<(), Box<dyn std::error::Error>> {
        let at = |point: (f64, f64)| drawing.plotting_area().map_coordinate(&point);
        let grid = |from, to, colour: RGBColor| PathElement::new(vec![from, to], colour);
        for (place, text) in self.across.ticks(x.0, x.1) {
            let (foot, head) = (at((place, y.0)), at((place, y.1)));
            root.draw(&grid(foot, head, GRID))?;
            root.draw_text(&text, &ink(14, HPos::Center), (foot.0, foot.1 + 14))?;
        }
        for (place, value) in self.y_scale.ticks(y) {
            let (from, to) = (at((x.0, place)), at((x.1, place)));
            root.draw(&grid(from, to, GRID))?;
            let text = self.unit.tick(value);
            root.draw_text(&text, &ink(14, HPos::Right), (from.0 - 8, from.1))?;
        }
        let corner = at((x.0, y.0));
        root.draw(&grid(corner, at((x.1, y.0)), INK))?;
        root.draw(&grid(corner, at((x.0, y.1)), INK))?;
        let middle = at((f64::midpoint(x.0, x.1), y.0)).0;
        let (width, height) = (i32::try_from(SIZE.0)?, i32::try_from(SIZE.1)?);
        root.draw_text(&self.title, &ink(20, HPos::Center), (width / 2, 22))?;
        root.draw_text(&self.x_label, &ink(15, HPos::Center), (middle, height - 22))?;
        // The label of the vertical axis stands on top of it, to be read without turning.
        root.draw_text(&self.y_label, &ink(15, HPos::Left), (12, 42))?;
        Ok(())
    }
}

/// Puts title and description where screen readers look for them.
pub(crate) fn described(svg: &str, title: &str, description: &str) -> String {
    let head_end = svg.find('>').map_or(svg.len(), |at| at + 1);
    let (head, body) = svg.split_at(head_end);
    format!(
        "{} role=\"img\" aria-labelledby=\"title desc\">\n<title id=\"title\">{}</title>\n\
         <desc id=\"desc\">{}</desc>{body}",
        head.trim_end_matches('>'),
        escaped(title),
        escaped(description)
    )
}

fn ends(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |ends, value| {
        let (low, high) = ends.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    })
}

pub(crate) fn ink(size: u32, horizontal: HPos) -> TextStyle<'static> {
    TextStyle::from(("sans-serif", size).into_font())
        .color(&INK)
        .pos(Pos::new(horizontal, VPos::Center))
}

fn draw_segment(
    root: &DrawingArea<SVGBackend<'_>, Shift>,
    drawing: &mut Drawing<'_>,
    line: &Line,
    segment: &[(f64, f64)],
) -> Result<(), Box<dyn std::error::Error>> {
    let points = segment.iter().copied();
    drawing.draw_series(LineSeries::new(points, stroke(line.look)))?;
    for point in segment.iter().step_by(line.marker_step) {
        let at = drawing.plotting_area().map_coordinate(point);
        draw_marker(root, line.look, at, MARKER)?;
        // A line of one point has no length: without a mark it could not be seen.
        if line.look.marker == Marker::None && segment.len() == 1 {
            draw_ring(root, line.look, at)?;
        }
    }
    Ok(())
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(y_scale: Scale, points: &[(f64, f64)]) -> Plot {
        Plot {
            title: "a < b & c".into(),
            description: "nothing".into(),
            x_label: "x".into(),
            across: Across::Numbers,
            y_label: "y".into(),
            y_scale,
            unit: Unit::Number,
            lines: vec![Line {
                label: "line".into(),
                look: Look::nth(0),
                points: points.to_vec(),
                marker_step: 1,
            }],
            marks: Vec::new(),
        }
    }

    #[test]
    fn no_point_means_no_chart() {
        let odd = [
            (0.0, f64::NAN),
            (f64::INFINITY, 1.0),
            (1.0, f64::NEG_INFINITY),
            (f64::NAN, f64::NAN),
        ];
        for scale in [Scale::Linear, Scale::Log] {
            assert_eq!(plot(scale, &[]).draw().unwrap(), None);
            assert_eq!(plot(scale, &odd).draw().unwrap(), None);
        }
        assert_eq!(
            plot(Scale::Log, &[(0.0, 0.0), (1.0, -3.0)]).draw().unwrap(),
            None
        );
    }

    #[test]
    fn one_point_or_equal_points_make_a_chart() {
        for points in [
            &[(1.0, 5.0)][..],
            &[(1.0, 5.0), (1.0, 5.0)],
            &[(0.0, 1e300)],
        ] {
            for scale in [Scale::Linear, Scale::Log] {
                let svg = plot(scale, points).draw().unwrap().unwrap();
                assert!(svg.ends_with("</svg>\n") || svg.ends_with("</svg>"));
                assert!(!svg.contains("NaN"));
            }
        }
    }

    #[test]
    fn the_title_is_escaped() {
        let svg = plot(Scale::Linear, &[(1.0, 5.0)]).draw().unwrap().unwrap();
        assert!(svg.contains("<title id=\"title\">a &lt; b &amp; c</title>"));
        assert!(!svg.contains("a < b"));
    }

    #[test]
    fn a_point_without_a_place_breaks_the_line() {
        let gap = plot(
            Scale::Log,
            &[
                (0.0, 1.0),
                (1.0, 2.0),
                (2.0, f64::NAN),
                (3.0, 4.0),
                (4.0, 5.0),
            ],
        );
        let segments = gap.placed(&gap.lines[0]).segments;
        let places: Vec<Vec<f64>> = segments
            .iter()
            .map(|segment| segment.iter().map(|point| point.0).collect())
            .collect();
        assert_eq!(places, [[0.0, 1.0], [3.0, 4.0]]);
        assert!(
            gap.placed(&plot(Scale::Log, &[]).lines[0])
                .segments
                .is_empty()
        );
    }

    #[test]
    fn a_lone_point_shows_even_without_a_marker() {
        let mut lone = plot(Scale::Linear, &[(1.0, 5.0)]);
        lone.lines[0].look = Look::nth(0).dashed().unmarked();
        assert!(lone.draw().unwrap().unwrap().contains("<circle"));
        lone.lines[0].points.push((2.0, 6.0));
        assert!(!lone.draw().unwrap().unwrap().contains("<circle"));
    }
}
