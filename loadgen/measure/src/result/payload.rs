use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body_refusals::BodyRefusals;
use super::figures::SizeFigures;
use super::law::Growth;
use super::work::{KindResult, RoundResult};
use crate::Recorder;
use crate::stats::line;

/// Least difference between the smallest and the largest round that a growth of service time is taken from, in
/// KiB.
const KIB_MIN: f64 = 1.0;
/// Fewest rounds that a growth of service time is taken from.
const ROUNDS_MIN: usize = 4;

/// How what travels grows from round to round, of the kinds that receive states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PayloadResult {
    /// Longest request body that the target is meant to take, in bytes; absent when nobody said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_limit_bytes: Option<u64>,
    /// Each kind that received a state, in the order of the scenario.
    pub kinds: Vec<PayloadKind>,
}

/// The same of one kind. What the bytes of each round are, its `rounds` say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PayloadKind {
    /// Its name.
    pub name: String,
    /// All of it in one sentence.
    pub sentence: String,
    /// Received states.
    pub state: Growth,
    /// Request bodies of the rounds that sent a state.
    pub request: Growth,
    /// Response bodies of the rounds in which every answer brought a state.
    pub response: Growth,
    /// Mean bytes of the bodies of an ended workflow, requests and responses; of attempts that others
    /// followed nothing is in it. Absent when none ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow_bytes: Option<f64>,
    /// The first round whose request is longer than the body limit by the law of `request`; absent
    /// when none is, and without law or limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_round: Option<u64>,
    /// Requests that were refused as too large; absent when none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<BodyRefusals>,
    /// How service time grows with size; absent with fewer than four rounds after round 0, and
    /// where their sizes differ by less than 1 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<ServiceGrowth>,
}

/// A line through the median service times of the rounds after round 0, against the mean bytes of their
/// bodies, request and response together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceGrowth {
    /// Its slope, in microseconds for each KiB.
    pub us_per_kib: f64,
    /// The slope's standard error, in the same unit. It takes the rounds for independent.
    pub standard_error: f64,
}

impl PayloadResult {
    /// `None` when no kind received a state. `round_cap`: most retries of a workflow.
    pub(crate) fn of(
        samples: &Recorder,
        kinds: &[KindResult],
        round_cap: Option<u16>,
    ) -> Option<Self> {
        let limit = samples.body_limit;
        let refused = |index: usize| samples.refused_bodies.get(index).copied().flatten();
        let kinds: Vec<PayloadKind> = kinds
            .iter()
            .enumerate()
            .filter_map(|(index, kind)| PayloadKind::of(kind, limit, refused(index), round_cap))
            .collect();
        (!kinds.is_empty()).then_some(Self {
            body_limit_bytes: limit,
            kinds,
        })
    }
}

impl PayloadKind {
    fn of(
        kind: &KindResult,
        limit: Option<u64>,
        refused: Option<BodyRefusals>,
        round_cap: Option<u16>,
    ) -> Option<Self> {
        let state = growth(&kind.rounds, |round| round.state_received.as_ref());
        if state.rounds == 0 {
            return None;
        }
        let count = |figures: &Option<SizeFigures>| figures.as_ref().map(|figures| figures.count);
        let request = growth(&kind.rounds, |round| {
            round
                .request
                .as_ref()
                .filter(|_| round.state_sent.is_some())
        });
        let response = growth(&kind.rounds, |round| {
            let asks = count(&round.response) == count(&round.state_received);
            round.response.as_ref().filter(|_| asks)
        });
        let limit_round = limit.and_then(|limit| request.law?.first_above(limit));
        let mut one = Self {
            name: kind.name.clone(),
            sentence: String::new(),
            state,
            request,
            response,
            workflow_bytes: kind.workflow_bytes(),
            limit_round,
            refused,
            service: ServiceGrowth::of(&kind.rounds),
        };
        one.sentence = one.in_words(limit, round_cap);
        Some(one)
    }

    fn in_words(&self, limit: Option<u64>, round_cap: Option<u16>) -> String {
        let mut text = format!("state {}", self.state.in_words());
        let met = match (limit, self.request.law, self.limit_round) {
            (Some(_), Some(_), Some(round)) => {
                let cap = round_cap.filter(|cap| u64::from(*cap) < round);
                let far = cap.map_or_else(String::new, |cap| {
                    format!(", which the cap of {cap} retries keeps out of reach")
                });
                format!("is met in round {}{far}", grouped(round))
            }
            (Some(_), Some(_), None) => "is never met".to_owned(),
            _ => String::new(),
        };
        if let (Some(limit), false) = (limit, met.is_empty()) {
            text += &format!(": a body limit of {} {met}", size(limit));
        }
        if let Some(refused) = self.refused {
            text += &format!(
                "; the first request that was too large was one of round {}, the smallest had {} B",
                grouped(u64::from(refused.first_round)),
                grouped(refused.smallest_bytes)
            );
        }
        text
    }
}

impl ServiceGrowth {
    fn of(rounds: &[RoundResult]) -> Option<Self> {
        let points = rounds.iter().skip(1).filter_map(|round| {
            let bytes = round.request.as_ref()?.mean_bytes + round.response.as_ref()?.mean_bytes;
            let service = round.ok()?.service.as_ref()?;
            Some((bytes / 1024.0, service.p50_ns as f64 / 1e3))
        });
        let points: Vec<(f64, f64)> = points.collect();
        let sizes = || points.iter().map(|(kib, _)| *kib);
        let (least, most) = (sizes().reduce(f64::min)?, sizes().reduce(f64::max)?);
        let tells = points.len() >= ROUNDS_MIN && most - least >= KIB_MIN;
        let line = line(&points).filter(|_| tells)?;
        Some(Self {
            us_per_kib: line.slope,
            standard_error: line.standard_error,
        })
    }
}

fn growth(rounds: &[RoundResult], of: impl Fn(&RoundResult) -> Option<&SizeFigures>) -> Growth {
    let means = rounds
        .iter()
        .filter_map(|round| Some((f64::from(round.round), of(round)?.mean_bytes)));
    Growth::of(&means.collect::<Vec<_>>())
}

/// A number with a space behind each third digit from the right.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A size in the largest unit of which it is a whole number.
fn size(bytes: u64) -> String {
    for (shift, unit) in [(20, "MiB"), (10, "KiB")] {
        if bytes > 0 && bytes.is_multiple_of(1 << shift) {
            return format!("{} {unit}", grouped(bytes >> shift));
        }
    }
    format!("{} B", grouped(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_sizes_are_easy_to_read() {
        let all = [7, 999, 12_300, 4_194_305].map(grouped);
        assert_eq!(all, ["7", "999", "12 300", "4 194 305"]);
        let all = [4 << 20, 65_536, 100_000, 0].map(size);
        assert_eq!(all, ["4 MiB", "64 KiB", "100 000 B", "0 B"]);
    }
}
