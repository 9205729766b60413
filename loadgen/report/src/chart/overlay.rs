use super::palette::Look;
use super::plot::{Line, Plot};
use crate::named::letter;

/// Lines of all results together at most.
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
    if lines.len() > MOST {
        described.push(format!(
            "{} further lines are not drawn.",
            lines.len() - MOST
        ));
        lines.truncate(MOST);
    }
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

#[cfg(test)]
mod tests {
    use super::super::axis::Scale;
    use super::super::unit::{Across, Unit};
    use super::*;

    fn plot(lines: usize) -> Plot {
        let line = |n: usize| Line {
            label: format!("line {n}"),
            look: Look::nth(n),
            points: vec![(0.0, 1.0), (1.0, 2.0)],
            marker_step: 1,
        };
        Plot {
            title: "quickstart: rounds".into(),
            description: "Rounds.".into(),
            x_label: "second of the run (warm-up: 0 to 3)".into(),
            across: Across::Seconds,
            y_label: "y".into(),
            y_scale: Scale::Linear,
            unit: Unit::Number,
            lines: (0..lines).map(line).collect(),
            marks: Vec::new(),
        }
    }

    #[test]
    fn lines_say_whose_they_are_and_those_left_out_are_counted() {
        let both = overlay(vec![plot(2), plot(2)]).unwrap();
        let labels: Vec<&str> = both.lines.iter().map(|line| line.label.as_str()).collect();
        assert_eq!(labels, ["A line 0", "A line 1", "B line 0", "B line 1"]);
        assert_eq!(both.lines[0].look.colour, both.lines[1].look.colour);
        assert_ne!(both.lines[0].look.colour, both.lines[2].look.colour);
        assert_eq!(both.title, "Side by side: rounds");
        assert_eq!(both.x_label, "second of the run");
        let many = overlay(vec![plot(30), plot(30)]).unwrap();
        assert_eq!(many.lines.len(), MOST);
        assert!(
            many.description
                .ends_with("24 further lines are not drawn.")
        );
        assert!(overlay(vec![plot(0)]).unwrap().draw().unwrap().is_none());
    }
}
