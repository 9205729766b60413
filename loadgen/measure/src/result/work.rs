use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figures::{
    LatencyFigures, OutcomeFigures, QuantileIntervals, SizeFigures, WithFailures,
};
use crate::finished::Series;
use crate::kind::{KindTally, RoundTally};
use crate::{Latency, Outcome};

/// What one workflow kind did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KindResult {
    /// Name of the kind in the scenario; `all` for every kind together.
    pub name: String,
    /// Workflows that were taken up.
    pub started: u64,
    /// Whole workflows by outcome; only outcomes that happened.
    pub workflows: BTreeMap<Outcome, OutcomeFigures>,
    /// Response times of whole workflows with failures counted as longest.
    pub workflows_with_failures: WithFailures,
    /// Mean rounds per ended workflow that were sent, or failed before they could be; absent when none ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_rounds: Option<f64>,
    /// Mean answering (think) time inside an ended workflow, in nanoseconds; absent when none
    /// ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_think_ns: Option<f64>,
    /// Growth of the mean received state from its first to its last round, in bytes per round;
    /// absent with fewer than two rounds that received one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_growth_bytes_per_round: Option<f64>,
    /// Its rounds, from 0.
    pub rounds: Vec<RoundResult>,
}

/// What one round of one workflow kind did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoundResult {
    /// Position in the workflow, from 0.
    pub round: u16,
    /// Rounds that ended or were watched to the end, also those of which nothing was sent.
    pub count: u64,
    /// Rounds of which something was sent.
    pub sent: u64,
    /// Attempts to have it answered, second and later ones included. One whose connection is refused
    /// is an attempt too.
    pub attempts: u64,
    /// Attempts of which something was sent.
    pub attempts_sent: u64,
    /// Rounds by outcome; only outcomes that happened.
    pub outcomes: BTreeMap<Outcome, OutcomeFigures>,
    /// Attempts that another attempt followed, by outcome; their times are service times.
    pub superseded: BTreeMap<Outcome, OutcomeFigures>,
    /// Response times with failures counted as longest.
    pub with_failures: WithFailures,
    /// Request bodies; absent when nothing was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<SizeFigures>,
    /// Response bodies; absent when no answer came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<SizeFigures>,
    /// Request states that were sent; absent when there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_sent: Option<SizeFigures>,
    /// Request states that were received; absent when there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_received: Option<SizeFigures>,
    /// What servers reported about their own work on successful rounds.
    pub server: ServerFigures,
}

/// Figures from the `Server-Timing` headers of successful rounds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServerFigures {
    /// Checking and recovering the request state; absent when not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<LatencyFigures>,
    /// The tool's own work; absent when not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<LatencyFigures>,
    /// Protecting the next request state; absent when not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<LatencyFigures>,
    /// Sum of open and seal times over the sum of the service times of the rounds that reported
    /// either, 0 to 1; absent when none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_and_seal_share: Option<f64>,
}

impl KindResult {
    pub(crate) fn of(name: &str, kind: &KindTally) -> Self {
        let ended = kind.workflows.total();
        let per_ended = |sum: u64| (ended > 0).then(|| sum as f64 / ended as f64);
        let rounds: Vec<RoundResult> = (0_u16..)
            .zip(&kind.rounds)
            .map(|(round, tally)| RoundResult::of(round, tally))
            .collect();
        Self {
            name: name.to_owned(),
            started: kind.started,
            workflows: OutcomeFigures::map(&kind.workflows),
            workflows_with_failures: WithFailures::of(&kind.workflows),
            mean_rounds: per_ended(kind.workflow_rounds),
            mean_think_ns: per_ended(kind.think_ns),
            state_growth_bytes_per_round: state_growth(&rounds),
            rounds,
        }
    }

    pub(crate) fn give_intervals(&mut self, intervals: &BTreeMap<Series, QuantileIntervals>) {
        let give = |outcomes: &mut BTreeMap<Outcome, OutcomeFigures>, series| {
            let ok = outcomes.get_mut(&Outcome::Ok);
            if let Some(response) = ok.and_then(|ok| ok.response.as_mut()) {
                response.intervals_95 = intervals.get(&series).copied();
            }
        };
        give(&mut self.workflows, Series::Workflow);
        for round in &mut self.rounds {
            give(&mut round.outcomes, Series::Round(round.round));
        }
    }

    /// Mean bytes of the bodies of an ended workflow, requests and responses; `None` when none ended.
    pub fn workflow_bytes(&self) -> Option<f64> {
        let ended: u64 = self.workflows.values().map(|figures| figures.count).sum();
        let of = |figures: &Option<SizeFigures>| figures.as_ref().map_or(0, |f| f.sum_bytes);
        let rounds = self.rounds.iter();
        let bytes: u64 = rounds.map(|r| of(&r.request) + of(&r.response)).sum();
        (ended > 0).then(|| bytes as f64 / ended as f64)
    }

    /// Workflows that ended well.
    pub fn ok(&self) -> Option<&OutcomeFigures> {
        self.workflows.get(&Outcome::Ok)
    }
}

impl RoundResult {
    fn of(round: u16, tally: &RoundTally) -> Self {
        let figures =
            |latency: &Option<Box<Latency>>| latency.as_deref().and_then(LatencyFigures::of);
        let sum = |latency: &Option<Box<Latency>>| latency.as_deref().map_or(0, Latency::sum_ns);
        let protecting = sum(&tally.open).saturating_add(sum(&tally.seal));
        Self {
            round,
            count: tally.outcomes.total(),
            sent: tally.sent,
            attempts: tally.attempts,
            attempts_sent: tally.last_sent + tally.superseded_sent,
            outcomes: OutcomeFigures::map(&tally.outcomes),
            superseded: OutcomeFigures::map(&tally.superseded),
            with_failures: WithFailures::of(&tally.outcomes),
            request: SizeFigures::of(&tally.request),
            response: SizeFigures::of(&tally.response),
            state_sent: SizeFigures::of(&tally.state_sent),
            state_received: SizeFigures::of(&tally.state_received),
            server: ServerFigures {
                open: figures(&tally.open),
                handle: figures(&tally.handle),
                seal: figures(&tally.seal),
                open_and_seal_share: (tally.timed_service_ns > 0)
                    .then(|| protecting as f64 / tally.timed_service_ns as f64),
            },
        }
    }

    /// Rounds that ended well.
    pub fn ok(&self) -> Option<&OutcomeFigures> {
        self.outcomes.get(&Outcome::Ok)
    }
}

fn state_growth(rounds: &[RoundResult]) -> Option<f64> {
    let mut with_state = rounds
        .iter()
        .filter_map(|round| Some((round.round, round.state_received.as_ref()?.mean_bytes)));
    let (first_round, first) = with_state.next()?;
    let (last_round, last) = with_state.next_back()?;
    Some((last - first) / f64::from(last_round - first_round))
}
