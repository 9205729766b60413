use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stats::line;

/// Fewest rounds that a law is looked for in.
const ROUNDS_MIN: usize = 3;
/// How far a law may be off in any round, as a share of that round's bytes: answers differ in length.
const WITHIN_SHARE: f64 = 0.01;
/// How far it may be off in bytes whatever they are: base64 and times are rounded.
const WITHIN_BYTES: f64 = 2.0;
/// A simpler law is kept while its largest error is at most so many times that of the best one.
const SIMPLER_MAY: f64 = 3.0;

/// How bytes go with the round r, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum Law {
    /// The same in every round.
    Constant {
        /// In bytes.
        bytes: f64,
    },
    /// `first_bytes` + `per_round_bytes` r.
    Linear {
        /// In round 0, in bytes.
        first_bytes: f64,
        /// More in each round, in bytes; below 0 when it shrinks.
        per_round_bytes: f64,
    },
    /// `fixed_bytes` + `growing_bytes` `factor`^r.
    Geometric {
        /// What does not grow, in bytes; may be below 0.
        fixed_bytes: f64,
        /// What does, in round 0, in bytes.
        growing_bytes: f64,
        /// By how much it is multiplied in each round; above 1.
        factor: f64,
    },
}

/// How the bytes of one thing go with the round.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Growth {
    /// Rounds that had any.
    pub rounds: u32,
    /// The law that their means follow: the simplest of constant, linear and geometric that is within
    /// 1 % or 2 bytes in every round, unless another one is closer by a factor of three. Absent with
    /// fewer than three rounds, and when none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub law: Option<Law>,
    /// The largest error of the law in any round, as a share of that round's bytes; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest_error: Option<f64>,
}

/// A law, and how far it is off at most.
#[derive(Debug, Clone, Copy)]
struct Fit {
    law: Law,
    parameters: usize,
    share: f64,
    bytes: f64,
    within: bool,
}

impl Law {
    /// The bytes of a round by this law.
    #[must_use]
    pub fn bytes(&self, round: f64) -> f64 {
        match *self {
            Self::Constant { bytes } => bytes,
            Self::Linear {
                first_bytes,
                per_round_bytes,
            } => first_bytes + per_round_bytes * round,
            Self::Geometric {
                fixed_bytes,
                growing_bytes,
                factor,
            } => fixed_bytes + growing_bytes * factor.powf(round),
        }
    }

    /// The first round from 1 on that has more than so many bytes by this law; `None` when none has.
    #[must_use]
    pub fn first_above(&self, limit_bytes: u64) -> Option<u64> {
        let limit = limit_bytes as f64;
        if self.bytes(1.0) > limit {
            return Some(1);
        }
        // Where the law is at the limit exactly.
        let at = match *self {
            Self::Linear {
                first_bytes,
                per_round_bytes,
            } if per_round_bytes > 0.0 => (limit - first_bytes) / per_round_bytes,
            Self::Geometric {
                fixed_bytes,
                growing_bytes,
                factor,
            } if growing_bytes > 0.0 && factor > 1.0 => {
                ((limit - fixed_bytes) / growing_bytes).ln() / factor.ln()
            }
            _ => return None,
        };
        (at < 1e15).then(|| at.floor() as u64 + 1)
    }
}

impl Growth {
    /// How these means by round grow, each with its round, rising.
    ///
    /// Each law is laid through the means by least squares: the line as it is; the geometric law by a
    /// line through the logarithms of what each round adds to the one before, ln(a (g - 1)) + r ln g,
    /// which gives the factor g whatever stays fixed beside (a pure power when nothing does), and then
    /// by a line through the bytes against g^r.
    pub(crate) fn of(means: &[(f64, f64)]) -> Self {
        let growth = Self {
            rounds: u32::try_from(means.len()).unwrap_or(u32::MAX),
            law: None,
            largest_error: None,
        };
        if means.len() < ROUNDS_MIN {
            return growth;
        }
        let laws = [constant(means), linear(means), geometric(means)];
        let fits = laws.into_iter().flatten().map(|law| Fit::of(law, means));
        let fits: Vec<Fit> = fits.filter(|fit| fit.within).collect();
        let Some(simplest) = fits.first() else {
            return growth;
        };
        // Whoever beats a law that is good enough must not have been made to meet every point.
        let proven = |fit: &&Fit| means.len() >= fit.parameters + 2;
        let least = fits.iter().filter(proven).map(|fit| fit.bytes);
        let least = least.fold(simplest.bytes, f64::min);
        let enough = (SIMPLER_MAY * least).max(WITHIN_BYTES);
        let chosen = fits.iter().find(|fit| fit.bytes <= enough);
        Self {
            law: chosen.map(|fit| fit.law),
            largest_error: chosen.map(|fit| fit.share),
            ..growth
        }
    }

    /// In words, as in `grows linearly, 331 B + 341 B a round (error 0.2 %)`.
    pub(crate) fn in_words(&self) -> String {
        let error = self.largest_error.unwrap_or_default();
        let error = format!("error {:.1} %", 100.0 * error);
        match self.law {
            Some(Law::Constant { bytes }) => format!("stays at {} ({error})", in_bytes(bytes)),
            Some(Law::Linear {
                first_bytes,
                per_round_bytes,
            }) => {
                let (verb, sign) = if per_round_bytes < 0.0 {
                    ("shrinks", '-')
                } else {
                    ("grows", '+')
                };
                let (first, more) = (in_bytes(first_bytes), in_bytes(per_round_bytes.abs()));
                format!("{verb} linearly, {first} {sign} {more} a round ({error})")
            }
            Some(Law::Geometric {
                fixed_bytes,
                growing_bytes,
                factor,
            }) => format!(
                "grows geometrically, {} times {factor:.2} a round, and {} ({error})",
                in_bytes(growing_bytes),
                in_bytes(fixed_bytes)
            ),
            None if (self.rounds as usize) < ROUNDS_MIN => match self.rounds {
                1 => "is in one round only, too few for a law".to_owned(),
                rounds => format!("is in {rounds} rounds only, too few for a law"),
            },
            None => "is neither constant nor linear nor geometric".to_owned(),
        }
    }
}

impl Fit {
    fn of(law: Law, means: &[(f64, f64)]) -> Self {
        let mut fit = Self {
            law,
            parameters: match law {
                Law::Constant { .. } => 1,
                Law::Linear { .. } => 2,
                Law::Geometric { .. } => 3,
            },
            share: 0.0,
            bytes: 0.0,
            within: true,
        };
        for &(round, mean) in means {
            let error = (law.bytes(round) - mean).abs();
            fit.bytes = fit.bytes.max(error);
            if error > 0.0 {
                fit.share = fit.share.max(error / mean.max(1.0));
            }
            // Not the other way round, since no comparison holds for what is not a number.
            fit.within &= error <= WITHIN_BYTES.max(WITHIN_SHARE * mean);
        }
        fit
    }
}

/// A digit behind the point where there is anything.
fn in_bytes(bytes: f64) -> String {
    if (bytes - bytes.round()).abs() < 0.05 {
        format!("{bytes:.0} B")
    } else {
        format!("{bytes:.1} B")
    }
}

fn constant(means: &[(f64, f64)]) -> Option<Law> {
    let sum: f64 = means.iter().map(|(_, mean)| mean).sum();
    Some(Law::Constant {
        bytes: sum / means.len() as f64,
    })
}

fn linear(means: &[(f64, f64)]) -> Option<Law> {
    let line = line(means)?;
    Some(Law::Linear {
        first_bytes: line.at_zero,
        per_round_bytes: line.slope,
    })
}

fn geometric(means: &[(f64, f64)]) -> Option<Law> {
    if means.len() < 4 {
        return None;
    }
    let added = means.windows(2).map(|pair| {
        let more = pair[1].1 - pair[0].1;
        let neighbours = pair[1].0 - pair[0].0 == 1.0;
        (neighbours && more > 0.0).then(|| (pair[0].0, more.ln()))
    });
    let added: Option<Vec<(f64, f64)>> = added.collect();
    let factor = line(&added?)?.slope.exp();
    let powers = means
        .iter()
        .map(|&(round, mean)| (factor.powf(round), mean));
    let powers: Vec<(f64, f64)> = powers.collect();
    let line = line(&powers).filter(|_| factor > 1.0)?;
    Some(Law::Geometric {
        fixed_bytes: line.at_zero,
        growing_bytes: line.slope,
        factor,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(rounds: u32, of: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        (0..rounds).map(f64::from).map(|r| (r, of(r))).collect()
    }

    fn law(means: &[(f64, f64)]) -> Option<Law> {
        Growth::of(means).law
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-6 * b.abs().max(1.0)
    }

    #[test]
    fn exact_series_are_named_with_their_coefficients() {
        let Some(Law::Constant { bytes }) = law(&series(5, |_| 331.0)) else {
            panic!("constant");
        };
        assert!(near(bytes, 331.0));
        for rounds in [3, 4, 10] {
            let growth = Growth::of(&series(rounds, |r| 331.0 + 341.0 * r));
            let Some(Law::Linear {
                first_bytes,
                per_round_bytes,
            }) = growth.law
            else {
                panic!("{growth:?}");
            };
            assert!(near(first_bytes, 331.0) && near(per_round_bytes, 341.0));
            assert!(growth.largest_error.unwrap() < 1e-9, "{growth:?}");
        }
        for (fixed, grows, by) in [(79.0, 341.0, 2.0_f64), (0.0, 100.0, 1.5)] {
            let growth = Growth::of(&series(8, |r| fixed + grows * by.powf(r)));
            let Some(Law::Geometric {
                fixed_bytes,
                growing_bytes,
                factor,
            }) = growth.law
            else {
                panic!("{growth:?}");
            };
            assert!(near(fixed_bytes, fixed), "{growth:?}");
            assert!(near(growing_bytes, grows) && near(factor, by), "{growth:?}");
        }
    }

    #[test]
    fn rounding_to_whole_characters_changes_no_law() {
        let base64 = |bytes: f64| (4.0 * bytes / 3.0).ceil();
        let linear = law(&series(10, |r| base64(71.0 + 273.0 * r)));
        assert!(matches!(linear, Some(Law::Linear { .. })), "{linear:?}");
        let geometric = law(&series(10, |r| base64(59.0 + 256.0 * 2_f64.powf(r))));
        let Some(Law::Geometric { factor, .. }) = geometric else {
            panic!("{geometric:?}");
        };
        assert!((factor - 2.0).abs() < 0.01, "{factor}");
        let constant = law(&series(10, |r| 400.0 + r % 2.0));
        assert!(matches!(constant, Some(Law::Constant { .. })));
    }

    #[test]
    fn noise_makes_no_law_more_complicated() {
        // Within half a percent either way, in no order.
        let noise = |r: f64| 1.0 + 0.005 * (2.0 * (7.0 * r % 11.0) / 10.0 - 1.0);
        for rounds in [4, 6, 11, 40] {
            let of = |truth: fn(f64) -> f64| law(&series(rounds, |r| truth(r) * noise(r)));
            let constant = of(|_| 5000.0);
            assert!(
                matches!(constant, Some(Law::Constant { .. })),
                "{constant:?}"
            );
            let linear = of(|r| 5000.0 + 800.0 * r);
            assert!(matches!(linear, Some(Law::Linear { .. })), "{linear:?}");
        }
    }

    #[test]
    fn slow_growth_of_a_large_state_is_seen() {
        let slow = law(&series(6, |r| 10_000.0 + 10.0 * r));
        assert!(matches!(slow, Some(Law::Linear { .. })), "{slow:?}");
    }

    #[test]
    fn few_rounds_have_no_law() {
        assert_eq!(Growth::of(&[]).rounds, 0);
        for rounds in [1, 2] {
            let growth = Growth::of(&series(rounds, |r| 100.0 + r));
            assert_eq!((growth.law, growth.rounds), (None, rounds));
            assert!(growth.in_words().contains("too few"), "{growth:?}");
        }
    }

    #[test]
    fn nothing_at_all_is_constant() {
        let growth = Growth::of(&series(4, |_| 0.0));
        assert_eq!(growth.law, Some(Law::Constant { bytes: 0.0 }));
        assert_eq!(growth.largest_error, Some(0.0));
    }

    #[test]
    fn what_follows_no_law_has_none() {
        for up_and_down in [[500.0, 900.0, 300.0, 800.0], [100.0, 200.0, 50.0, 400.0]] {
            let means: Vec<(f64, f64)> = (0..4_u32).map(f64::from).zip(up_and_down).collect();
            let growth = Growth::of(&means);
            assert_eq!((growth.law, growth.largest_error), (None, None));
            assert!(
                growth.in_words().contains("neither"),
                "{}",
                growth.in_words()
            );
        }
        assert_eq!(law(&series(12, |r| 1000.0 + 100.0 * r * r)), None);
    }

    #[test]
    fn the_first_round_above_a_limit_is_the_one_that_a_walk_finds() {
        for law in [
            Law::Constant { bytes: 5000.0 },
            Law::Linear {
                first_bytes: 331.0,
                per_round_bytes: 341.0,
            },
            Law::Linear {
                first_bytes: 9000.0,
                per_round_bytes: -10.0,
            },
            Law::Geometric {
                fixed_bytes: 79.0,
                growing_bytes: 341.0,
                factor: 1.7,
            },
        ] {
            for limit in [100, 672, 673, 4999, 5000, 65_536] {
                let walk = (1..1000_u32).find(|r| law.bytes(f64::from(*r)) > limit as f64);
                assert_eq!(
                    law.first_above(limit),
                    walk.map(u64::from),
                    "{law:?} {limit}"
                );
            }
        }
    }
}
