use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figure::Figure;
use super::turn_run::TurnRun;
use crate::TurnMedian;

/// Share of comparisons of equal contenders that may be told apart by chance, over all pairs of one
/// figure.
const FALSE_ALARMS: f64 = 0.05;

/// One figure of every contender.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FigureComparison {
    /// Which one.
    pub figure: Figure,
    /// Each contender that has it, in the order of the contenders.
    pub contenders: Vec<ContenderFigure>,
    /// The contenders from the lowest figure to the highest, in groups: every member of a group is
    /// told apart from every member of every other one, and the order within a group means nothing.
    pub ranks: Vec<Vec<usize>>,
}

/// One figure of one contender.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContenderFigure {
    /// Position in the list of contenders.
    pub contender: usize,
    /// Turns that it has the figure of.
    pub turns: usize,
    /// Median over those turns, in nanoseconds.
    pub median_ns: f64,
    /// 95 % interval of that median, in nanoseconds; absent with fewer than 6 turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_95_ns: Option<(f64, f64)>,
    /// The difference from the base; absent for the base itself, and without a common turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against_base: Option<AgainstBase>,
}

/// How a contender's figure stands to the base's of the same turns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgainstBase {
    /// Turns that both have the figure of.
    pub turns: usize,
    /// Its figure over the base's: the exponential of the median logarithm over turns.
    pub ratio: f64,
    /// 95 % interval of that ratio, by itself; absent with fewer than 6 turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_95: Option<(f64, f64)>,
    /// The interval of the level at which contenders are told apart; absent with fewer turns than that
    /// takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// Whether that interval leaves out 1.
    pub told_apart: bool,
}

/// The level of the intervals by which so many contenders are told apart. Of equal ones, about 5 % of
/// whole comparisons tell any two apart: the intervals are widened for the number of pairs
/// (Bonferroni).
pub(super) fn level(contenders: usize) -> f64 {
    let pairs = contenders * contenders.saturating_sub(1) / 2;
    1.0 - FALSE_ALARMS / pairs.max(1) as f64
}

impl FigureComparison {
    /// `None` where no contender has the figure.
    pub(super) fn of(figure: Figure, runs: &[TurnRun], base: usize, level: f64) -> Option<Self> {
        let mut numbers: Vec<usize> = runs.iter().map(|run| run.contender).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let contenders = numbers.iter().filter_map(|&contender| {
            let medians = TurnMedian::of(&values(figure, runs, contender))?;
            Some(ContenderFigure {
                contender,
                turns: medians.turns(),
                median_ns: medians.median(),
                interval_95_ns: medians.interval(0.95),
                against_base: (contender != base)
                    .then(|| ratio(figure, runs, contender, base))
                    .flatten()
                    .map(|ratio| AgainstBase::of(&ratio, level)),
            })
        });
        let contenders: Vec<ContenderFigure> = contenders.collect();
        let apart = |one, other| {
            ratio(figure, runs, one, other).is_some_and(|ratio| ratio.leaves_out_zero(level))
        };
        let ranks = ranks(&contenders, apart);
        (!contenders.is_empty()).then_some(Self {
            figure,
            contenders,
            ranks,
        })
    }

    /// The figure of one contender.
    pub fn contender(&self, contender: usize) -> Option<&ContenderFigure> {
        self.contenders
            .iter()
            .find(|one| one.contender == contender)
    }
}

impl AgainstBase {
    fn of(ratio: &TurnMedian, level: f64) -> Self {
        let exp = |(low, high): (f64, f64)| (low.exp(), high.exp());
        Self {
            turns: ratio.turns(),
            ratio: ratio.median().exp(),
            interval_95: ratio.interval(0.95).map(exp),
            interval: ratio.interval(level).map(exp),
            told_apart: ratio.leaves_out_zero(level),
        }
    }
}

fn values(figure: Figure, runs: &[TurnRun], contender: usize) -> Vec<f64> {
    let own = runs.iter().filter(|run| run.contender == contender);
    own.filter_map(|run| run.figure(figure)).collect()
}

/// Ratios of two contenders in the turns that both have the figure of.
fn ratio(figure: Figure, runs: &[TurnRun], one: usize, other: usize) -> Option<TurnMedian> {
    let of = |run: &&TurnRun| run.contender == one;
    let pairs = runs.iter().filter(of).filter_map(|run| {
        let same = |with: &&TurnRun| with.contender == other && with.turn == run.turn;
        let with = runs.iter().find(same)?;
        Some((run.figure(figure)?, with.figure(figure)?))
    });
    TurnMedian::of_log_ratios(&pairs.collect::<Vec<_>>())
}

/// Cuts the contenders, in the order of their medians, wherever all before the cut are told apart
/// from all after it.
fn ranks(contenders: &[ContenderFigure], apart: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut sorted: Vec<&ContenderFigure> = contenders.iter().collect();
    sorted.sort_by(|a, b| a.median_ns.total_cmp(&b.median_ns));
    let order: Vec<usize> = sorted.iter().map(|one| one.contender).collect();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (place, &contender) in order.iter().enumerate() {
        let (before, after) = order.split_at(place);
        let cut = before
            .iter()
            .all(|&one| after.iter().all(|&other| apart(one, other)));
        match groups.last_mut() {
            Some(group) if !cut => group.push(contender),
            _ => groups.push(vec![contender]),
        }
    }
    groups
}
