use crate::stats::blocks;

/// Fewest batches that a drift is judged on.
const BATCHES_MIN: usize = 10;
/// Most batches: every pair of them is looked at.
const BATCHES_MAX: usize = 500;

/// How a series moves from its start to its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Trend {
    /// Mann-Kendall's statistic as a standard normal deviate: above 0 the series rises. Beyond
    /// 2.576 on either side a series without a trend is in 1 of 100 cases.
    pub(crate) z: f64,
    /// Change from start to end in a straight line, in the unit of the values.
    pub(crate) change: f64,
}

/// Mann-Kendall's test for a trend (Kendall, Rank Correlation Methods, 1975, chapter 4, with ties):
/// S = sum of sign(x_j - x_i) over i < j, z = (|S| - 1) / sqrt(var S) with the sign of S,
/// var S = (n (n - 1) (2 n + 5) - sum over ties of t (t - 1) (2 t + 5)) / 18. The change is Sen's
/// slope, the median of (x_j - x_i) / (j - i), times the length (Sen, JASA 63, 1968).
///
/// The test takes values for independent, which neighbouring seconds are not: what is tested are
/// means of batches as long as the series' own memory (Politis and White). `None` when fewer than 10
/// batches are left.
pub(crate) fn trend(series: &[f64]) -> Option<Trend> {
    let longest = series.len() / BATCHES_MIN;
    if longest == 0 {
        return None;
    }
    let least = series.len().div_ceil(BATCHES_MAX).min(longest);
    let length = blocks::length(series, longest).max(least);
    let batches: Vec<f64> = series
        .chunks_exact(length)
        .map(|batch| batch.iter().sum::<f64>() / length as f64)
        .collect();
    let n = batches.len();
    let (mut s, mut slopes) = (0_i64, Vec::with_capacity(n * (n - 1) / 2));
    for (i, early) in batches.iter().enumerate() {
        for (apart, late) in (1..).zip(&batches[i + 1..]) {
            let step = late - early;
            s += i64::from(step > 0.0) - i64::from(step < 0.0);
            slopes.push(step / f64::from(apart));
        }
    }
    let middle = slopes.len() / 2;
    let (_, slope, _) = slopes.select_nth_unstable_by(middle, f64::total_cmp);
    let change = *slope * (n - 1) as f64;
    let variance = variance(&batches);
    let size = (s.unsigned_abs() as f64 - 1.0).max(0.0);
    let z = if variance > 0.0 {
        size / variance.sqrt() * (s.signum() as f64)
    } else {
        0.0
    };
    Some(Trend { z, change })
}

fn variance(batches: &[f64]) -> f64 {
    let term = |n: usize| (n * (n - 1) * (2 * n + 5)) as f64;
    let mut sorted = batches.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let ties = sorted.chunk_by(|a, b| a == b);
    let ties: f64 = ties.map(|tie| term(tie.len())).sum();
    (term(batches.len()) - ties) / 18.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::random::Random;

    fn noise(random: &mut Random, n: usize, slope: f64) -> Vec<f64> {
        (0..n)
            .map(|t| random.uniform() + slope * t as f64)
            .collect()
    }

    #[test]
    fn a_rising_series_drifts_and_its_size_is_told() {
        let rising: Vec<f64> = (0..100).map(|t| 0.01 * f64::from(t)).collect();
        let up = trend(&rising).unwrap();
        assert!(up.z > 3.0, "{up:?}");
        let falling: Vec<f64> = rising.iter().map(|x| -x).collect();
        assert!(trend(&falling).unwrap().z < -3.0);
        let noisy = trend(&noise(&mut Random(3), 200, 0.01)).unwrap();
        assert!(noisy.z > 2.576, "{noisy:?}");
        assert!((1.5..2.5).contains(&noisy.change), "{noisy:?}");
    }

    /// One in a hundred is the promise; three sigma above that in 300 runs are 8.
    #[test]
    fn a_series_that_stays_seldom_passes_for_a_drift() {
        let mut random = Random(11);
        let alarms = (0..300)
            .filter(|_| trend(&noise(&mut random, 60, 0.0)).unwrap().z.abs() > 2.576)
            .count();
        assert!(alarms <= 8, "{alarms} of 300");
    }

    /// The series 1 2 2 3 4 4 5 6 7 8: S = 43 and var S = (10 x 9 x 25 - 2 x 2 x 1 x 9) / 18 = 123.
    #[test]
    fn ties_are_counted_as_in_the_book() {
        let series = [1.0, 2.0, 2.0, 3.0, 4.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        let trend = trend(&series).unwrap();
        assert!(
            (trend.z - 42.0 / 123.0_f64.sqrt()).abs() < 1e-12,
            "{trend:?}"
        );
    }

    #[test]
    fn equal_values_have_no_trend_and_few_none_at_all() {
        assert_eq!(
            trend(&[2.0; 40]),
            Some(Trend {
                z: 0.0,
                change: 0.0
            })
        );
        assert_eq!(trend(&[1.0; 9]), None);
        assert_eq!(trend(&[]), None);
    }
}
