use loadgen_measure::{
    HistogramError, KindResult, LatencyFigures, OutcomeFigures, RoundResult, RunResult, SizeFigures,
};

use super::page::{Histogram, Labels, Page};

/// Counts by outcome, times of successes, and sizes; by kind and round, over measured phases.
pub(super) fn add(page: &mut Page, result: &RunResult) -> Result<(), HistogramError> {
    let kinds = &result.kinds;
    page.counters(
        "loadgen_workflows",
        "Workflows that ended or were watched to the end",
        kinds.iter().flat_map(|kind| {
            let ended = kind.workflows.iter();
            ended.map(|(outcome, figures)| {
                let outcome = ("outcome", outcome.name().to_owned());
                (with(of_kind(kind), outcome), figures.count)
            })
        }),
    );
    page.counters(
        "loadgen_rounds",
        "Rounds that ended or were watched to the end",
        rounds(kinds).flat_map(|(labels, round)| {
            let ended = round.outcomes.iter();
            ended.map(move |(outcome, figures)| {
                let outcome = ("outcome", outcome.name().to_owned());
                (with(labels.clone(), outcome), figures.count)
            })
        }),
    );
    page.counters(
        "loadgen_attempts",
        "Attempts to have a round answered",
        rounds(kinds).map(|(labels, round)| (labels, round.attempts)),
    );
    let workflows = kinds
        .iter()
        .filter_map(|kind| Some((of_kind(kind), kind.ok()?)));
    page.histograms(
        "loadgen_workflow_response_seconds",
        "Response times of successful workflows",
        times(workflows, |ok| ok.response.as_ref())?,
    );
    let ok = || rounds(kinds).filter_map(|(labels, round)| Some((labels, round.ok()?)));
    page.histograms(
        "loadgen_round_response_seconds",
        "Response times of successful rounds: from when they were due",
        times(ok(), |ok| ok.response.as_ref())?,
    );
    page.histograms(
        "loadgen_round_service_seconds",
        "Service times of successful rounds: from when they were sent",
        times(ok(), |ok| ok.service.as_ref())?,
    );
    sizes(
        page,
        kinds,
        ("loadgen_request_bytes_mean", "loadgen_request_bytes_max"),
        |round| round.request.as_ref(),
    );
    sizes(
        page,
        kinds,
        ("loadgen_response_bytes_mean", "loadgen_response_bytes_max"),
        |round| round.response.as_ref(),
    );
    sizes(
        page,
        kinds,
        ("loadgen_state_bytes_mean", "loadgen_state_bytes_max"),
        |round| round.state_received.as_ref(),
    );
    Ok(())
}

fn of_kind(kind: &KindResult) -> Labels {
    vec![("kind", kind.name.clone())]
}

fn rounds(kinds: &[KindResult]) -> impl Iterator<Item = (Labels, &RoundResult)> {
    kinds.iter().flat_map(|kind| {
        let rounds = kind.rounds.iter();
        rounds.map(|round| {
            (
                with(of_kind(kind), ("round", round.round.to_string())),
                round,
            )
        })
    })
}

fn with(mut labels: Labels, label: (&'static str, String)) -> Labels {
    labels.push(label);
    labels
}

fn times<'a>(
    outcomes: impl Iterator<Item = (Labels, &'a OutcomeFigures)>,
    which: fn(&OutcomeFigures) -> Option<&LatencyFigures>,
) -> Result<Vec<(Labels, Histogram)>, HistogramError> {
    let some = outcomes.filter_map(|(labels, figures)| Some((labels, which(figures)?)));
    some.map(|(labels, figures)| Ok((labels, Histogram::of(figures)?)))
        .collect()
}

fn sizes(
    page: &mut Page,
    kinds: &[KindResult],
    (mean, max): (&'static str, &'static str),
    which: fn(&RoundResult) -> Option<&SizeFigures>,
) {
    let some = || rounds(kinds).filter_map(|(labels, round)| Some((labels, which(round)?)));
    page.gauges(
        mean,
        "Mean size of bodies, or of received states",
        some().map(|(labels, sizes)| (labels, sizes.mean_bytes)),
    );
    page.gauges(
        max,
        "Largest body, or received state",
        some().map(|(labels, sizes)| (labels, sizes.max_bytes as f64)),
    );
}
