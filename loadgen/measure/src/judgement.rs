use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a comparison says of one figure, or of all of them together. The words are the same wherever
/// two things are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// It became worse, and by enough to matter.
    Regressed,
    /// It became better, and by enough to matter.
    Improved,
    /// It is proved that it changed by less than what matters, if at all.
    Equal,
    /// The data do not tell.
    Undecided,
}

/// Which way a figure is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Less is better: times, sizes, shares of failures.
    Lower,
    /// More is better: rates of work done, shares of successes.
    Higher,
}

/// How many times as large the new value is as the old one, with an interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RatioInterval {
    /// New value by old value.
    pub ratio: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Judgement {
    /// Judges a change by its interval, where `min_change` is the smallest change that matters, as a
    /// share: 0.02 for 2 %. With the ratio turned so that more is worse and `m` for `min_change`:
    ///
    /// - *regressed* when the whole interval lies above 1 and the ratio itself is at least `1 + m`;
    /// - *improved* when the whole interval lies below 1 and the ratio is at most `1 / (1 + m)`;
    /// - *equal* when the whole interval lies within `1 / (1 + m)` and `1 + m`;
    /// - else *undecided*, and so for whatever is no ratio: not finite, not above 0, ends exchanged.
    ///
    /// The first two ask for two things. That the interval leaves out 1 keeps the rate of false alarms:
    /// it is at most half of what the interval leaves out. The size of the estimate lets a change
    /// pass that is sure but too small to matter. To ask that the whole interval lies beyond `1 + m`
    /// would be safer and would find a change of just `m` hardly ever; a gate that stands on `m` is
    /// asked to find it. *Equal* is the other question, and a sample too small never answers it: two
    /// one-sided tests (Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987, p.
    /// 657), here by an interval of the same level, which is stricter than the 90 % that the tests of
    /// 5 % take. The bounds are each other's inverse, so exchanging both sides exchanges *regressed*
    /// and *improved* and moves nothing else.
    pub fn of(change: RatioInterval, better: Better, min_change: f64) -> Self {
        let RatioInterval { ratio, low, high } = match better {
            Better::Lower => change,
            Better::Higher => change.inverse(),
        };
        let sound = [ratio, low, high]
            .iter()
            .all(|value| value.is_finite() && *value > 0.0);
        if !sound || low > high || !min_change.is_finite() || min_change < 0.0 {
            return Self::Undecided;
        }
        let (least, most) = (1.0 / (1.0 + min_change), 1.0 + min_change);
        if low > 1.0 && ratio >= most {
            Self::Regressed
        } else if high < 1.0 && ratio <= least {
            Self::Improved
        } else if least < low.min(ratio) && high.max(ratio) < most {
            Self::Equal
        } else {
            Self::Undecided
        }
    }

    /// The judgement on several figures together: regressed when any is, else undecided when any is,
    /// else improved when any is, else equal. `None` without any.
    pub fn of_all(all: impl IntoIterator<Item = Self>) -> Option<Self> {
        let weight = |judgement: &Self| match judgement {
            Self::Regressed => 3,
            Self::Undecided => 2,
            Self::Improved => 1,
            Self::Equal => 0,
        };
        all.into_iter().max_by_key(weight)
    }

    /// Whether a gate stops here: at a regression, and when `strict` also where the data do not tell.
    pub fn stops(self, strict: bool) -> bool {
        match self {
            Self::Regressed => true,
            Self::Undecided => strict,
            Self::Improved | Self::Equal => false,
        }
    }

    /// The word in print and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Regressed => "regressed",
            Self::Improved => "improved",
            Self::Equal => "equal",
            Self::Undecided => "undecided",
        }
    }
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl RatioInterval {
    /// Old by new.
    fn inverse(self) -> Self {
        Self {
            ratio: 1.0 / self.ratio,
            low: 1.0 / self.high,
            high: 1.0 / self.low,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(low: f64, ratio: f64, high: f64) -> Judgement {
        let change = RatioInterval { ratio, low, high };
        let judgement = Judgement::of(change, Better::Lower, 0.1);
        // What is worse one way is better the other way, and the other two stay.
        let mirrored = match judgement {
            Judgement::Regressed => Judgement::Improved,
            Judgement::Improved => Judgement::Regressed,
            same => same,
        };
        assert_eq!(Judgement::of(change, Better::Higher, 0.1), mirrored);
        judgement
    }

    #[test]
    fn a_sure_change_that_matters_is_called() {
        assert_eq!(judged(1.05, 1.2, 1.4), Judgement::Regressed);
        assert_eq!(judged(0.7, 0.8, 0.95), Judgement::Improved);
    }

    #[test]
    fn what_is_not_sure_or_does_not_matter_is_not_called() {
        assert_eq!(judged(0.9, 1.2, 1.5), Judgement::Undecided);
        assert_eq!(judged(1.01, 1.05, 1.2), Judgement::Undecided);
        assert_eq!(judged(1.01, 1.05, 1.09), Judgement::Equal);
    }

    #[test]
    fn equal_takes_an_interval_within_the_bounds() {
        assert_eq!(judged(0.95, 1.0, 1.05), Judgement::Equal);
        assert_eq!(judged(0.95, 1.0, 1.1), Judgement::Undecided);
        assert_eq!(judged(1.0 / 1.1, 1.0, 1.05), Judgement::Undecided);
        assert_eq!(judged(1.0, 1.0, 1.0), Judgement::Equal);
    }

    #[test]
    fn no_ratio_is_no_judgement() {
        for bad in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
            assert_eq!(judged(bad, 1.2, 1.4), Judgement::Undecided);
            assert_eq!(judged(1.1, bad, 1.4), Judgement::Undecided);
            assert_eq!(judged(1.1, 1.2, bad), Judgement::Undecided);
        }
        assert_eq!(judged(1.4, 1.2, 1.1), Judgement::Undecided);
        let change = RatioInterval {
            ratio: 2.0,
            low: 1.5,
            high: 3.0,
        };
        let bad = Judgement::of(change, Better::Lower, f64::NAN);
        assert_eq!(bad, Judgement::Undecided);
    }

    #[test]
    fn the_worst_speaks_for_all() {
        use Judgement::{Equal, Improved, Regressed, Undecided};
        assert_eq!(Judgement::of_all([]), None);
        assert_eq!(Judgement::of_all([Equal, Improved]), Some(Improved));
        assert_eq!(Judgement::of_all([Undecided, Improved]), Some(Undecided));
        let all = [Equal, Regressed, Undecided, Improved];
        assert_eq!(Judgement::of_all(all), Some(Regressed));
    }

    #[test]
    fn a_gate_stops_at_regressions_and_strictly_at_what_is_open() {
        assert!(Judgement::Regressed.stops(false));
        assert!(Judgement::Undecided.stops(true));
        assert!(!Judgement::Undecided.stops(false));
        assert!(!Judgement::Equal.stops(true));
        assert!(!Judgement::Improved.stops(true));
    }

    #[test]
    fn words_in_files_are_those_in_print() {
        for judgement in [Judgement::Regressed, Judgement::Undecided] {
            let json = serde_json::to_string(&judgement).expect("a word");
            assert_eq!(json, format!("\"{judgement}\""));
        }
    }
}
