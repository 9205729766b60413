use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figures::{LatencyFigures, QuantileIntervals};
use super::intervals::{Intervals, Ratios, intervals};
use super::phase::Phased;
use crate::Recorder;
use crate::buckets::{Buckets, Pool};
use crate::finished::Series;
use crate::seconds::{Seconds, Unread};
use crate::stats::{Cut, cut, trend};

/// Mann-Kendall's deviate beyond which a series drifts: 1 in 100 does without a trend.
const DRIFT_Z: f64 = 2.576;
/// The smallest change that is worth a word, as a share.
const DRIFT_CHANGE: f64 = 0.02;

/// What the run's seconds say about its steady state. Of each second the mean logarithm of the
/// response times of its successful first rounds is looked at: whole workflows hold the time in which
/// users think, and those that end in the first seconds are the quick ones.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Steady {
    /// Seconds at the start that a rule (MSER) cuts from the headline response times as warm-up, 0
    /// when it cuts none; absent when there is no answer: see `reason`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warmup_cut_s: Option<f64>,
    /// Why, in one sentence.
    pub reason: String,
    /// Whether the best cut would be half the run or more: it never settled.
    pub refused: bool,
    /// How response times moved in what is left; absent in runs too short to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<Drift>,
    /// Response times of successful workflows that ended after the cut; absent when none was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<LatencyFigures>,
    /// Response times of the successful rounds that ended after the cut; empty when none was made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<SteadyRound>,
}

/// Response times of the successful rounds of one position, after the cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SteadyRound {
    /// Position in the workflow, from 0.
    pub round: u16,
    /// The times. Minimum, maximum and mean are those of the histogram's buckets, to 3 digits.
    pub response: LatencyFigures,
}

/// A movement of response times over the run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Drift {
    /// Mann-Kendall's test for a trend as a standard normal deviate; beyond 2.576 on either side, 1
    /// series in 100 is without a trend. Above 0 they rise.
    pub z: f64,
    /// Change from start to end along Sen's slope, as a share: 0.1 is 10 % longer.
    pub change: f64,
    /// Whether that is a drift: beyond 2.576, and 2 % or more.
    pub drifts: bool,
}

/// What the headline seconds hold.
#[derive(Debug)]
pub(crate) struct Measured<'a> {
    samples: &'a Seconds,
    seconds: Vec<usize>,
    /// Seconds in which first rounds ended well: place, and mean logarithm of their response times.
    logarithms: Vec<(usize, f64)>,
    intervals: Intervals,
    ratios: Ratios,
    unread: Vec<Unread>,
}

impl<'a> Measured<'a> {
    /// What ended in the drain is left out, since the seconds after the last send are not like
    /// those before.
    pub(crate) fn new(samples: &'a Recorder, phased: Phased<'_>) -> Self {
        let (samples, seconds) = (&samples.seconds, phased.seconds());
        let mut logarithms = Vec::new();
        let (intervals, ratios, unread) =
            intervals(samples, &seconds, |second, series, buckets| {
                if let (Series::Round(0), Ok(place)) = (series, seconds.binary_search(&second)) {
                    logarithms.push((place, mean_logarithm(buckets)));
                }
            });
        Self {
            samples,
            seconds,
            logarithms,
            intervals,
            ratios,
            unread,
        }
    }

    /// The intervals of every series.
    pub(crate) fn intervals(&self) -> &Intervals {
        &self.intervals
    }

    /// How far ratios of retries to round 0 may be off.
    pub(crate) fn ratios(&self) -> &Ratios {
        &self.ratios
    }

    /// What could not be read back.
    pub(crate) fn unread(&self) -> &[Unread] {
        &self.unread
    }

    /// What these seconds say about steady state.
    pub(crate) fn steady(&self, phased: Phased<'_>) -> Steady {
        let series = &self.logarithms;
        let values: Vec<f64> = series.iter().map(|(_, x)| *x).collect();
        let mut steady = Steady::default();
        let mut from = 0;
        if phased.is_shaped() {
            "the scenario says what is warm-up, or changes the load".clone_into(&mut steady.reason);
        } else {
            match cut(&values) {
                Cut::TooShort => {
                    "fewer than 20 seconds in which first rounds ended well"
                        .clone_into(&mut steady.reason);
                }
                Cut::Refused => {
                    steady.refused = true;
                    "the run never settled: the best cut is half of it"
                        .clone_into(&mut steady.reason);
                }
                Cut::First(0) => {
                    steady.warmup_cut_s = Some(0.0);
                    "the start is like the rest".clone_into(&mut steady.reason);
                }
                Cut::First(values) => {
                    from = values;
                    self.after(series[values].0, &mut steady);
                }
            }
        }
        steady.drift = (!phased.headline_moves())
            .then(|| trend(&values[from..]))
            .flatten()
            .map(|trend| {
                let change = trend.change.exp() - 1.0;
                Drift {
                    z: trend.z,
                    change,
                    drifts: trend.z.abs() > DRIFT_Z && change.abs() >= DRIFT_CHANGE,
                }
            });
        steady
    }

    /// Figures of what ended in the second at this place or later.
    fn after(&self, place: usize, steady: &mut Steady) {
        let cut = self.seconds[place];
        steady.warmup_cut_s = Some(cut as f64);
        steady.reason = format!(
            "the first {cut} s are not like the rest (MSER); headline response times leave them \
             out"
        );
        let mut kept: BTreeMap<Series, Pool> = BTreeMap::new();
        let after = &self.seconds[place..];
        let (intervals, _, _) = intervals(self.samples, after, |second, one, buckets| {
            if second >= cut {
                kept.entry(one).or_default().add(buckets);
            }
        });
        for (one, pool) in kept {
            let Some(mut response) = LatencyFigures::of(&pool.latency()) else {
                continue;
            };
            // A series that has ended before the cut, but for its drain, has none.
            let none = self
                .intervals
                .get(&one)
                .map(|_| QuantileIntervals::default());
            response.intervals_95 = intervals.get(&one).copied().or(none);
            match one {
                Series::Workflow => steady.workflow = Some(response),
                Series::Round(round) => steady.rounds.push(SteadyRound { round, response }),
            }
        }
    }
}

fn mean_logarithm(buckets: &Buckets) -> f64 {
    let sum: f64 = buckets
        .values()
        .map(|(ns, count)| (ns.max(1) as f64).ln() * count as f64)
        .sum();
    sum / buckets.count() as f64
}
