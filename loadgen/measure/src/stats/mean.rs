use super::interval::{BLOCKS_MIN, spread};
use super::student;

/// The mean of a series of one value a second, and the half-width of its 95 % interval: `None` with
/// fewer than 20 values.
///
/// Neighbouring seconds depend on each other, so the variance of the sum V comes from blocks of b
/// neighbours (b by Politis and White), and the interval is mean -+ t(0.975, T/b - 1) sqrt(V) / T. When the
/// values are differences of two loads that ran in the same seconds, what disturbed both is in neither
/// (Duet benchmarking: Bulej et al., ICPE 2020).
///
/// `None` for an empty series.
pub(crate) fn mean(series: &[f64]) -> Option<(f64, Option<f64>)> {
    let n = series.len() as f64;
    let mean = series.iter().sum::<f64>() / n;
    if !mean.is_finite() {
        return None;
    }
    let longest = series.len() / BLOCKS_MIN;
    let half = (longest > 0).then(|| {
        let around: Vec<f64> = series.iter().map(|value| value - mean).collect();
        if around.iter().all(|value| *value == 0.0) {
            return 0.0;
        }
        let (block, variance) = spread(&around, longest);
        student::t975(n / block as f64 - 1.0) * variance.sqrt() / n
    });
    Some((mean, half))
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;

    #[test]
    fn short_series_have_a_mean_alone() {
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[2.0; 19]), Some((2.0, None)));
        assert_eq!(mean(&[2.0; 20]), Some((2.0, Some(0.0))));
    }

    #[test]
    fn the_truth_is_inside_as_often_as_it_should_be() {
        // Noise of a memory of some seconds around 0.02, over 60 s.
        for (phi, least) in [(0.0, 90), (0.5, 84)] {
            let mut inside = 0;
            for seed in 1..=100 {
                let mut rng = Random(seed);
                let mut noise = 0.0;
                let series: Vec<f64> = (0..60)
                    .map(|_| {
                        noise = phi * noise + 0.01 * (rng.uniform() - 0.5);
                        0.02 + noise
                    })
                    .collect();
                let (mean, half) = mean(&series).unwrap();
                inside += u32::from((mean - 0.02).abs() <= half.unwrap());
            }
            assert!((least..=100).contains(&inside), "{phi}: {inside} of 100");
        }
    }
}
