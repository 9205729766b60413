use std::collections::BTreeMap;

use super::change::Estimate;
use super::figure::ComparedFigure;
use crate::{
    KindResult, LatencyFigures, Outcome, OutcomeFigures, RoundResult, RunResult, SizeFigures,
};

/// Figures of one thing in one result, in an order that is the same for every result.
pub(super) type Figures = Vec<(ComparedFigure, Option<Estimate>)>;

/// The work of one kind in one result, or of all kinds together.
pub(super) struct Side<'a> {
    result: &'a RunResult,
    /// `None` where the result has no such kind.
    work: Option<&'a KindResult>,
    all: bool,
}

impl<'a> Side<'a> {
    pub(super) fn all(result: &'a RunResult) -> Self {
        Self {
            result,
            work: Some(&result.all),
            all: true,
        }
    }

    pub(super) fn kind(result: &'a RunResult, name: &str) -> Self {
        Self {
            result,
            work: result.kinds.iter().find(|kind| kind.name == name),
            all: false,
        }
    }

    /// How many positions of rounds there are.
    pub(super) fn rounds(&self) -> u16 {
        let rounds = self.work.map_or(0, |work| work.rounds.len());
        u16::try_from(rounds).unwrap_or(u16::MAX)
    }

    /// Figures of whole workflows. Those of all kinds leave out the warm-up that a rule found, as the
    /// headline does.
    pub(super) fn workflow(&self) -> Figures {
        let response = match self.work {
            Some(work) if !self.all => ok(&work.workflows).and_then(|ok| ok.response.as_ref()),
            Some(_) => self.result.workflow_response(),
            None => None,
        };
        let [p50, p99] = quantiles(response);
        vec![
            (ComparedFigure::ResponseP50, p50),
            (ComparedFigure::ResponseP99, p99),
        ]
    }

    /// Figures of the rounds of one position.
    pub(super) fn round(&self, number: u16) -> Figures {
        let round = self
            .work
            .and_then(|work| work.rounds.get(usize::from(number)));
        let ended_ok = round.and_then(|round| ok(&round.outcomes));
        let response = if self.all {
            self.result.round_response(number)
        } else {
            ended_ok.and_then(|ok| ok.response.as_ref())
        };
        let server = round.map(|round| &round.server);
        let [response_p50, response_p99] = quantiles(response);
        let [service_p50, service_p99] = quantiles(ended_ok.and_then(|ok| ok.service.as_ref()));
        let [open_p50, open_p99] = quantiles(server.and_then(|server| server.open.as_ref()));
        let [handle_p50, handle_p99] = quantiles(server.and_then(|server| server.handle.as_ref()));
        let [seal_p50, seal_p99] = quantiles(server.and_then(|server| server.seal.as_ref()));
        vec![
            (ComparedFigure::ResponseP50, response_p50),
            (ComparedFigure::ResponseP99, response_p99),
            (ComparedFigure::ServiceP50, service_p50),
            (ComparedFigure::ServiceP99, service_p99),
            (ComparedFigure::OpenP50, open_p50),
            (ComparedFigure::OpenP99, open_p99),
            (ComparedFigure::HandleP50, handle_p50),
            (ComparedFigure::HandleP99, handle_p99),
            (ComparedFigure::SealP50, seal_p50),
            (ComparedFigure::SealP99, seal_p99),
            (ComparedFigure::FailedRounds, round.and_then(failed)),
            (
                ComparedFigure::RequestBytes,
                round.and_then(|round| size(round.request.as_ref())),
            ),
            (
                ComparedFigure::ResponseBytes,
                round.and_then(|round| size(round.response.as_ref())),
            ),
            (
                ComparedFigure::StateBytes,
                round.and_then(|round| size(round.state_received.as_ref())),
            ),
        ]
    }
}

fn ok(outcomes: &BTreeMap<Outcome, OutcomeFigures>) -> Option<&OutcomeFigures> {
    outcomes.get(&Outcome::Ok)
}

/// Quantiles 0.5 and 0.99; the second is none below 100 times, where it is the longest one.
fn quantiles(figures: Option<&LatencyFigures>) -> [Option<Estimate>; 2] {
    let Some(figures) = figures else {
        return [None, None];
    };
    let intervals = figures.intervals_95.unwrap_or_default();
    let p50 = Estimate::within(figures.p50_ns, intervals.p50_ns);
    let p99 = Estimate::within(figures.p99_ns, intervals.p99_ns);
    [p50, p99.filter(|_| figures.count >= 100)]
}

/// Share of the rounds that did not end well.
fn failed(round: &RoundResult) -> Option<Estimate> {
    let [failed, ended] = failures(&round.outcomes);
    Estimate::new((ended > 0.0).then(|| failed / ended)?, None)
}

/// How many did not end well, and how many ended at all. Counts from a file may be anything.
pub(super) fn failures(outcomes: &BTreeMap<Outcome, OutcomeFigures>) -> [f64; 2] {
    let count = |failed: bool| {
        let counted = outcomes.iter();
        let counted = counted.filter(|(outcome, _)| !failed || **outcome != Outcome::Ok);
        counted.fold(0.0, |sum, (_, figures)| sum + figures.count as f64)
    };
    [count(true), count(false)]
}

fn size(figures: Option<&SizeFigures>) -> Option<Estimate> {
    let figures = figures?;
    Estimate::new(figures.mean_bytes, mean_half(figures))
}

/// Half-width of the 95 % interval of the logarithm of a mean size. Sizes follow from what each workflow
/// drew for itself, and not from the moment: they are taken as independent, and as exact where all are
/// equal. `None` for a single one, which may be by chance, and where the histogram cannot be read.
fn mean_half(figures: &SizeFigures) -> Option<f64> {
    if figures.count < 2 || figures.mean_bytes <= 0.0 {
        return None;
    }
    if figures.min_bytes == figures.max_bytes {
        return Some(0.0);
    }
    let deviation = figures.sizes().ok()?.deviation_bytes()?;
    Some(1.959_964 * deviation / (figures.count as f64).sqrt() / figures.mean_bytes)
}
