use loadgen_measure::{RoundResult, RunResult, SizeFigures};

use super::axis::{Scale, whole_ticks};
use super::palette::Look;
use super::plot::{Line, Plot};
use super::titled;
use crate::units::{plain, size_bytes};

type Part = fn(&RoundResult) -> Option<&SizeFigures>;

/// Mean bytes of bodies and states by round, all kinds together.
pub(crate) fn plot(result: &RunResult) -> Plot {
    let parts: [(&str, Part); 4] = [
        ("request body", |round| round.request.as_ref()),
        ("response body", |round| round.response.as_ref()),
        ("state sent", |round| round.state_sent.as_ref()),
        ("state received", |round| round.state_received.as_ref()),
    ];
    let lines: Vec<Line> = parts
        .into_iter()
        .enumerate()
        .map(|(index, (label, part))| {
            let look = Look::nth(index);
            Line {
                label: label.to_owned(),
                marker_step: 1,
                look: if index < 2 { look } else { look.dashed() },
                points: result
                    .all
                    .rounds
                    .iter()
                    .filter_map(|round| Some((f64::from(round.round), part(round)?.mean_bytes)))
                    .collect(),
            }
        })
        .collect();
    let described: Vec<String> = lines.iter().filter_map(in_words).collect();
    Plot {
        title: titled(result, "payload by round"),
        description: format!(
            "Mean bytes by round, all kinds together. {}.",
            described.join("; ")
        ),
        x_label: "round".to_owned(),
        x_ticks: whole_ticks,
        y_label: "mean size in bytes".to_owned(),
        y_scale: Scale::Linear,
        y_text: plain,
        lines,
        marks: Vec::new(),
    }
}

fn in_words(line: &Line) -> Option<String> {
    let (first, last) = (line.points.first()?, line.points.last()?);
    Some(format!(
        "{}: {} in round {}, {} in round {}",
        line.label,
        size_bytes(first.1),
        first.0,
        size_bytes(last.1),
        last.0
    ))
}
