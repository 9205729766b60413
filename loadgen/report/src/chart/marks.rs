use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::plot::{Drawing, ink};

/// Height of one row of texts, in pixels.
const ROW: i32 = 15;
/// Rows of texts at most.
const ROWS: usize = 6;
/// Width of a letter at the size of the texts, in pixels; on the wide side.
const LETTER: i32 = 7;
const GREY: RGBColor = RGBColor(110, 110, 110);

/// A moment on the horizontal axis, and what it is.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    pub(crate) at: f64,
    pub(crate) text: String,
}

/// Draws an upright dashed line at each mark, with its text in the highest row where it covers no
/// other and left of the edge of the drawing. A text that has no place is left out, its line is not.
pub(super) fn draw_marks(
    root: &DrawingArea<SVGBackend<'_>, Shift>,
    drawing: &Drawing<'_>,
    marks: &[Mark],
    edge: i32,
    x: (f64, f64),
    y: (f64, f64),
) -> Result<(), Box<dyn std::error::Error>> {
    let inside = marks.iter().filter(|mark| (x.0..=x.1).contains(&mark.at));
    let mut taken = Vec::new();
    for mark in inside {
        let at = |y| drawing.plotting_area().map_coordinate(&(mark.at, y));
        let (foot, head) = (at(y.0), at(y.1));
        for top in (head.1..foot.1).step_by(7) {
            let dash = vec![(head.0, top), (head.0, (top + 3).min(foot.1))];
            root.draw(&PathElement::new(dash, GREY))?;
        }
        let Some(place) = place(head.0, &mark.text, edge, &mut taken) else {
            continue;
        };
        let style = ink(12, HPos::Left).color(&GREY);
        let row = ROW * i32::try_from(place.row)?;
        root.draw_text(&mark.text, &style, (place.from, head.1 + 9 + row))?;
    }
    Ok(())
}

/// Where a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    row: usize,
    from: i32,
    to: i32,
}

/// Finds a place right of a line at `x`, or left of it near the edge of the drawing.
fn place(x: i32, text: &str, edge: i32, taken: &mut Vec<Place>) -> Option<Place> {
    let width = i32::try_from(text.chars().count()).ok()? * LETTER;
    let from = if x + 4 + width <= edge {
        x + 4
    } else {
        x - 4 - width
    };
    let to = from + width;
    let free = |row: &usize| {
        taken
            .iter()
            .all(|other| other.row != *row || other.to < from || to < other.from)
    };
    let row = (0..ROWS).find(free)?;
    let place = Place { row, from, to };
    (from >= 0).then(|| {
        taken.push(place);
        place
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cover_no_other_and_stay_inside() {
        let mut taken = Vec::new();
        let mut row = |x, text: &str| place(x, text, 300, &mut taken).map(|p| (p.row, p.from));
        assert_eq!(row(100, "kill"), Some((0, 104)));
        assert_eq!(row(110, "start"), Some((1, 114)));
        assert_eq!(row(200, "freeze"), Some((0, 204)));
        assert_eq!(row(290, "freeze"), Some((1, 244)), "left of its line");
        let many = "x".repeat(60);
        assert_eq!(row(290, &many), None, "no room at all");
        for expected in 2..ROWS {
            assert_eq!(row(100, "kill"), Some((expected, 104)));
        }
        assert_eq!(row(100, "kill"), None, "every row is taken");
    }
}
