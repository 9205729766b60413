/// How many seconds of a series belong together: the block length that Politis and White choose for
/// the circular block bootstrap (Econometric Reviews 23, 2004; constant corrected in Patton,
/// Politis and White, 2009), from 1 to `longest`.
///
/// b = (2 G^2 / D)^(1/3) N^(1/3) with G = sum of w(k/M) |k| R(k), D = 4/3 (sum of w(k/M) R(k))^2 over
/// lags k from -M to M, R the autocovariance, w the flat-top window, and M twice the lag after which
/// autocorrelations stay within 2 sqrt(log10(N) / N) of zero.
pub(super) fn length(series: &[f64], longest: usize) -> usize {
    let n = series.len() as f64;
    let covariance = covariances(series);
    if covariance[0] <= 0.0 {
        return 1;
    }
    let silent_lags = 5.max(n.log10().sqrt().ceil() as usize);
    let limit = (n.sqrt().ceil() as usize + silent_lags).min(series.len() - 1);
    let negligible = |lag: usize| match covariance.get(lag) {
        Some(c) => (c / covariance[0]).abs() < 2.0 * (n.log10() / n).sqrt(),
        None => true,
    };
    let last_lag = (0..=limit)
        .find(|lag| (1..=silent_lags).all(|j| negligible(lag + j)))
        .unwrap_or(limit);
    let window = (2 * last_lag).clamp(1, limit.max(1));
    let (mut g, mut spectrum) = (0.0, covariance[0]);
    for (lag, c) in covariance.iter().enumerate().take(window + 1).skip(1) {
        let weighted = 2.0 * flat_top(lag as f64 / window as f64) * c;
        g += weighted * lag as f64;
        spectrum += weighted;
    }
    let d = 4.0 / 3.0 * spectrum * spectrum;
    if d <= 0.0 {
        return longest;
    }
    let b = (2.0 * g * g / d * n).cbrt();
    (b.ceil() as usize).clamp(1, longest)
}

/// Variance of the sum of a series around 0, from the sums of all blocks of `length` neighbours
/// (overlapping, the series closed to a ring), scaled to its whole length.
pub(super) fn variance_of_sum(series: &[f64], length: usize) -> f64 {
    let n = series.len();
    let blocks = n as f64 / length as f64;
    let squares: f64 = (0..n)
        .map(|start| {
            let sum: f64 = (start..start + length).map(|at| series[at % n]).sum();
            sum * sum
        })
        .sum();
    // Few blocks see little of the spread between blocks.
    squares / n as f64 * blocks * blocks / (blocks - 1.0)
}

/// Whether neighbours are on opposite sides of the mean more than chance would have it, as in a
/// cycle of two seconds.
pub(super) fn alternates(series: &[f64]) -> bool {
    let covariance = covariances(series);
    covariance[1] / covariance[0] < -2.0 / (series.len() as f64).sqrt()
}

/// Autocovariances about the mean, from lag 0 to as far as [`length`] looks.
fn covariances(series: &[f64]) -> Vec<f64> {
    let n = series.len();
    let mean = series.iter().sum::<f64>() / n as f64;
    let lags = (n as f64).sqrt().ceil() as usize + 12;
    (0..n.min(lags + 1))
        .map(|lag| {
            let pairs = series.iter().zip(&series[lag..]);
            pairs.map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>() / n as f64
        })
        .collect()
}

/// 1 up to a half, then falling to 0 at 1.
fn flat_top(x: f64) -> f64 {
    (2.0 * (1.0 - x)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x_t = phi x_(t-1) + noise, from a fixed sequence of pseudo-random numbers.
    fn autoregressive(phi: f64, n: usize) -> Vec<f64> {
        let mut state = 12345_u64;
        let mut x = 0.0;
        (0..n)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                x = phi * x + (state >> 40) as f64 / f64::from(1 << 24) - 0.5;
                x
            })
            .collect()
    }

    #[test]
    fn longer_memory_means_longer_blocks() {
        let lengths = [0.0, 0.5, 0.9].map(|phi| length(&autoregressive(phi, 1000), 50));
        assert!(lengths[0] <= 2, "{lengths:?}");
        assert!((4..20).contains(&lengths[1]), "{lengths:?}");
        assert!(lengths[2] > 2 * lengths[1], "{lengths:?}");
    }

    #[test]
    fn the_variance_of_a_sum_grows_with_the_memory() {
        // For this process the long-run variance is that of the noise (1/12) over (1 - phi)^2.
        let series = autoregressive(0.5, 4000);
        let per_second = variance_of_sum(&series, 30) / 4000.0;
        assert!((0.25..0.42).contains(&per_second), "{per_second}");
        let naive = variance_of_sum(&series, 1) / 4000.0;
        assert!((0.09..0.13).contains(&naive), "{naive}");
    }

    #[test]
    fn a_cycle_of_two_seconds_is_seen() {
        let cycle: Vec<f64> = (0..60).map(|t| f64::from(t % 2) - 0.5).collect();
        assert!(alternates(&cycle));
        assert!(!alternates(&autoregressive(0.3, 60)));
        assert!(variance_of_sum(&cycle, 2) < 1e-9);
    }

    #[test]
    fn a_constant_series_has_blocks_of_one() {
        assert_eq!(length(&[2.0; 40], 2), 1);
    }
}
