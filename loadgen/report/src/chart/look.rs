use plotters::coord::Shift;
use plotters::prelude::*;

use super::palette::{Look, Marker};

/// Half the width of a marker on a line, in pixels.
pub(super) const MARKER: i32 = 4;

/// Opacity by which a dashed stroke is known until [`with_dashes`] sees it: the drawing library makes
/// every dash a line of its own, which for a restless line are tens of thousands.
const DASHED: f64 = 0.98;

/// How a line is drawn.
pub(super) fn stroke(look: Look) -> ShapeStyle {
    let opacity = if look.dashed { DASHED } else { 1.0 };
    look.colour.mix(opacity).stroke_width(2)
}

/// The document with its dashed strokes dashed.
pub(super) fn with_dashes(svg: &str) -> String {
    let known = format!("opacity=\"{DASHED}\"");
    svg.replace(&known, "opacity=\"1\" stroke-dasharray=\"6 4\"")
}

/// Draws the marker of a look, if it has one: about twice as wide as `size`, in pixels.
pub(crate) fn draw_marker(
    root: &DrawingArea<SVGBackend<'_>, Shift>,
    look: Look,
    at: (i32, i32),
    size: i32,
) -> Result<(), Box<dyn std::error::Error>> {
    let filled = look.colour.filled();
    match look.marker {
        Marker::None => {}
        Marker::Disc => root.draw(&Circle::new(at, size, filled))?,
        Marker::Triangle => root.draw(&TriangleMarker::new(at, size + 2, filled))?,
        Marker::Cross => root.draw(&Cross::new(at, size + 1, look.colour.stroke_width(2)))?,
        Marker::Square => {
            let corners = [(at.0 - size, at.1 - size), (at.0 + size, at.1 + size)];
            root.draw(&Rectangle::new(corners, filled))?;
        }
    }
    Ok(())
}

/// Draws a ring: what a line of one point without a marker shows.
pub(super) fn draw_ring(
    root: &DrawingArea<SVGBackend<'_>, Shift>,
    look: Look,
    at: (i32, i32),
) -> Result<(), Box<dyn std::error::Error>> {
    Ok(root.draw(&Circle::new(at, 4, look.colour.stroke_width(2)))?)
}
