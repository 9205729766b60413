use super::palette::Look;
use super::plot::{Line, Plot};
use crate::named::letter;

/// Lines over the seconds of several runs together at most.
const MOST: usize = 36;

/// The same chart of several results as one: each result has a colour, and each of its lines a marker;
/// a label begins with the letter of its result. `None` without any plot.
pub(super) fn overlay(plots: Vec<Plot>) -> Option<Plot> {
    let mut lines = Vec::new();
    let mut whole = None;
    let mut described = Vec::new();
    for (index, plot) in plots.into_iter().enumerate() {
        let Plot {
            title,
            description,
            x_label,
            across,
            y_label,
            y_scale,
            unit,
            lines: own,
            marks: _,
        } = plot;
        let drawn = own.iter().any(|line| !line.points.is_empty());
        if drawn {
            described.push(format!("{}: {description}", letter(index)));
        }
        lines.extend(
            own.into_iter()
                .enumerate()
                .map(|(n, line)| again(index, n, line)),
        );
        // What an axis counts is the same in all; of what else it says, the first that is drawn.
        if drawn || whole.is_none() {
            whole.get_or_insert((title, x_label, across, y_label, y_scale, unit));
        }
    }
    lines.retain(|line| !line.points.is_empty());
    lines.truncate(MOST);
    let (title, x_label, across, y_label, y_scale, unit) = whole?;
    let what = title.split_once(": ").map_or(&*title, |(_, what)| what);
    let x_label = x_label.split(" (").next().unwrap_or(&x_label);
    Some(Plot {
        title: format!("Side by side: {what}"),
        description: described.join(" "),
        x_label: x_label.to_owned(),
        across,
        y_label,
        y_scale,
        unit,
        lines,
        marks: Vec::new(),
    })
}

fn again(result: usize, line: usize, was: Line) -> Line {
    let look = Look::nth(result).marked_as(line);
    let look = if was.look.dashed { look.dashed() } else { look };
    Line {
        label: format!("{} {}", letter(result), was.label),
        look: match was.look.is_marked() {
            true => look,
            false => look.unmarked(),
        },
        ..was
    }
}
