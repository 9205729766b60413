use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figures::LatencyFigures;
use super::phase::Phased;
use super::ratio::{QuantileRatios, Ratio};
use super::spread::{self, SpreadComparison};
use super::steady::Measured;
use crate::by_outcome::merge_optional;
use crate::kind::{KindTally, RoundTally};
use crate::{Latency, Outcome, Recorder};

/// What to know of retries that nobody thinks before.
const AT_ONCE: &str = "; nobody thinks here, so a retry follows at once and may find a processor awake and caches \
                       warm where a first round, after a pause, does not";

/// What a retry (round 1 and later) costs against round 0, of the kinds that had both; successful rounds
/// alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RetryResult {
    /// All of it in one sentence.
    pub sentence: String,
    /// The kinds.
    pub kinds: Vec<String>,
    /// Service times of all retries over those of round 0.
    pub service: QuantileRatios,
    /// Response times of all retries over those of round 0, which hold what the generator was late.
    pub response: QuantileRatios,
    /// The same of each retry.
    pub rounds: Vec<RetryRound>,
    /// Service time of retries over round 0: geometric mean of the ratio in each second. Absent
    /// unless the scenario has kinds that differ only in their spread, of which it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_mean: Option<Ratio>,
    /// Service times of rounds with a state that went to the replica that had minted it, of all kinds
    /// and phases; absent when none did, and in fleets of more than 16 replicas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_replica: Option<LatencyFigures>,
    /// Those of rounds that went to another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_replica: Option<LatencyFigures>,
    /// Another replica over the same; absent without either, and where nobody thinks: the processor of the
    /// same replica is then awake, and its caches are warm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_over_same: Option<QuantileRatios>,
    /// Service times of retries over connections that had carried nothing before; connecting is not
    /// in them. Absent when there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_connection: Option<LatencyFigures>,
    /// Those of retries over connections that had; minimum and maximum are to 3 digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_connection: Option<LatencyFigures>,
    /// Kinds that differ only in which replicas their rounds go to; empty when no two do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spreads: Vec<SpreadComparison>,
}

/// One retry over round 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RetryRound {
    /// Position in the workflow, from 1.
    pub round: u16,
    /// Of service times.
    pub service: QuantileRatios,
    /// Of response times.
    pub response: QuantileRatios,
}

/// Service and response times of the same rounds.
struct Times {
    service: LatencyFigures,
    response: LatencyFigures,
}

impl Times {
    /// Those of the rounds that are given; `None` when none ended well.
    fn of<'a>(rounds: impl Iterator<Item = &'a RoundTally>) -> Option<Self> {
        let (mut service, mut response) = (None, None);
        for round in rounds {
            merge_optional(&mut service, round.outcomes.service(Outcome::Ok));
            merge_optional(&mut response, round.outcomes.response(Outcome::Ok));
        }
        Some(Self {
            service: LatencyFigures::of(&*service?)?,
            response: LatencyFigures::of(&*response?)?,
        })
    }

    fn over(&self, other: &Self) -> (QuantileRatios, QuantileRatios) {
        (
            QuantileRatios::of(&self.service, &other.service),
            QuantileRatios::of(&self.response, &other.response),
        )
    }
}

impl RetryResult {
    /// `None` when no kind had both a first round and a retry that ended well. Intervals need what the
    /// seconds measured.
    pub(crate) fn of(
        samples: &Recorder,
        kinds: &[KindTally],
        phased: Phased<'_>,
        measured: Option<&Measured<'_>>,
    ) -> Option<Self> {
        let names = &samples.shape().kinds;
        let with_retries: Vec<usize> = (0..kinds.len()).filter(|k| retries(&kinds[*k])).collect();
        let chosen = || with_retries.iter().map(|kind| &kinds[*kind]);
        let at = |round: usize| chosen().filter_map(move |kind| kind.rounds.get(round));
        let first = Times::of(at(0))?;
        let later = || chosen().flat_map(|kind| kind.rounds.iter().skip(1));
        let (service, mut response) = Times::of(later())?.over(&first);
        let deepest = chosen().map(|kind| kind.rounds.len()).max().unwrap_or(0);
        let mut rounds: Vec<RetryRound> = (1..deepest)
            .filter_map(|round| {
                let (service, response) = Times::of(at(round))?.over(&first);
                Some(RetryRound {
                    round: u16::try_from(round).ok()?,
                    service,
                    response,
                })
            })
            .collect();
        // Seconds do not tell kinds apart: they are of these when no other kind was busy.
        let others = (0..kinds.len()).any(|k| kinds[k].started > 0 && !with_retries.contains(&k));
        if let Some(measured) = measured.filter(|_| !others) {
            let widths = |later: Option<u16>| measured.ratios().get(&later).copied();
            give(&mut response, widths(None));
            for one in &mut rounds {
                give(&mut one.response, widths(Some(one.round)));
            }
        }
        let at_once = chosen().all(|kind| kind.think_ns == 0);
        let (same, other) = by_replica(samples);
        let (new, kept) = by_connection(later());
        let seconds = phased.seconds();
        let paired = samples.paired.as_deref().filter(|_| measured.is_some());
        let mut result = Self {
            sentence: String::new(),
            kinds: with_retries.iter().map(|k| names[*k].clone()).collect(),
            service,
            response,
            rounds,
            service_mean: paired.and_then(|tally| spread::retry_over_first(tally, &seconds)),
            other_over_same: (other.as_ref().zip(same.as_ref()))
                .filter(|_| !at_once)
                .map(|(other, same)| QuantileRatios::of(other, same)),
            same_replica: same,
            other_replica: other,
            new_connection: new,
            kept_connection: kept,
            spreads: paired.map_or_else(Vec::new, |tally| {
                spread::comparisons(tally, names, &seconds)
            }),
        };
        result.sentence = result.in_words();
        if at_once {
            result.sentence += AT_ONCE;
        }
        Some(result)
    }

    fn in_words(&self) -> String {
        let (cost, of) = match self.service_mean {
            Some(mean) => (mean, "the first round (mean service time)"),
            None => (self.service.p50, "the first round (median service time)"),
        };
        let interval = cost.interval_95.map_or_else(String::new, |(low, high)| {
            format!(" ({low:.2} to {high:.2})")
        });
        let mut text = format!("a retry costs {:.2}x{interval} of {of}", cost.ratio);
        for comparison in &self.spreads {
            text += "; ";
            text += &comparison.in_words();
        }
        text
    }
}

/// Whether a kind had both a first round and a retry that ended well.
fn retries(kind: &KindTally) -> bool {
    let ok = |round: &RoundTally| round.outcomes.count(Outcome::Ok) > 0;
    let mut rounds = kind.rounds.iter();
    rounds.next().is_some_and(ok) && rounds.any(ok)
}

fn give(ratios: &mut QuantileRatios, widths: Option<[Option<f64>; 2]>) {
    let [p50, p99] = widths.unwrap_or_default();
    ratios.p50 = ratios.p50.with(p50);
    ratios.p99 = ratios.p99.map(|ratio| ratio.with(p99));
}

/// Service times of rounds that met the replica that had minted their state, and of those that did not.
fn by_replica(samples: &Recorder) -> (Option<LatencyFigures>, Option<LatencyFigures>) {
    let (mut same, mut other) = (None, None);
    for (minted_by, opened_by, cell) in samples.matrix.cells() {
        let into = if minted_by == opened_by {
            &mut same
        } else {
            &mut other
        };
        merge_optional(into, cell.service.as_deref());
    }
    let figures = |latency: Option<Box<Latency>>| latency.as_deref().and_then(LatencyFigures::of);
    (figures(same), figures(other))
}

/// Service times over new connections, and over those that had carried another request.
fn by_connection<'a>(
    rounds: impl Iterator<Item = &'a RoundTally>,
) -> (Option<LatencyFigures>, Option<LatencyFigures>) {
    let (mut all, mut fresh) = (None, None);
    for round in rounds {
        merge_optional(&mut all, round.outcomes.service(Outcome::Ok));
        merge_optional(&mut fresh, round.fresh.as_deref());
    }
    let kept = match (&all, &fresh) {
        (Some(all), Some(fresh)) => LatencyFigures::of(&all.without(fresh)),
        (Some(all), None) => LatencyFigures::of(all),
        (None, _) => None,
    };
    (fresh.as_deref().and_then(LatencyFigures::of), kept)
}
