use loadgen_measure::{LatencyFigures, RetryResult, RoundResult, RunResult};

use super::axis::Scale;
use super::palette::Look;
use super::plot::{Line, Plot};
use super::titled;
use super::unit::{Across, Unit};
use crate::units::time_ns;

/// Service time by round: p50 and p99 of successful rounds, p50 of response time with its interval
/// where there is one, and, as level lines, p50 of rounds that met the replica that had minted their state and
/// of those that met another one. Nothing without retries.
pub(crate) fn plot(result: &RunResult) -> Plot {
    let lines = result.retry.as_ref().map(|retry| lines(result, retry));
    Plot {
        title: titled(result, "time by round"),
        description: description(result),
        x_label: "round (solid: service time; dashed: response time and its 95 % interval; bare: \
                  retries by replica, p50)"
            .to_owned(),
        across: Across::Rounds,
        y_label: "time, logarithmic".to_owned(),
        y_scale: Scale::Log,
        unit: Unit::Time,
        lines: lines.unwrap_or_default(),
        marks: Vec::new(),
    }
}

fn lines(result: &RunResult, retry: &RetryResult) -> Vec<Line> {
    let rounds = &result.all.rounds;
    let by_round = |label: &str, look: Look, of: &dyn Fn(&RoundResult) -> Option<u64>| Line {
        label: label.to_owned(),
        look,
        marker_step: 1,
        points: rounds
            .iter()
            .filter_map(|round| Some((f64::from(round.round), of(round)? as f64)))
            .collect(),
    };
    let service = |round: &RoundResult| round.ok()?.service.clone();
    let response = |round: &RoundResult| round.ok()?.response.clone();
    let ends = |round: &RoundResult| response(round)?.intervals_95?.p50_ns;
    let mut lines = vec![
        by_round("service p50", Look::nth(0), &|r| Some(service(r)?.p50_ns)),
        by_round("service p99", Look::nth(4), &|r| Some(service(r)?.p99_ns)),
        by_round("response p50", Look::nth(2).dashed(), &|r| {
            Some(response(r)?.p50_ns)
        }),
        by_round(
            "response 95 % high",
            Look::nth(2).dashed().unmarked(),
            &|r| Some(ends(r)?.1),
        ),
        by_round(
            "response 95 % low",
            Look::nth(2).dashed().unmarked(),
            &|r| Some(ends(r)?.0),
        ),
    ];
    let last = rounds.iter().rev().find(|round| round.ok().is_some());
    let last = f64::from(last.map_or(0, |round| round.round));
    for (label, figures, look) in [
        ("same replica", &retry.same_replica, Look::nth(5)),
        ("another replica", &retry.other_replica, Look::nth(6)),
    ] {
        lines.extend(
            figures
                .as_ref()
                .map(|figures| level(label, figures, look, last)),
        );
    }
    lines
}

/// Retries are rounds 1 to the last one.
fn level(label: &str, figures: &LatencyFigures, look: Look, last: f64) -> Line {
    let p50 = figures.p50_ns as f64;
    Line {
        label: label.to_owned(),
        look: look.unmarked(),
        marker_step: 1,
        points: vec![(1.0, p50), (last.max(1.0), p50)],
    }
}

fn description(result: &RunResult) -> String {
    let rounds = result.all.rounds.iter().filter_map(|round| {
        let service = round.ok()?.service.as_ref()?;
        Some(format!(
            "round {}: service p50 {}, p99 {}",
            round.round,
            time_ns(service.p50_ns as f64),
            time_ns(service.p99_ns as f64)
        ))
    });
    let rounds: Vec<String> = rounds.collect();
    let sentence = result.retry.as_ref().map(|retry| retry.sentence.as_str());
    format!(
        "Successful rounds, all kinds together. {}. In short: {}.",
        rounds.join("; "),
        sentence.unwrap_or("no retries")
    )
}
