use loadgen_measure::{Law, PayloadKind, RoundResult, RunResult, SizeFigures};

use super::axis::{Scale, whole_ticks};
use super::palette::Look;
use super::plot::{Line, Plot};
use super::titled;
use crate::units::{plain, size_bytes};

type Part = fn(&RoundResult) -> Option<&SizeFigures>;

/// How far beyond the largest mean a body limit is still drawn.
const IN_REACH: f64 = 3.0;

/// Mean bytes of bodies and states by round, all kinds together. Where only one kind receives states, the
/// laws that its states and requests follow are drawn as bare lines, and the body limit where it is in
/// reach.
pub(crate) fn plot(result: &RunResult) -> Plot {
    let parts: [(&str, Part); 4] = [
        ("request body", |round| round.request.as_ref()),
        ("response body", |round| round.response.as_ref()),
        ("state sent", |round| round.state_sent.as_ref()),
        ("state received", |round| round.state_received.as_ref()),
    ];
    let mut lines: Vec<Line> = parts
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
    let laws = laws(result);
    let limit = limit(result, &lines);
    lines.extend(laws);
    lines.extend(limit);
    Plot {
        title: titled(result, "payload by round"),
        description: format!(
            "Mean bytes by round, all kinds together. {}.{}",
            described.join("; "),
            sentences(result)
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

/// The laws of the only kind that receives states: of requests and of states.
fn laws(result: &RunResult) -> Vec<Line> {
    let payload = result.payload.as_ref();
    let Some([kind]) = payload.map(|payload| &payload.kinds[..]) else {
        return Vec::new();
    };
    let others = result
        .kinds
        .iter()
        .any(|k| k.started > 0 && k.name != kind.name);
    let laws = [
        ("law of requests", kind.request.law, 4, 1),
        ("law of states", kind.state.law, 5, 0),
    ];
    let line = |(label, law, look, first): (&str, Option<Law>, usize, u16)| {
        let law = law.filter(|_| !others)?;
        let rounds = result.all.rounds.iter().map(|round| round.round);
        let rounds = rounds.filter(|round| *round >= first).map(f64::from);
        Some(Line {
            label: label.to_owned(),
            look: Look::nth(look).dashed().unmarked(),
            marker_step: 1,
            points: rounds.map(|round| (round, law.bytes(round))).collect(),
        })
    };
    laws.into_iter().filter_map(line).collect()
}

/// The body limit, where the largest of these means is a third of it or more.
fn limit(result: &RunResult, lines: &[Line]) -> Option<Line> {
    let limit = result.payload.as_ref()?.body_limit_bytes? as f64;
    let points = || lines.iter().flat_map(|line| &line.points);
    let largest = points().fold(0.0, |most: f64, point| most.max(point.1));
    let last = points().fold(0.0, |most: f64, point| most.max(point.0));
    (largest * IN_REACH >= limit).then(|| Line {
        label: format!("body limit {}", size_bytes(limit)),
        look: Look::nth(2).unmarked(),
        marker_step: 1,
        points: vec![(0.0, limit), (last, limit)],
    })
}

fn sentences(result: &RunResult) -> String {
    let kinds = result.payload.iter().flat_map(|payload| &payload.kinds);
    let sentence = |kind: &PayloadKind| format!(" {}: {}.", kind.name, kind.sentence);
    kinds.map(sentence).collect()
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
