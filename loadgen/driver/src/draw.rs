//! Random quantities by distribution: thinking times and sizes of texts.

use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;
use rand_distr::{Distribution as _, Exp, LogNormal, Normal};

/// A distribution of numbers that are never below 0: what a draw gives below is taken as 0, so a
/// normal distribution near 0 has more of it than its formula says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Draw {
    shape: Shape,
    most: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Shape {
    Fixed(f64),
    Uniform { low: f64, high: f64 },
    Normal(Normal<f64>),
    Exponential { rate: Exp<f64>, mean: f64 },
    LogNormal { log: LogNormal<f64>, mean: f64 },
}

impl Draw {
    /// Always this number.
    ///
    /// # Errors
    /// When it is not finite or below 0.
    pub(crate) fn fixed(value: f64) -> Result<Self, &'static str> {
        let shape = Shape::Fixed(not_negative(value)?);
        Ok(Self::of(shape))
    }

    /// Any number from `low` to `high`, all alike.
    ///
    /// # Errors
    /// When they are not 0 or more, finite and in this order.
    pub(crate) fn uniform(low: f64, high: f64) -> Result<Self, &'static str> {
        let (low, high) = (not_negative(low)?, not_negative(high)?);
        if low > high {
            return Err("the lower end must not be above the upper one");
        }
        Ok(Self::of(Shape::Uniform { low, high }))
    }

    /// Normal with this mean and standard deviation, cut off at 0.
    ///
    /// # Errors
    /// When one of them is not 0 or more and finite.
    pub(crate) fn normal(mean: f64, deviation: f64) -> Result<Self, &'static str> {
        let (mean, deviation) = (not_negative(mean)?, not_negative(deviation)?);
        let normal = Normal::new(mean, deviation).map_err(|_| NOT_NEGATIVE)?;
        Ok(Self::of(Shape::Normal(normal)))
    }

    /// Exponential with this mean.
    ///
    /// # Errors
    /// When it is not above 0 and finite.
    pub(crate) fn exponential(mean: f64) -> Result<Self, &'static str> {
        let mean = above_zero(mean)?;
        let rate = Exp::new(1.0 / mean).map_err(|_| ABOVE_ZERO)?;
        Ok(Self::of(Shape::Exponential { rate, mean }))
    }

    /// Log-normal: the natural logarithm is normal with mean ln(median) and standard deviation sigma.
    /// Its mean is median x exp(sigma^2 / 2).
    ///
    /// # Errors
    /// When the median is not above 0, or sigma not 0 to 10.
    pub(crate) fn log_normal(median: f64, sigma: f64) -> Result<Self, &'static str> {
        let median = above_zero(median)?;
        if !(0.0..=10.0).contains(&sigma) {
            return Err("sigma must be 0 to 10");
        }
        let log = LogNormal::new(median.ln(), sigma).map_err(|_| ABOVE_ZERO)?;
        let mean = median * (sigma * sigma / 2.0).exp();
        Ok(Self::of(Shape::LogNormal { log, mean }))
    }

    /// The same, with what is above `most` taken as `most`.
    pub(crate) fn at_most(self, most: f64) -> Self {
        Self {
            most: self.most.min(most),
            ..self
        }
    }

    /// One number: 0 or more and finite.
    pub(crate) fn sample(&self, rng: &mut Xoshiro256PlusPlus) -> f64 {
        let drawn = match self.shape {
            Shape::Fixed(value) => value,
            Shape::Uniform { low, high } => rng.random_range(low..=high),
            Shape::Normal(normal) => normal.sample(rng),
            Shape::Exponential { rate, .. } => rate.sample(rng),
            Shape::LogNormal { log, .. } => log.sample(rng),
        };
        drawn.clamp(0.0, self.most)
    }

    /// The mean of the distribution as it is named, before anything is cut off.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match self.shape {
            Shape::Fixed(value) => value,
            Shape::Uniform { low, high } => low.midpoint(high),
            Shape::Normal(normal) => normal.mean(),
            Shape::Exponential { mean, .. } | Shape::LogNormal { mean, .. } => mean,
        }
    }

    /// What is above this is taken as this; `None` when nothing is.
    #[must_use]
    pub fn most(&self) -> Option<f64> {
        (self.most < f64::MAX).then_some(self.most)
    }

    fn of(shape: Shape) -> Self {
        Self {
            shape,
            most: f64::MAX,
        }
    }
}

const NOT_NEGATIVE: &str = "its numbers must be 0 or more and finite";
const ABOVE_ZERO: &str = "its mean or median must be above 0 and finite";

fn not_negative(value: f64) -> Result<f64, &'static str> {
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(NOT_NEGATIVE)
    }
}

fn above_zero(value: f64) -> Result<f64, &'static str> {
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(ABOVE_ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::workflow_rng;

    fn mean_of(draw: Draw, n: u32) -> f64 {
        let mut rng = workflow_rng(3, 9);
        (0..n).map(|_| draw.sample(&mut rng)).sum::<f64>() / f64::from(n)
    }

    #[test]
    fn means_are_those_of_the_formulas() {
        // Five standard errors of each, the widest with deviation 1.3 x mean.
        for draw in [
            Draw::fixed(2.0).unwrap(),
            Draw::uniform(1.0, 3.0).unwrap(),
            Draw::normal(2.0, 0.3).unwrap(),
            Draw::exponential(2.0).unwrap(),
            Draw::log_normal(2.0, 0.5).unwrap(),
        ] {
            let (mean, wanted) = (mean_of(draw, 20_000), draw.mean());
            assert!((mean - wanted).abs() < 0.05 * wanted, "{draw:?}: {mean}");
        }
        assert!((Draw::log_normal(2.0, 0.5).unwrap().mean() - 2.266_296).abs() < 1e-6);
    }

    #[test]
    fn nothing_is_ever_below_zero_above_the_most_or_no_number() {
        for draw in [
            Draw::normal(0.01, 0.05).unwrap(),
            Draw::exponential(1e300).unwrap(),
            Draw::log_normal(1e300, 10.0).unwrap(),
            Draw::uniform(0.0, 1e308).unwrap(),
        ] {
            let draw = draw.at_most(5.0);
            let mut rng = workflow_rng(1, 1);
            for _ in 0..10_000 {
                assert!((0.0..=5.0).contains(&draw.sample(&mut rng)), "{draw:?}");
            }
        }
    }

    #[test]
    fn numbers_that_make_no_distribution_are_refused() {
        for bad in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(Draw::fixed(bad).is_err());
            assert!(Draw::uniform(0.0, bad).is_err());
            assert!(Draw::normal(1.0, bad).is_err());
            assert!(Draw::exponential(bad).is_err());
            assert!(Draw::log_normal(bad, 1.0).is_err());
            assert!(Draw::log_normal(1.0, bad).is_err());
        }
        assert!(Draw::uniform(2.0, 1.0).is_err());
        assert!(Draw::exponential(0.0).is_err());
    }
}
