use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rule::{Evidence, Rule, Ruling};
use super::side::SideRun;
use super::turns::{ControlPair, Pair};
use crate::stats::median_of;
use crate::{Better, Judgement, Metric, TurnMedian};

/// One figure of both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairedFigure {
    /// The figure, as in `workflow.p50_ms`; its unit is in the name.
    pub name: String,
    /// Which way it is better.
    pub better: Better,
    /// The judgement.
    pub judgement: Judgement,
    /// Pairs after which it fell; absent while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_after: Option<usize>,
    /// Whether a judgement had fallen and is not given, since the control was not equal to itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withheld: bool,
    /// Pairs that have it on both sides.
    pub pairs: usize,
    /// Those in which it was the same on both sides.
    pub ties: usize,
    /// Pairs that count but do not have it above 0 on both sides.
    pub without: usize,
    /// Median over the runs of a; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a_median: Option<f64>,
    /// Median over the runs of b; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub b_median: Option<f64>,
    /// b over a, of all pairs; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<PairedChange>,
    /// What speaks for each judgement, when it fell or by now; absent when nothing was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The smallest change, as a share, that would have been called with so many pairs of this spread;
    /// absent where none would, for too few pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest_change_seen: Option<f64>,
    /// One side against itself in the same turns.
    pub control: PairedControl,
}

/// Ratios of pairs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairedChange {
    /// The exponential of the median of `log_ratios`.
    pub ratio: f64,
    /// 95 % interval of that ratio, by a bootstrap over pairs, as if their number had been fixed before:
    /// where pairs were added until something was decided, it is for the eye and not for a judgement.
    /// Absent with fewer than 6 pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_95_fixed_n: Option<(f64, f64)>,
    /// Spread of one pair, as a share: 1.4826 times the median distance of `log_ratios` from their median,
    /// which estimates the standard deviation of normal ones.
    pub spread: f64,
    /// The natural logarithm of each pair's ratio, in the order of time.
    pub log_ratios: Vec<f64>,
}

/// The same side twice, as far apart in time as the sides of a pair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairedControl {
    /// What the rule says of it: regressed and improved are false alarms.
    pub judgement: Judgement,
    /// Its ratios; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<PairedChange>,
}

/// Logarithms of the ratios of one figure.
pub(super) struct Ratios {
    pub(super) pairs: Vec<f64>,
    pub(super) control: Vec<f64>,
}

impl Ratios {
    pub(super) fn of(name: &str, pairs: &[Pair<'_>], control: &[ControlPair<'_>]) -> Self {
        let log =
            |over: &SideRun, under: &SideRun| Some((over.figure(name)? / under.figure(name)?).ln());
        Self {
            pairs: pairs.iter().filter_map(|p| log(p.b, p.a)).collect(),
            control: control.iter().filter_map(|p| log(p.one, p.other)).collect(),
        }
    }

    /// Both, turned so that above 0 is worse.
    pub(super) fn turned(&self, better: Better) -> (Vec<f64>, Vec<f64>) {
        let turn = |values: &[f64]| match better {
            Better::Lower => values.to_vec(),
            Better::Higher => values.iter().map(|value| -value).collect(),
        };
        (turn(&self.pairs), turn(&self.control))
    }
}

impl PairedFigure {
    /// Of these ratios, with the rulings on them and on the control.
    pub(super) fn of(
        metric: &Metric,
        ratios: Ratios,
        (ruling, control): (Ruling, Ruling),
        (rule, figures): (&Rule, usize),
        pairs: &[Pair<'_>],
    ) -> Self {
        let name = metric.to_string();
        let median = |side: for<'p> fn(&Pair<'p>) -> &'p SideRun| {
            let values = pairs.iter().filter_map(|pair| side(pair).figure(&name));
            median_of(&mut values.collect::<Vec<_>>())
        };
        let withheld = control.is_alarm() && ruling.judgement != Judgement::Undecided;
        Self {
            better: metric.better(),
            judgement: if withheld {
                Judgement::Undecided
            } else {
                ruling.judgement
            },
            decided_after: ruling.decided_after,
            withheld,
            pairs: ratios.pairs.len(),
            ties: ratios.pairs.iter().filter(|log| **log == 0.0).count(),
            without: pairs.len() - ratios.pairs.len(),
            a_median: median(|pair| pair.a),
            b_median: median(|pair| pair.b),
            evidence: ruling.evidence,
            smallest_change_seen: rule.smallest_seen(&ratios.turned(metric.better()).0, figures),
            change: PairedChange::of(ratios.pairs),
            control: PairedControl {
                judgement: control.judgement,
                change: PairedChange::of(ratios.control),
            },
            name,
        }
    }
}

impl PairedChange {
    fn of(log_ratios: Vec<f64>) -> Option<Self> {
        let medians = TurnMedian::of(&log_ratios)?;
        let middle = medians.median();
        let mut away: Vec<f64> = log_ratios.iter().map(|v| (v - middle).abs()).collect();
        Some(Self {
            ratio: middle.exp(),
            interval_95_fixed_n: medians.interval(0.95).map(|(l, h)| (l.exp(), h.exp())),
            spread: 1.4826 * median_of(&mut away)?,
            log_ratios,
        })
    }
}
