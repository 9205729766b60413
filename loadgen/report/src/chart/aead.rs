use loadgen_measure::{AeadRound, RunResult, Times};

use super::axis::Scale;
use super::palette::Look;
use super::plot::{Line, Plot};
use super::titled;
use super::unit::{Across, Unit};
use crate::units::{or_nothing, printable, size_bytes, time_ns};

/// Letters of a kind's name that a label has room for.
const NAME_MAX: usize = 16;

type Part = fn(&AeadRound) -> Option<Times>;
type Quantile = fn(&Times) -> u64;

/// Open and seal times by round, each kind with lines of its own: the first of both that a request does
/// also pays for the digest of what the state is bound to, so that sizes alone do not order them.
pub(crate) fn plot(result: &RunResult) -> Plot {
    let rounds: Vec<&AeadRound> = match &result.aead {
        Some(aead) => aead.rounds.iter().collect(),
        None => Vec::new(),
    };
    let parts: [(&str, Part); 2] = [("open", |round| round.open), ("seal", |round| round.seal)];
    let mut lines = Vec::new();
    for (index, kind) in rounds.chunk_by(|a, b| a.kind == b.kind).enumerate() {
        let name: String = printable(&kind[0].kind).chars().take(NAME_MAX).collect();
        for (second, (what, part)) in parts.into_iter().enumerate() {
            let look = Look::nth(2 * index + second).marked_as(second);
            let p50 = format!("{name} {what} p50");
            lines.push(line(p50, look, kind, part, |times| times.p50_ns));
            let p99 = format!("{name} {what} p99");
            lines.push(line(p99, look.dashed(), kind, part, |times| times.p99_ns));
        }
    }
    let described: Vec<String> = rounds.iter().map(|round| in_words(round)).collect();
    Plot {
        title: titled(result, "opening and sealing by round"),
        description: format!(
            "Time that the server took to open and to seal a state. {}.",
            described.join("; ")
        ),
        x_label: "round (solid: p50, dashed: p99)".to_owned(),
        across: Across::Rounds,
        y_label: "time from Server-Timing, logarithmic".to_owned(),
        y_scale: Scale::Log,
        unit: Unit::Time,
        lines,
        marks: Vec::new(),
    }
}

fn line(label: String, look: Look, rounds: &[&AeadRound], part: Part, quantile: Quantile) -> Line {
    let point = |round: &&AeadRound| {
        let times = part(round)?;
        Some((f64::from(round.round), quantile(&times) as f64))
    };
    Line {
        label,
        look,
        points: rounds.iter().filter_map(point).collect(),
        marker_step: 1,
    }
}

/// Both times of a round with the sizes of the states.
fn in_words(round: &AeadRound) -> String {
    let part = |what: &str, times: Option<Times>, bytes: Option<f64>| {
        let p50 = time_ns(times?.p50_ns as f64);
        Some(format!(
            "{what} p50 {p50} of {}",
            or_nothing(bytes, size_bytes)
        ))
    };
    let parts = [
        part("open", round.open, round.opened_mean_bytes),
        part("seal", round.seal, round.sealed_mean_bytes),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!(
        "{} round {}: {}",
        printable(&round.kind),
        round.round,
        parts.join(", ")
    )
}
