//! Whether two samples of times differ, by the decile test of the RTLF method ("With Great Power
//! Come Great Side Channels: Statistical Timing Side-Channel Analyses with Bounded Type-1 Errors",
//! USENIX Security 2024), with an attacker's threshold as in the tacet project: a difference that
//! no attacker can use is no leak, and a measurement too coarse to see one that he could use proves
//! nothing.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// The deciles compared: .1 to .9.
const DECILES: usize = 9;

/// What the samples say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Some decile differs by more than chance explains and more than the attacker needs.
    Leak,
    /// No decile differs by as much as the attacker needs, and it would have been seen.
    NoLeak,
    /// Chance alone moves a decile by more than the attacker needs: sample more, or elsewhere.
    Undecided,
}

/// The test and its parameters.
#[derive(Clone, Copy, Debug)]
pub struct DecileTest {
    /// The bound on false alarms of the whole test; each decile gets a ninth of it.
    pub alpha: f64,
    /// Resamplings, at least `9 / alpha` for the quantile to mean anything.
    pub resamplings: usize,
    /// The smallest difference that an attacker can use, in nanoseconds.
    pub attacker_ns: f64,
}

/// The verdict and what it rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// What the samples say.
    pub verdict: Verdict,
    /// The largest difference of a decile, in nanoseconds.
    pub difference_ns: f64,
    /// The largest difference of a decile that chance alone explains, in nanoseconds.
    pub chance_ns: f64,
}

impl DecileTest {
    /// Compares two samples of nanoseconds, of which neither is empty.
    ///
    /// With `d_i` the difference of the samples' i-th deciles and `t_i` the larger, over both
    /// samples, of the `(1 - alpha / 9)` quantile of the same difference between two resamples of
    /// one sample: a leak if for some `i` `d_i > t_i` and `d_i > attacker_ns`; undecided if for some
    /// `i` `t_i > attacker_ns`; no leak otherwise.
    pub fn compare(&self, a: &[f64], b: &[f64], seed: u64) -> Outcome {
        let [a, b] = [a, b].map(sorted);
        let mut rng = SmallRng::seed_from_u64(seed);
        let chance = [self.by_chance(&a, &mut rng), self.by_chance(&b, &mut rng)];
        let (of_a, of_b) = (deciles(&a), deciles(&b));
        let mut outcome = Outcome {
            verdict: Verdict::NoLeak,
            difference_ns: 0.0,
            chance_ns: 0.0,
        };
        for i in 0..DECILES {
            let difference = (of_a[i] - of_b[i]).abs();
            let threshold = chance[0][i].max(chance[1][i]);
            outcome.difference_ns = outcome.difference_ns.max(difference);
            outcome.chance_ns = outcome.chance_ns.max(threshold);
            if difference > threshold && difference > self.attacker_ns {
                outcome.verdict = Verdict::Leak;
            }
        }
        if outcome.verdict == Verdict::NoLeak && outcome.chance_ns > self.attacker_ns {
            outcome.verdict = Verdict::Undecided;
        }
        outcome
    }

    /// For each decile the difference between two resamples that only a share of `alpha / 9` of
    /// pairs exceeds.
    fn by_chance(&self, sample: &[f64], rng: &mut SmallRng) -> [f64; DECILES] {
        let mut differences: [Vec<f64>; DECILES] = Default::default();
        let mut counts = vec![0; sample.len()];
        for _ in 0..self.resamplings {
            let one = resampled_deciles(sample, &mut counts, rng);
            let other = resampled_deciles(sample, &mut counts, rng);
            for (i, differences) in differences.iter_mut().enumerate() {
                differences.push((one[i] - other[i]).abs());
            }
        }
        differences.map(|differences| {
            let rank = (1.0 - self.alpha / DECILES as f64) * differences.len() as f64;
            let sorted = sorted(&differences);
            sorted[(rank.ceil() as usize).clamp(1, sorted.len()) - 1]
        })
    }
}

fn sorted(sample: &[f64]) -> Vec<f64> {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The i-th decile is the mean of the values at ranks `ceil(n p)` and `floor(n p + 1)`, p = i / 10
/// (type 2 of Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996).
fn ranks(n: usize, i: usize) -> (usize, usize) {
    let tenths = n * i;
    (tenths.div_ceil(10).max(1), (tenths / 10 + 1).min(n))
}

fn deciles(sorted: &[f64]) -> [f64; DECILES] {
    std::array::from_fn(|i| {
        let (low, high) = ranks(sorted.len(), i + 1);
        f64::midpoint(sorted[low - 1], sorted[high - 1])
    })
}

/// The deciles of a sample drawn with replacement from `sorted`, without sorting it: how often each
/// value was drawn is enough, since the values are in order.
fn resampled_deciles(sorted: &[f64], counts: &mut [u32], rng: &mut SmallRng) -> [f64; DECILES] {
    counts.fill(0);
    let n = sorted.len() as u64;
    for _ in 0..n {
        // A multiplication instead of a division: the bias is below n / 2^32.
        let drawn = ((rng.next_u64() >> 32) * n) >> 32;
        counts[drawn as usize] += 1;
    }
    let (mut at, mut passed) = (0, 0);
    let mut value = |rank: usize| {
        while passed + (counts[at] as usize) < rank {
            passed += counts[at] as usize;
            at += 1;
        }
        sorted[at]
    };
    std::array::from_fn(|i| {
        let (low, high) = ranks(sorted.len(), i + 1);
        let low = value(low);
        f64::midpoint(low, value(high))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: DecileTest = DecileTest {
        alpha: 0.01,
        resamplings: 1000,
        attacker_ns: 100.0,
    };

    /// Times as a noisy machine gives them: a floor, noise above it, now and then an interruption.
    fn times(n: usize, shift_ns: f64, rng: &mut SmallRng) -> Vec<f64> {
        let mut uniform = || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        (0..n)
            .map(|_| {
                let noise = -40.0 * (1.0 - uniform()).ln();
                let stall = if uniform() < 0.03 {
                    5_000.0 * uniform()
                } else {
                    0.0
                };
                400.0 + shift_ns + noise + stall
            })
            .collect()
    }

    #[test]
    fn a_class_against_itself_raises_at_most_one_alarm_in_a_hundred() {
        // Without an attacker's threshold, so that chance has every opportunity.
        let test = DecileTest {
            attacker_ns: 0.0,
            ..TEST
        };
        let rng = &mut SmallRng::seed_from_u64(1);
        let alarms = (0..200)
            .filter(|&seed| {
                let (a, b) = (times(150, 0.0, rng), times(150, 0.0, rng));
                test.compare(&a, &b, seed).verdict == Verdict::Leak
            })
            .count();
        assert!(alarms <= 2, "{alarms} false alarms in 200 replays");
    }

    #[test]
    fn an_early_exit_of_a_microsecond_is_found() {
        let rng = &mut SmallRng::seed_from_u64(2);
        for seed in 0..20 {
            let (a, b) = (times(150, 1000.0, rng), times(150, 0.0, rng));
            let outcome = TEST.compare(&a, &b, seed);
            assert_eq!(outcome.verdict, Verdict::Leak, "{outcome:?}");
        }
    }

    #[test]
    fn a_difference_below_the_attackers_threshold_is_no_leak() {
        let rng = &mut SmallRng::seed_from_u64(3);
        let (a, b) = (times(2000, 40.0, rng), times(2000, 0.0, rng));
        let outcome = TEST.compare(&a, &b, 1);
        assert_eq!(outcome.verdict, Verdict::NoLeak, "{outcome:?}");
        let strict = DecileTest {
            attacker_ns: 10.0,
            ..TEST
        };
        assert_eq!(strict.compare(&a, &b, 1).verdict, Verdict::Leak);
    }

    #[test]
    fn noise_above_the_attackers_threshold_leaves_it_undecided() {
        let rng = &mut SmallRng::seed_from_u64(4);
        let wide = |rng: &mut SmallRng| {
            times(60, 0.0, rng)
                .into_iter()
                .map(|t| t * 50.0)
                .collect::<Vec<_>>()
        };
        let (a, b) = (wide(rng), wide(rng));
        assert_eq!(TEST.compare(&a, &b, 1).verdict, Verdict::Undecided);
    }

    #[test]
    fn deciles_are_of_type_two() {
        let sample: Vec<f64> = (1..=10).map(f64::from).collect();
        assert_eq!(
            deciles(&sample),
            [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5]
        );
        let sample: Vec<f64> = (1..=5).map(f64::from).collect();
        assert_eq!(
            deciles(&sample),
            [1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0]
        );
        assert_eq!(deciles(&[7.0]), [7.0; 9]);
    }

    #[test]
    fn a_resample_of_equal_values_has_their_deciles() {
        let rng = &mut SmallRng::seed_from_u64(5);
        assert_eq!(resampled_deciles(&[3.0; 40], &mut [0; 40], rng), [3.0; 9]);
    }
}
