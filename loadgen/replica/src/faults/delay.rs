use std::fmt;
use std::time::Duration;

use rand::Rng;
use rand_distr::{Distribution as _, Exp, LogNormal, Normal, Pareto, Uniform};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::faults::millis::MAX_MS;

/// How long requests are delayed: a number of milliseconds or a distribution of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Delay(Kind);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Fixed(f64),
    Uniform(Uniform<f64>),
    Normal(Normal<f64>),
    Exponential(Exp<f64>),
    Lognormal(LogNormal<f64>),
    Pareto(Pareto<f64>),
}

/// The distributions as they are written. Times are in milliseconds.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Wire {
    /// Every time between the two alike.
    Uniform {
        from: f64,
        to: f64,
    },
    /// Mean and standard deviation; times below 0 are 0.
    Normal {
        mean: f64,
        sd: f64,
    },
    Exponential {
        mean: f64,
    },
    /// `median` is e to the mean of the logarithms, `sigma` their standard deviation.
    Lognormal {
        median: f64,
        sigma: f64,
    },
    /// P(time > x) = (min / x)^shape for x of at least `min`; no mean up to shape 1.
    Pareto {
        min: f64,
        shape: f64,
    },
}

impl Delay {
    /// One delay, from 0 to [`MAX_MS`].
    pub(crate) fn sample(&self, rng: &mut impl Rng) -> Duration {
        let ms = match self.0 {
            Kind::Fixed(ms) => ms,
            Kind::Uniform(uniform) => uniform.sample(rng),
            Kind::Normal(normal) => normal.sample(rng),
            Kind::Exponential(exp) => exp.sample(rng),
            Kind::Lognormal(lognormal) => lognormal.sample(rng),
            Kind::Pareto(pareto) => pareto.sample(rng),
        };
        Duration::from_secs_f64(ms.clamp(0.0, MAX_MS as f64) / 1e3)
    }

    fn fixed(ms: f64) -> Result<Self, String> {
        if (0.0..=MAX_MS as f64).contains(&ms) {
            Ok(Self(Kind::Fixed(ms)))
        } else {
            Err(format!("milliseconds must be from 0 to {MAX_MS}"))
        }
    }
}

impl TryFrom<Wire> for Delay {
    type Error = &'static str;

    fn try_from(wire: Wire) -> Result<Self, Self::Error> {
        let time = |ms: f64| (0.0..=MAX_MS as f64).contains(&ms);
        let above = |number: f64| number.is_finite() && number > 0.0;
        let (made, why) = match wire {
            Wire::Uniform { from, to } => (
                Some((from, to))
                    .filter(|_| time(from) && time(to))
                    .and_then(|(from, to)| Uniform::new_inclusive(from, to).ok())
                    .map(Kind::Uniform),
                "uniform: from and to must be 0 to 3600000 ms, from at most to",
            ),
            Wire::Normal { mean, sd } => (
                Some((mean, sd))
                    .filter(|_| time(mean) && time(sd))
                    .and_then(|(mean, sd)| Normal::new(mean, sd).ok())
                    .map(Kind::Normal),
                "normal: mean and sd must be 0 to 3600000 ms",
            ),
            Wire::Exponential { mean } => (
                Some(mean)
                    .filter(|&mean| time(mean) && above(mean))
                    .and_then(|mean| Exp::new(1.0 / mean).ok())
                    .map(Kind::Exponential),
                "exponential: mean must be above 0 and at most 3600000 ms",
            ),
            Wire::Lognormal { median, sigma } => (
                Some((median, sigma))
                    .filter(|_| time(median) && above(median) && (0.0..=10.0).contains(&sigma))
                    .and_then(|(median, sigma)| LogNormal::new(median.ln(), sigma).ok())
                    .map(Kind::Lognormal),
                "lognormal: median must be above 0 and at most 3600000 ms, sigma 0 to 10",
            ),
            Wire::Pareto { min, shape } => (
                Some((min, shape))
                    .filter(|_| time(min) && above(min) && above(shape))
                    .and_then(|(min, shape)| Pareto::new(min, shape).ok())
                    .map(Kind::Pareto),
                "pareto: min must be above 0 and at most 3600000 ms, shape above 0",
            ),
        };
        made.map(Self).ok_or(why)
    }
}

/// Written by hand so that an error names what is wrong instead of saying that nothing fits.
impl<'de> Deserialize<'de> for Delay {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = Delay;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of milliseconds or a distribution")
            }

            fn visit_f64<E: serde::de::Error>(self, ms: f64) -> Result<Delay, E> {
                Delay::fixed(ms).map_err(E::custom)
            }

            fn visit_u64<E: serde::de::Error>(self, ms: u64) -> Result<Delay, E> {
                self.visit_f64(ms as f64)
            }

            fn visit_i64<E: serde::de::Error>(self, ms: i64) -> Result<Delay, E> {
                self.visit_f64(ms as f64)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Delay, A::Error> {
                Wire::deserialize(MapAccessDeserializer::new(map))
                    .and_then(|wire| wire.try_into().map_err(A::Error::custom))
            }
        }

        from.deserialize_any(Either)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;
    use rand::rngs::ChaCha8Rng;

    use super::*;

    const SAMPLES: usize = 20_000;

    /// Sorted samples in milliseconds.
    fn samples(json: &str) -> Vec<f64> {
        let delay: Delay = serde_json::from_str(json).unwrap();
        let mut rng = ChaCha8Rng::from_seed([3; 32]);
        let sample = |_| delay.sample(&mut rng).as_secs_f64() * 1e3;
        let mut all: Vec<f64> = (0..SAMPLES).map(sample).collect();
        all.sort_by(f64::total_cmp);
        all
    }

    /// Checks quantiles of the samples: within a tenth, the noise of 20 000 being far below.
    fn quantiles(json: &str, expected: &[(f64, f64)]) {
        let all = samples(json);
        for &(q, ms) in expected {
            let got = all[(q * SAMPLES as f64) as usize];
            assert!((got - ms).abs() <= 0.1 * ms, "{json}: {q} is {got}");
        }
    }

    #[test]
    fn a_number_is_always_itself() {
        for json in ["2.5", "2.5e0"] {
            let all = samples(json);
            assert_eq!((all[0], all[SAMPLES - 1]), (2.5, 2.5));
        }
        assert_eq!(samples("0")[SAMPLES - 1], 0.0);
    }

    #[test]
    fn distributions_have_their_quantiles() {
        quantiles(
            r#"{"uniform":{"from":10,"to":30}}"#,
            &[(0.0, 10.0), (0.5, 20.0), (0.99, 29.8)],
        );
        // The normal's 0.9 quantile lies 1.2816 standard deviations above its mean.
        quantiles(
            r#"{"normal":{"mean":50,"sd":10}}"#,
            &[(0.1, 37.2), (0.5, 50.0), (0.9, 62.8)],
        );
        quantiles(
            r#"{"exponential":{"mean":8}}"#,
            &[(0.5, 8.0 * 2f64.ln()), (0.9, 8.0 * 10f64.ln())],
        );
        quantiles(
            r#"{"lognormal":{"median":4,"sigma":1}}"#,
            &[(0.5, 4.0), (0.9, 4.0 * 1.2816f64.exp())],
        );
        quantiles(
            r#"{"pareto":{"min":3,"shape":2}}"#,
            &[(0.0, 3.0), (0.75, 6.0), (0.99, 30.0)],
        );
    }

    #[test]
    fn a_normal_stops_at_zero_and_a_tail_at_an_hour() {
        let all = samples(r#"{"normal":{"mean":1,"sd":5}}"#);
        assert_eq!(all[0], 0.0);
        let all = samples(r#"{"pareto":{"min":1000,"shape":0.1}}"#);
        assert_eq!(all[SAMPLES - 1], 3_600_000.0);
    }

    #[test]
    fn errors_say_what_would_be_right() {
        let error = |json| serde_json::from_str::<Delay>(json).unwrap_err().to_string();
        for (bad, says) in [
            ("-1", "from 0 to 3600000"),
            ("\"5\"", "a number of milliseconds or a distribution"),
            (r#"{"uniform":{"from":2,"to":1}}"#, "from at most to"),
            (r#"{"normal":{"mean":2,"sd":-1}}"#, "mean and sd"),
            (r#"{"exponential":{"mean":0}}"#, "above 0"),
            (r#"{"lognormal":{"median":1,"sigma":99}}"#, "sigma 0 to 10"),
            (r#"{"pareto":{"min":1,"shape":0}}"#, "shape above 0"),
            (r#"{"pareto":{"min":1}}"#, "missing field `shape`"),
            (r#"{"gamma":{}}"#, "expected one of `uniform`"),
        ] {
            assert!(error(bad).contains(says), "{bad}: {}", error(bad));
        }
    }
}
