use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::look::{MARKER, draw_marker, stroke};
use super::plot::{Drawing, MARGINS, Placed, SIZE, ink};

/// Least distance of two labels in pixels.
const STEP: i32 = 17;
/// Where the piece of line that stands before a label begins and ends, and where the label begins, in
/// pixels from the edge of the drawing.
const KEY: (i32, i32) = (14, 42);
const TEXT: i32 = 48;
/// Width of a letter in pixels, on the wide side, and letters of a label at most.
const LETTER: f64 = 7.6;
const LONGEST: usize = 36;

/// Pixels right of the drawing that labels of these lines need.
pub(super) fn margin(lines: &[Placed<'_>]) -> i32 {
    let lengths = lines.iter().map(|p| p.line.label.chars().count());
    let longest = lengths.max().unwrap_or(0).min(LONGEST);
    TEXT + (longest as f64 * LETTER) as i32 + 8
}

/// Writes each label beside the end of its line, moved just so far that none cover each other,
/// with a thin leader to the line's end, behind a piece of the line as it looks.
pub(super) fn draw_labels(
    root: &DrawingArea<SVGBackend<'_>, Shift>,
    drawing: &Drawing<'_>,
    lines: &[Placed<'_>],
) -> Result<(), Box<dyn std::error::Error>> {
    let edge = i32::try_from(SIZE.0)? - margin(lines);
    let (top, bottom) = (MARGINS.1, i32::try_from(SIZE.1)? - MARGINS.2);
    let mut labels: Vec<(i32, i32, &Placed<'_>)> = chosen(lines, room(top, bottom))
        .into_iter()
        .filter_map(|placed| {
            let (x, y) = drawing
                .plotting_area()
                .map_coordinate(placed.segments.last()?.last()?);
            Some((y, x, placed))
        })
        .collect();
    labels.sort_by_key(|(y, _, _)| *y);
    let ends: Vec<i32> = labels.iter().map(|(y, _, _)| *y).collect();
    for ((end, x, placed), y) in labels.into_iter().zip(spread(&ends, top, bottom)) {
        let look = placed.line.look;
        let leader = vec![(x, end), (edge + KEY.0 - 2, y)];
        root.draw(&PathElement::new(leader, look.colour.mix(0.4)))?;
        let key = vec![(edge + KEY.0, y), (edge + KEY.1, y)];
        root.draw(&PathElement::new(key, stroke(look)))?;
        let middle = edge + i32::midpoint(KEY.0, KEY.1);
        draw_marker(root, look, (middle, y), MARKER)?;
        let label = shortened(&placed.line.label);
        root.draw_text(&label, &ink(14, HPos::Left), (edge + TEXT, y))?;
    }
    Ok(())
}

fn shortened(label: &str) -> String {
    if label.chars().count() <= LONGEST {
        return label.to_owned();
    }
    let head: String = label.chars().take(LONGEST - 1).collect();
    format!("{head}\u{2026}")
}

/// How many labels stand one above the other without touching.
fn room(top: i32, bottom: i32) -> usize {
    usize::try_from((bottom - top) / STEP + 1).unwrap_or(0)
}

/// The lines that get a label: all when there is room, else the solid ones, else the first and
/// every second, third and so on of them.
fn chosen<'a, 'b>(lines: &'a [Placed<'b>], room: usize) -> Vec<&'a Placed<'b>> {
    let all: Vec<_> = lines.iter().collect();
    if all.len() <= room {
        return all;
    }
    let solid: Vec<_> = all.into_iter().filter(|p| !p.line.look.dashed).collect();
    let step = solid.len().div_ceil(room.max(1)).max(1);
    solid.into_iter().step_by(step).collect()
}

/// Heights at least [`STEP`] apart, near the wanted ones (which rise) and within the bounds as
/// long as there is room.
fn spread(wanted: &[i32], top: i32, bottom: i32) -> Vec<i32> {
    let mut placed: Vec<i32> = Vec::with_capacity(wanted.len());
    for &want in wanted {
        let free = placed.last().map_or(top, |last| last + STEP);
        placed.push(want.max(free));
    }
    let mut limit = bottom;
    for place in placed.iter_mut().rev() {
        *place = (*place).min(limit);
        limit = *place - STEP;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::super::palette::Look;
    use super::super::plot::Line;
    use super::*;

    #[test]
    fn labels_keep_their_distance() {
        assert_eq!(spread(&[100, 101, 102], 0, 400), [100, 117, 134]);
        assert_eq!(spread(&[390, 395, 399], 0, 400), [366, 383, 400]);
        assert_eq!(spread(&[50, 200], 0, 400), [50, 200]);
    }

    #[test]
    fn as_many_labels_as_fit_stay_within_the_bounds() {
        let full = room(0, 400);
        let heights = spread(&vec![400; full], 0, 400);
        assert!(heights[0] >= 0 && heights[full - 1] <= 400, "{heights:?}");
        assert!(spread(&vec![400; full + 1], 0, 400)[0] < 0);
    }

    #[test]
    fn solid_lines_keep_their_labels_longest() {
        let lines: Vec<Line> = (0..40)
            .map(|n| Line {
                label: n.to_string(),
                look: if n % 2 == 0 {
                    Look::nth(n)
                } else {
                    Look::nth(n).dashed()
                },
                points: Vec::new(),
                marker_step: 1,
            })
            .collect();
        let placed = |count: usize| -> Vec<Placed<'_>> {
            let segments = Vec::new;
            let lines = lines[..count].iter();
            lines
                .map(|line| Placed {
                    line,
                    segments: segments(),
                })
                .collect()
        };
        let labels = |count: usize| -> Vec<String> {
            let placed = placed(count);
            let chosen = chosen(&placed, 10);
            chosen.iter().map(|p| p.line.label.clone()).collect()
        };
        assert_eq!(labels(10).len(), 10);
        assert_eq!(labels(12), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(labels(40).len(), 10);
        assert_eq!(labels(40)[1], "4");
    }
}
