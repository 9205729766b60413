use statrs::distribution::{ContinuousCDF, Normal};

/// The quantile of the standard normal distribution, for p within 0 and 1.
pub(super) fn quantile(p: f64) -> f64 {
    Normal::standard().inverse_cdf(p)
}

/// The probability of a value above `z` in the standard normal distribution.
pub(super) fn above(z: f64) -> f64 {
    Normal::standard().sf(z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabled_values_are_met() {
        for (p, want) in [
            (0.5, 0.0),
            (0.75, 0.674_489_75),
            (0.9, 1.281_551_57),
            (0.95, 1.644_853_63),
            (0.975, 1.959_963_98),
            (0.9995, 3.290_526_73),
            (1e-10, -6.361_340_90),
            (1e-15, -7.941_345_33),
        ] {
            let got = quantile(p);
            assert!((got - want).abs() < 2e-6, "{p}: {got}");
            assert!((quantile(1.0 - p) + got).abs() < 1e-2, "{p}");
            assert!((above(-want) / p - 1.0).abs() < 1e-5, "{p}");
        }
    }
}
