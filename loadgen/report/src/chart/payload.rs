use loadgen_measure::{KindResult, Law, PayloadKind, RoundResult, RunResult, SizeFigures};

use super::axis::Scale;
use super::palette::Look;
use super::plot::{Line, Plot};
use super::titled;
use super::unit::{Across, Unit};
use crate::units::{printable, size_bytes};

type Part = fn(&RoundResult) -> Option<&SizeFigures>;

/// How far beyond the largest mean a body limit is still drawn.
const IN_REACH: f64 = 3.0;
/// Kinds that get lines, and letters of a kind's name that a label has room for.
const KINDS_MAX: usize = 5;
const NAME_MAX: usize = 16;

const PARTS: [(&str, Part); 4] = [
    ("request body", |round| round.request.as_ref()),
    ("response body", |round| round.response.as_ref()),
    ("state sent", |round| round.state_sent.as_ref()),
    ("state received", |round| round.state_received.as_ref()),
];

/// Mean bytes of bodies and states by round, each kind by itself: a mean over kinds follows no law where
/// they differ. A kind that is alone has the laws of its states and requests beside it as bare lines. The
/// body limit is drawn where it is in reach.
pub(crate) fn plot(result: &RunResult) -> Plot {
    let busy: Vec<&KindResult> = result.kinds.iter().filter(|k| k.started > 0).collect();
    let mut lines: Vec<Line> = match &busy[..] {
        [alone] => {
            let parts = PARTS.into_iter().enumerate();
            parts
                .map(|(index, (label, part))| {
                    let look = Look::nth(index);
                    let look = if index < 2 { look } else { look.dashed() };
                    line(label.to_owned(), look, alone, part)
                })
                .collect()
        }
        several => {
            let several = several.iter().take(KINDS_MAX).enumerate();
            several.flat_map(|(n, kind)| lines_of(n, kind)).collect()
        }
    };
    let described: Vec<String> = lines.iter().filter_map(in_words).collect();
    let left_out = match busy.len().saturating_sub(KINDS_MAX) {
        0 => String::new(),
        more => format!(" {more} further kinds are not drawn."),
    };
    let limit = limit(result, &lines);
    lines.extend(laws(result));
    lines.extend(limit);
    Plot {
        title: titled(result, "payload by round"),
        description: format!(
            "Mean bytes by round. {}.{left_out}{}",
            described.join("; "),
            sentences(result)
        ),
        x_label: "round".to_owned(),
        across: Across::Rounds,
        y_label: "mean size in bytes".to_owned(),
        y_scale: Scale::Linear,
        unit: Unit::Number,
        lines,
        marks: Vec::new(),
    }
}

/// Lines of one kind of several: its colour is its own, the marker says what is shown. A state that is
/// sent is the one that the round before received, so it needs no line here.
fn lines_of(n: usize, kind: &KindResult) -> Vec<Line> {
    let name: String = printable(&kind.name).chars().take(NAME_MAX).collect();
    [0, 1, 3]
        .map(|index| {
            let (label, part) = PARTS[index];
            let look = Look::nth(n).marked_as(index);
            let look = if index == 3 { look.dashed() } else { look };
            line(format!("{name} {label}"), look, kind, part)
        })
        .into()
}

fn line(label: String, look: Look, kind: &KindResult, part: Part) -> Line {
    let rounds = kind.rounds.iter();
    Line {
        label,
        look,
        marker_step: 1,
        points: rounds
            .filter_map(|round| Some((f64::from(round.round), part(round)?.mean_bytes)))
            .collect(),
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
    let in_round = |point: &(f64, f64)| format!("{} in round {}", size_bytes(point.1), point.0);
    let (first, last) = (line.points.first()?, line.points.last()?);
    let last = match line.points.len() {
        1 => String::new(),
        _ => format!(", {}", in_round(last)),
    };
    Some(format!("{}: {}{last}", line.label, in_round(first)))
}
