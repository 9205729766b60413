use super::interval::{Ranks, spread};
use super::student;

/// Half-width of the 95 % interval of ln(x / y), with x the quantile `p` of one series of seconds and y that
/// of another over the same seconds.
///
/// It is the delta method on what makes the intervals of the quantiles (see [`Ranks`]): a quantile moves by
/// its slope d ln x / dp, taken across its own interval of ranks, times the share of values that are too many
/// above it. Both are summed second by second before the variance is taken from blocks of seconds, so that
/// what disturbed both at once cancels. The variance is never below that of independent samples,
/// slope^2 p (1 - p) / n for each side.
pub(crate) fn ratio_width(x: &Ranks, y: &Ranks, p: f64) -> f64 {
    let weight = |ranks: &Ranks| ranks.slope() / ranks.count();
    let (of_x, of_y) = (weight(x), weight(y));
    let moved = x.excess().iter().zip(y.excess());
    let series: Vec<f64> = moved.map(|(x, y)| of_x * x - of_y * y).collect();
    let alone = |ranks: &Ranks| ranks.slope().powi(2) * p * (1.0 - p) / ranks.count();
    let least = alone(x) + alone(y);
    let (block, variance) = if series.iter().all(|z| z.abs() < 1e-15) {
        (1, least)
    } else {
        spread(&series, Ranks::longest_block(series.len()))
    };
    let blocks = series.len() as f64 / block as f64;
    student::t975(blocks - 1.0) * variance.max(least).sqrt()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::random::Random;
    use super::*;
    use crate::stats::seconds::{Second, pooled, ranks};

    fn width(x: &[Second], y: &[Second], p: f64) -> Option<f64> {
        Some(ratio_width(&ranks(x, p)?, &ranks(y, p)?, p))
    }

    /// 50 exponential times of this mean, in steps of a thousandth.
    fn second(rng: &mut Random, mean: f64) -> Second {
        let mut values = BTreeMap::new();
        for _ in 0..50 {
            let time = rng.exponential(mean);
            *values.entry((1000.0 * time) as u64 + 1).or_default() += 1;
        }
        values.into_iter().collect()
    }

    /// Series of 60 s in which everything takes up to twice as long as in other seconds.
    fn disturbed(seed: u64, ratio: f64) -> (Vec<Second>, Vec<Second>) {
        let mut rng = Random(seed);
        let pair = |_| {
            let slow = 1.0 + rng.uniform();
            let x = second(&mut rng, slow * ratio);
            (x, second(&mut rng, slow))
        };
        (0..60).map(pair).unzip()
    }

    fn median(seconds: &[Second]) -> f64 {
        pooled(seconds).at(0.5) as f64
    }

    #[test]
    fn the_true_ratio_is_inside_and_common_disturbance_is_not() {
        let mut inside = 0;
        for seed in 1..=100 {
            let (x, y) = disturbed(seed, 1.1);
            let width = width(&x, &y, 0.5).unwrap();
            let error = (median(&x) / median(&y)).ln() - 1.1_f64.ln();
            inside += u32::from(error.abs() <= width);
            // Each median alone: sd of the common factor's logarithm is about 0.2 a second.
            assert!(width < 0.2, "{seed}: {width}");
        }
        assert!((88..=100).contains(&inside), "{inside} of 100");
    }

    #[test]
    fn too_little_gives_none() {
        let (x, y) = disturbed(1, 1.0);
        assert_eq!(width(&x[..19], &y[..19], 0.5), None);
        assert_eq!(width(&x[..20], &y[..20], 0.999), None);
        assert_eq!(width(&x, &vec![Second::new(); 60], 0.5), None);
    }

    #[test]
    fn equal_times_have_no_width() {
        let equal = vec![vec![(7, 100)]; 30];
        assert_eq!(width(&equal, &equal, 0.5), Some(0.0));
    }
}
