use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Judgement;
use crate::stats::{Wealth, above_zero, adjusted, median_of, turns_for, unanimous};

/// How pairs are judged. Every value of a series is the logarithm of a ratio, turned so that above 0 is
/// worse.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rule {
    /// When the pairs are looked at.
    pub look: Look,
    /// The probability that any figure of equal sides is called regressed or improved, at most; the same
    /// for calling any figure equal that differs by the smallest change.
    pub alpha: f64,
    /// The smallest change that matters, as a share: 0.02 for 2 %.
    pub min_change: f64,
}

/// When pairs are looked at. The two do not mix: a test for one look raises false alarms when it is
/// looked at again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    /// After each pair: bets on the signs of the pairs, at `alpha` over the number of figures, and for a
    /// change at half of that in each direction.
    AfterEachPair,
    /// Once, when all are there: Wilcoxon's signed-rank test, with Holm's correction.
    Once,
}

/// What speaks for each judgement. With a look after each pair these are e-values, products of bets: one
/// of at least the number of figures over `alpha` decides, for a change one of twice that. With one look they are p-values, corrected
/// for the number of figures: one of at most `alpha` decides.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// For worse.
    pub worse: f64,
    /// For better.
    pub better: f64,
    /// For within the smallest change on both sides: the weaker of the two tests.
    pub equal: f64,
}

/// The judgement on one series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ruling {
    pub(super) judgement: Judgement,
    /// Pairs after which it fell; `None` while it is open.
    pub(super) decided_after: Option<usize>,
    /// At that moment, or at the end; `None` where nothing was looked at.
    pub(super) evidence: Option<Evidence>,
}

impl Rule {
    /// How many pairs it takes at least to decide on so many figures: all on one side.
    pub fn fewest_pairs(&self, figures: usize) -> usize {
        let figures = figures.max(1) as f64;
        match self.look {
            Look::AfterEachPair => unanimous(2.0 * figures / self.alpha),
            Look::Once => turns_for(1.0 - self.alpha / figures).unwrap_or(usize::MAX),
        }
    }

    /// Judges series of the same pairs, one for each of `figures` figures. With one look, only when all
    /// pairs are there (`complete`).
    pub(super) fn rulings(
        &self,
        series: &[Vec<f64>],
        figures: usize,
        complete: bool,
    ) -> Vec<Ruling> {
        match self.look {
            Look::AfterEachPair => {
                let each = series.iter();
                each.map(|one| self.bets(one, figures)).collect()
            }
            Look::Once if complete => self.one_look(series),
            Look::Once => vec![Ruling::OPEN; series.len()],
        }
    }

    /// The smallest change that would have been called, had it come on top: the ratio less 1 by which
    /// the pairs, less their median, have to be moved, and never below the smallest that matters. `None`
    /// where no change would, for too few pairs.
    pub(super) fn smallest_seen(&self, series: &[f64], figures: usize) -> Option<f64> {
        let median = median_of(&mut series.to_vec())?;
        let around: Vec<f64> = series.iter().map(|value| value - median).collect();
        let seen = |change: f64| self.would_see(&around, change, figures);
        // Beyond the largest deviation every sign is the same.
        let widest = around.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        let (mut low, mut high) = (self.edge(), self.edge() + 1.001 * widest);
        if !seen(high) {
            return None;
        }
        if seen(low) {
            return Some(self.min_change);
        }
        for _ in 0..50 {
            let middle = f64::midpoint(low, high);
            if seen(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(high.exp_m1())
    }

    fn would_see(&self, around: &[f64], change: f64, figures: usize) -> bool {
        let moved: Vec<f64> = around.iter().map(|value| value + change).collect();
        match self.look {
            Look::AfterEachPair => self.bets(&moved, figures).judgement == Judgement::Regressed,
            Look::Once => {
                let alpha = self.alpha / figures.max(1) as f64;
                2.0 * above_zero(&moved) <= alpha
            }
        }
    }

    /// The smallest change that matters, as a logarithm.
    fn edge(&self) -> f64 {
        self.min_change.ln_1p()
    }

    /// The first judgement that falls is kept: what comes later would be another test.
    fn bets(&self, series: &[f64], figures: usize) -> Ruling {
        let enough = figures.max(1) as f64 / self.alpha;
        let edge = self.edge();
        let [mut worse, mut better, mut below, mut above] = [Wealth::new(); 4];
        let mut ruling = Ruling::OPEN;
        for (index, value) in series.iter().enumerate() {
            worse.bet(*value);
            better.bet(-value);
            below.bet(edge - value);
            above.bet(edge + value);
            let evidence = Evidence {
                worse: worse.mean(),
                better: better.mean(),
                equal: below.mean().min(above.mean()),
            };
            ruling.evidence = Some(evidence);
            let median = || median_of(&mut series[..=index].to_vec());
            let called = if evidence.worse >= 2.0 * enough && median() >= Some(edge) {
                Judgement::Regressed
            } else if evidence.better >= 2.0 * enough && median() <= Some(-edge) {
                Judgement::Improved
            } else if evidence.equal >= enough {
                Judgement::Equal
            } else {
                continue;
            };
            ruling.judgement = called;
            ruling.decided_after = Some(index + 1);
            break;
        }
        ruling
    }

    fn one_look(&self, series: &[Vec<f64>]) -> Vec<Ruling> {
        let edge = self.edge();
        let with_data = series.iter().enumerate().filter(|(_, one)| !one.is_empty());
        let (places, with_data): (Vec<usize>, Vec<&Vec<f64>>) = with_data.unzip();
        let test = |change: &dyn Fn(f64) -> f64| -> Vec<f64> {
            let moved = |one: &&Vec<f64>| one.iter().map(|v| change(*v)).collect::<Vec<_>>();
            with_data
                .iter()
                .map(|one| above_zero(&moved(one)))
                .collect()
        };
        let (worse, better) = (test(&|v| v), test(&|v| -v));
        let (below, above) = (test(&|v| edge - v), test(&|v| edge + v));
        // Of two sides the smaller counts twice.
        let both = |one: &[f64], other: &[f64], join: fn(f64, f64) -> f64| -> Vec<f64> {
            one.iter().zip(other).map(|(p, q)| join(*p, *q)).collect()
        };
        let changed = adjusted(&both(&worse, &better, |p, q| (2.0 * p.min(q)).min(1.0)));
        let equal = adjusted(&both(&below, &above, f64::max));
        let mut rulings = vec![Ruling::OPEN; series.len()];
        for (n, place) in places.into_iter().enumerate() {
            let up = worse[n] < better[n];
            let evidence = Evidence {
                worse: if up { changed[n] } else { 1.0 },
                better: if up { 1.0 } else { changed[n] },
                equal: equal[n],
            };
            let median = median_of(&mut with_data[n].clone()).unwrap_or(0.0);
            let judgement = if evidence.worse <= self.alpha && median >= edge {
                Judgement::Regressed
            } else if evidence.better <= self.alpha && median <= -edge {
                Judgement::Improved
            } else if evidence.equal <= self.alpha {
                Judgement::Equal
            } else {
                Judgement::Undecided
            };
            rulings[place] = Ruling {
                judgement,
                decided_after: Some(with_data[n].len()),
                evidence: Some(evidence),
            };
        }
        rulings
    }
}

impl Ruling {
    const OPEN: Self = Self {
        judgement: Judgement::Undecided,
        decided_after: None,
        evidence: None,
    };

    /// Whether it calls a change, which is an alarm where there is none.
    pub(super) fn is_alarm(&self) -> bool {
        matches!(self.judgement, Judgement::Regressed | Judgement::Improved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Random;

    const GATE: Rule = Rule {
        look: Look::AfterEachPair,
        alpha: 0.05,
        min_change: 0.02,
    };
    const ONCE: Rule = Rule {
        look: Look::Once,
        ..GATE
    };

    /// Pairs of this median change and this noise, normal.
    fn pairs(random: &mut Random, count: usize, change: f64, noise: f64) -> Vec<f64> {
        let mut one = || change.ln_1p() + noise * random.normal();
        (0..count).map(|_| one()).collect()
    }

    fn judged(rule: &Rule, series: &[Vec<f64>]) -> Vec<Judgement> {
        let rulings = rule.rulings(series, series.len(), true);
        rulings.into_iter().map(|one| one.judgement).collect()
    }

    /// Of 1000 gates with so many figures, in how many any was called that.
    fn called(
        rule: &Rule,
        figures: usize,
        called: &[Judgement],
        mut series: impl FnMut() -> Vec<f64>,
    ) -> usize {
        let gate = |_: &usize| {
            let all: Vec<Vec<f64>> = (0..figures).map(|_| series()).collect();
            judged(rule, &all).iter().any(|one| called.contains(one))
        };
        (0..1000).filter(gate).count()
    }

    const CHANGED: [Judgement; 2] = [Judgement::Regressed, Judgement::Improved];

    /// Of 1000 gates, how many raise an alarm of one kind; the kind that has more.
    fn alarms(figures: usize, mut series: impl FnMut() -> Vec<f64>) -> usize {
        let each = CHANGED.map(|kind| called(&GATE, figures, &[kind], &mut series));
        each[0].max(each[1])
    }

    #[test]
    fn equal_sides_are_seldom_told_apart_however_often_one_looks() {
        // At most 4 % of 1000 gates call a regression, over up to 120 pairs; nor an improvement.
        for (seed, figures, noise) in [(1, 1, 0.1), (2, 4, 0.1), (3, 4, 0.03), (4, 12, 0.3)] {
            let mut random = Random(seed);
            let alarms = alarms(figures, || pairs(&mut random, 120, 0.0, noise));
            assert!(alarms <= 40, "{figures} figures, noise {noise}: {alarms}");
        }
    }

    #[test]
    fn noise_with_a_memory_raises_no_more_alarms() {
        // A machine that drifts, in turns of four runs whose order a coin decides.
        let mut random = Random(5);
        let alarms = alarms(4, || {
            let mut level = 0.0;
            let mut all = Vec::new();
            for _ in 0..60 {
                let mut run = || {
                    level = 0.9 * level + 0.05 * random.normal();
                    level
                };
                let (first, last) = (run() - run(), run() - run());
                let coin = if random.uniform() < 0.5 { 1.0 } else { -1.0 };
                all.extend([coin * first, -coin * last]);
            }
            all
        });
        assert!(alarms <= 40, "{alarms}");
    }

    #[test]
    fn one_look_keeps_its_level_too() {
        let mut random = Random(6);
        let alarms = called(&ONCE, 4, &CHANGED, || pairs(&mut random, 30, 0.0, 0.1));
        // 50 are the promise; three sigma more are 70.
        assert!(alarms <= 70, "{alarms}");
    }

    #[test]
    fn a_change_that_matters_is_found() {
        let found = |rule: &Rule, count, change, noise| {
            let mut random = Random(7);
            called(rule, 1, &[Judgement::Regressed], || {
                pairs(&mut random, count, change, noise)
            })
        };
        // 3 % in a noise of 7 % by pair (two runs of 5 %): the price of looking whenever one likes.
        let (gate, once) = (found(&GATE, 60, 0.03, 0.07), found(&ONCE, 60, 0.03, 0.07));
        assert!((380..560).contains(&gate), "{gate}");
        assert!((750..950).contains(&once), "{once}");
        assert!(once > gate + 50, "{gate} {once}");
        // 5 % with 3 % of noise, as short runs have: within 40 pairs, hardly ever missed.
        let sure = found(&GATE, 40, 0.05, 0.03);
        assert!(sure >= 985, "{sure}");
        let four = {
            let mut random = Random(8);
            let gates = (0..1000).filter(|_| {
                let mut all = vec![pairs(&mut random, 40, 0.05, 0.03)];
                all.extend((0..3).map(|_| pairs(&mut random, 40, 0.0, 0.1)));
                judged(&GATE, &all)[0] == Judgement::Regressed
            });
            gates.count()
        };
        assert!(four >= 970, "{four}");
    }

    #[test]
    fn better_is_worse_turned_round() {
        let mut random = Random(9);
        for rule in [GATE, ONCE] {
            let worse = pairs(&mut random, 40, 0.2, 0.05);
            let better = worse.iter().map(|value| -value).collect();
            assert_eq!(judged(&rule, &[worse, better]), CHANGED);
        }
    }

    #[test]
    fn equal_is_proved_and_not_assumed() {
        let mut random = Random(10);
        for rule in [GATE, ONCE] {
            let calm = pairs(&mut random, 60, 0.0, 0.005);
            assert_eq!(
                judged(&rule, std::slice::from_ref(&calm)),
                [Judgement::Equal]
            );
            assert_eq!(judged(&rule, &[calm[..4].to_vec()]), [Judgement::Undecided]);
            let wild = pairs(&mut random, 60, 0.0, 0.5);
            assert_eq!(judged(&rule, &[wild]), [Judgement::Undecided]);
        }
        // A change of just the smallest that matters is called equal at the promised rate only.
        let wrong = called(&GATE, 1, &[Judgement::Equal], || {
            pairs(&mut random, 120, 0.02, 0.02)
        });
        assert!(wrong <= 50, "{wrong}");
    }

    #[test]
    fn a_sure_change_that_is_too_small_is_none() {
        for rule in [GATE, ONCE] {
            let series = vec![0.01; 30];
            assert_eq!(judged(&rule, &[series]), [Judgement::Equal]);
        }
    }

    #[test]
    fn ties_decide_nothing_about_a_change() {
        let series = vec![0.0; 50];
        for rule in [GATE, ONCE] {
            let ruling = rule.rulings(std::slice::from_ref(&series), 1, true)[0];
            assert_eq!(ruling.judgement, Judgement::Equal);
            let evidence = ruling.evidence.expect("it was looked at");
            assert_eq!((evidence.worse, evidence.better), (1.0, 1.0));
        }
    }

    #[test]
    fn what_fell_stays() {
        let mut series = vec![0.1; 8];
        series.extend([-0.1; 30]);
        let ruling = GATE.rulings(&[series], 1, true)[0];
        assert_eq!(ruling.judgement, Judgement::Regressed);
        assert_eq!(ruling.decided_after, Some(8));
    }

    #[test]
    fn one_look_waits_for_all_pairs() {
        let series = vec![vec![0.1; 20]];
        assert_eq!(ONCE.rulings(&series, 1, false), [Ruling::OPEN]);
        assert_eq!(judged(&ONCE, &series), [Judgement::Regressed]);
        assert_eq!(ONCE.rulings(&[vec![]], 1, true), [Ruling::OPEN]);
    }

    #[test]
    fn the_fewest_pairs_decide_when_they_agree() {
        for rule in [GATE, ONCE] {
            for figures in [1, 4, 12] {
                let fewest = rule.fewest_pairs(figures);
                let all = |count: usize| {
                    let series = vec![vec![0.1; count]; figures];
                    judged(&rule, &series)
                };
                assert_eq!(all(fewest), vec![Judgement::Regressed; figures]);
                assert_eq!(all(fewest - 1), vec![Judgement::Undecided; figures]);
            }
        }
        assert_eq!((GATE.fewest_pairs(1), GATE.fewest_pairs(12)), (8, 13));
        assert_eq!((ONCE.fewest_pairs(1), ONCE.fewest_pairs(4)), (6, 8));
    }

    #[test]
    fn the_smallest_change_seen_is_where_seeing_begins() {
        let mut random = Random(12);
        for rule in [GATE, ONCE] {
            let series = pairs(&mut random, 30, 0.3, 0.08);
            let smallest = rule.smallest_seen(&series, 1).expect("enough pairs");
            assert!((0.02..0.12).contains(&smallest), "{smallest}");
            let median = median_of(&mut series.clone()).expect("there are pairs");
            let moved = |change: f64| {
                let by = change.ln_1p() - median;
                vec![series.iter().map(|value| value + by).collect::<Vec<_>>()]
            };
            assert_eq!(
                judged(&rule, &moved(smallest + 1e-6)),
                [Judgement::Regressed]
            );
            let less = judged(&rule, &moved(smallest - 1e-4));
            assert_ne!(less, [Judgement::Regressed], "{smallest}");
            assert_eq!(rule.smallest_seen(&series[..4], 1), None);
            let calm = rule.smallest_seen(&[0.0; 30], 1).expect("enough pairs");
            assert!((calm - 0.02).abs() < 1e-4, "{calm}");
        }
    }
}
