use statrs::distribution::{ContinuousCDF, StudentsT};

/// Two-sided p-value of Welch's t-test (Welch, Biometrika 34, 1947): how likely means are to differ
/// like this when both samples are of one mean, whatever their variances. 1 for a sample of fewer than
/// two values. Samples without any variance differ for certain or not at all.
pub(super) fn p_value(a: &[f64], b: &[f64]) -> f64 {
    let (Some((mean_a, error_a)), Some((mean_b, error_b))) = (moments(a), moments(b)) else {
        return 1.0;
    };
    let squared = error_a + error_b;
    if squared <= 0.0 {
        return if mean_a == mean_b { 1.0 } else { 0.0 };
    }
    let t = (mean_a - mean_b).abs() / squared.sqrt();
    let part = |error: f64, values: &[f64]| error.powi(2) / (values.len() as f64 - 1.0);
    let freedom = squared.powi(2) / (part(error_a, a) + part(error_b, b));
    StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |student| 2.0 * student.sf(t))
}

/// The mean, and the variance of it.
fn moments(values: &[f64]) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    if values.len() < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((mean, squares / (n - 1.0) / n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worked_example_is_met() {
        // t = -1.57512 with 11.00714 degrees of freedom; the density of t integrated by the midpoint rule.
        let a = [17.2, 20.9, 22.6, 18.1, 21.7, 21.4, 23.5, 24.2, 14.7, 21.8];
        let b = [21.5, 22.8, 21.0, 23.0, 21.6, 23.6, 22.5, 20.7, 23.4, 21.8];
        let p = p_value(&a, &b);
        assert!((p - 0.143_512_8).abs() < 1e-6, "{p}");
        assert_eq!(p, p_value(&b, &a));
    }

    #[test]
    fn what_does_not_vary_differs_or_not() {
        assert_eq!(p_value(&[1.0; 3], &[1.0; 5]), 1.0);
        assert_eq!(p_value(&[1.0; 3], &[2.0; 5]), 0.0);
        assert_eq!(p_value(&[1.0], &[2.0; 5]), 1.0, "one value says nothing");
    }
}
