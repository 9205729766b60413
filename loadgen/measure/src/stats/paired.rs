use crate::stats::random::Random;

/// Resamples of a bootstrap.
const RESAMPLES: usize = 10_000;
/// Where the random numbers of every bootstrap begin: the same values give the same interval.
const SEED: u64 = 0x7475_726e;

/// The median of a few values, one a turn, and how it would vary with other turns.
///
/// Turns are drawn again with replacement, as many as there are, and the median of each draw is
/// noted: the percentile interval of the bootstrap (Efron, Annals of Statistics 7, 1979). Turns are
/// taken as exchangeable; drift over the turns has to be cancelled by their order.
#[derive(Debug, Clone)]
pub struct TurnMedian {
    turns: usize,
    median: f64,
    /// Medians of the draws, rising.
    drawn: Vec<f64>,
}

impl TurnMedian {
    /// Of these values; `None` without any, or when one is not finite.
    pub fn of(values: &[f64]) -> Option<Self> {
        if !values.iter().all(|value| value.is_finite()) {
            return None;
        }
        let median = median_of(&mut values.to_vec())?;
        let mut random = Random(SEED);
        let mut draw = vec![0.0; values.len()];
        let mut drawn: Vec<f64> = (0..RESAMPLES)
            .filter_map(|_| {
                for value in &mut draw {
                    *value = values[(random.uniform() * values.len() as f64) as usize];
                }
                median_of(&mut draw)
            })
            .collect();
        drawn.sort_unstable_by(f64::total_cmp);
        Some(Self {
            turns: values.len(),
            median,
            drawn,
        })
    }

    /// Over paired values, the median of the logarithms of `one / other`, which turns into a ratio by
    /// [`f64::exp`]. A turn in which either is not above 0 has no ratio and is left out.
    pub fn of_log_ratios(pairs: &[(f64, f64)]) -> Option<Self> {
        let both = pairs
            .iter()
            .filter(|(one, other)| *one > 0.0 && *other > 0.0);
        let logs: Vec<f64> = both.map(|(one, other)| (one / other).ln()).collect();
        Self::of(&logs)
    }

    /// How many values there are.
    pub fn turns(&self) -> usize {
        self.turns
    }

    /// The median itself.
    pub fn median(&self) -> f64 {
        self.median
    }

    /// The interval of this level, as in 0.95; `None` where so few turns cannot carry it: see
    /// [`turns_for`].
    pub fn interval(&self, level: f64) -> Option<(f64, f64)> {
        if self.turns < turns_for(level)? {
            return None;
        }
        let outside = (1.0 - level) / 2.0;
        let cut = (outside * self.drawn.len() as f64) as usize;
        let high = self.drawn.len() - 1 - cut;
        Some((*self.drawn.get(cut)?, *self.drawn.get(high)?))
    }

    /// Whether the interval of this level leaves out 0: the values are told apart from it.
    pub fn leaves_out_zero(&self, level: f64) -> bool {
        self.interval(level)
            .is_some_and(|(low, high)| low > 0.0 || high < 0.0)
    }
}

/// How many turns an interval of a median needs at least. Even the one from the lowest to the highest
/// of n values misses the median of what they are drawn from when all fall on one side of it, which
/// has the probability `2^(1 - n)`: n must be so large that this is at most `1 - level`. 6 turns for
/// 0.95. `None` for a level that is not within 0 and 1.
pub fn turns_for(level: f64) -> Option<usize> {
    let outside = 1.0 - level;
    let fits = |n: &i32| 2_f64.powi(1 - n) <= outside * (1.0 + 1e-9);
    (1_i32..64)
        .find(fits)
        .filter(|_| (0.0..1.0).contains(&level))
        .and_then(|n| usize::try_from(n).ok())
}

/// The middle value, or the mean of the two middle ones; sorts the values.
pub(crate) fn median_of(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    if values.len() % 2 == 1 {
        return Some(upper);
    }
    Some(f64::midpoint(values[middle - 1], upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs whose second is `factor` times as large, with 10 % noise on either.
    fn noisy(random: &mut Random, turns: usize, factor: f64) -> Vec<(f64, f64)> {
        let mut noise = || 1.0 + 0.2 * (random.uniform() - 0.5);
        (0..turns).map(|_| (noise(), factor * noise())).collect()
    }

    fn apart(pairs: &[(f64, f64)], level: f64) -> bool {
        let ratio = TurnMedian::of_log_ratios(pairs).expect("there are pairs");
        ratio.leaves_out_zero(level)
    }

    #[test]
    fn what_is_the_same_is_seldom_told_apart() {
        let mut random = Random(5);
        let alarms = |level: f64, random: &mut Random| {
            let runs = (0..200).filter(|_| apart(&noisy(random, 10, 1.0), level));
            runs.count()
        };
        // 10 and 2 of 200 are the promise; three sigma more are 19 and 6.
        assert!(alarms(0.95, &mut random) <= 19);
        assert!(alarms(0.99, &mut random) <= 6);
    }

    #[test]
    fn a_fifth_more_is_told_apart_and_its_size_is_within() {
        let mut random = Random(6);
        let (mut found, mut held) = (0, 0);
        for _ in 0..50 {
            let pairs = noisy(&mut random, 10, 1.2);
            found += usize::from(apart(&pairs, 0.99));
            let ratio = TurnMedian::of_log_ratios(&pairs).expect("there are pairs");
            let (low, high) = ratio.interval(0.95).expect("enough turns");
            held += usize::from((low..=high).contains(&(1.0 / 1.2_f64).ln()));
        }
        assert!(found >= 48, "{found} of 50");
        assert!(held >= 42, "{held} of 50");
    }

    #[test]
    fn equal_series_are_not_told_apart() {
        let pairs = [(3.0, 3.0); 12];
        let ratio = TurnMedian::of_log_ratios(&pairs).expect("there are pairs");
        assert_eq!(ratio.interval(0.95), Some((0.0, 0.0)));
        assert!(!ratio.leaves_out_zero(0.95));
    }

    #[test]
    fn a_constant_ratio_is_itself() {
        let pairs: Vec<(f64, f64)> = (1..=8).map(|n| (f64::from(2 * n), f64::from(n))).collect();
        let ratio = TurnMedian::of_log_ratios(&pairs).expect("there are pairs");
        assert!((ratio.median().exp() - 2.0).abs() < 1e-12);
        assert!(ratio.leaves_out_zero(0.99));
    }

    #[test]
    fn too_few_turns_have_no_interval() {
        assert_eq!(turns_for(0.95), Some(6));
        assert_eq!(turns_for(1.0 - 0.05 / 6.0), Some(8));
        assert_eq!(turns_for(1.0), None);
        let two = TurnMedian::of(&[1.0, 2.0]).expect("there are values");
        assert_eq!((two.median(), two.interval(0.95)), (1.5, None));
        assert!(!apart(&[(1.0, 9.0); 5], 0.95), "five are too few");
        assert!(apart(&[(1.0, 9.0); 6], 0.95));
    }

    #[test]
    fn what_has_no_ratio_is_left_out() {
        let pairs = [(0.0, 1.0), (1.0, 0.0), (4.0, 2.0)];
        let ratio = TurnMedian::of_log_ratios(&pairs).expect("one is left");
        assert_eq!(ratio.turns(), 1);
        assert!(TurnMedian::of_log_ratios(&pairs[..2]).is_none());
        assert!(TurnMedian::of(&[f64::NAN]).is_none());
    }
}
