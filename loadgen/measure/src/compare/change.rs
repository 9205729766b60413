use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figure::{ComparedFigure, Unit};
use crate::stats::widening;
use crate::{Better, Judgement, RatioInterval};

/// Fewest degrees of freedom of the intervals that results hold: 20 blocks of seconds.
pub(crate) const DEGREES: f64 = 19.0;

/// One figure of both results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FigureChange {
    /// Which one.
    pub figure: ComparedFigure,
    /// What `a` and `b` are counted in.
    pub unit: Unit,
    /// Which way it is better.
    pub better: Better,
    /// Its values, how they stand to each other, and the judgement.
    #[serde(flatten)]
    pub change: Change,
}

/// Two values of one thing, A the older one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Of A; null where it does not exist.
    pub a: Option<f64>,
    /// Of B; null where it does not exist.
    pub b: Option<f64>,
    /// B over A; absent where either is missing or 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// 95 % interval of the ratio by itself: lowest, highest; absent where the results cannot carry one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_95: Option<(f64, f64)>,
    /// The interval of the comparison's `level`, by which it is judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// The judgement; absent without an interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judgement: Option<Judgement>,
}

/// A value and how far its logarithm may be off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    /// Half-width of the logarithm's 95 % interval; 0 for what is known exactly.
    pub(crate) half: Option<f64>,
}

/// What is known of a change before it is judged, since that takes their number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Draft {
    a: Option<f64>,
    b: Option<f64>,
    /// The estimated logarithm of the ratio, and the half-width of its 95 % interval.
    ln: Option<(f64, Option<f64>)>,
    /// What is sure without an interval.
    sure: Option<Judgement>,
}

impl Estimate {
    /// `None` for what is no figure.
    pub(crate) fn new(value: f64, half: Option<f64>) -> Option<Self> {
        let half = half.filter(|half| half.is_finite() && *half >= 0.0);
        (value.is_finite() && value >= 0.0).then_some(Self { value, half })
    }

    /// From an interval around the value.
    pub(crate) fn within(value: u64, interval: Option<(u64, u64)>) -> Option<Self> {
        let ln = |ns: u64| (ns.max(1) as f64).ln();
        let half = interval.map(|(low, high)| (ln(high) - ln(low)) / 2.0);
        Self::new(value as f64, half)
    }
}

impl Draft {
    /// Of two values that do not know of each other. The logarithm of their ratio has the sum of both
    /// variances (the delta method: Casella and Berger, Statistical Inference, 2nd edition, 5.5.4).
    pub(crate) fn of(a: Option<Estimate>, b: Option<Estimate>) -> Self {
        let half = a
            .and_then(|a| a.half)
            .zip(b.and_then(|b| b.half))
            .map(|(a, b)| a.hypot(b));
        Self::with(a.map(|a| a.value), b.map(|b| b.value), half)
    }

    /// Of two values whose ratio has this half-width of its logarithm's 95 % interval.
    pub(crate) fn with(a: Option<f64>, b: Option<f64>, half: Option<f64>) -> Self {
        let both = a.zip(b).filter(|(a, b)| *a > 0.0 && *b > 0.0);
        Self {
            a,
            b,
            ln: both.map(|(a, b)| ((b / a).ln(), half)),
            sure: None,
        }
    }

    /// With another estimate of the ratio's logarithm than that of the values, and its half-width.
    pub(crate) fn estimated(self, ln: f64, half: f64) -> Self {
        Self {
            ln: (ln.is_finite() && half.is_finite()).then_some((ln, Some(half))),
            ..self
        }
    }

    /// With what is sure without an interval.
    pub(crate) fn sure(self, judgement: Option<Judgement>) -> Self {
        Self {
            sure: judgement,
            ..self
        }
    }

    /// Whether neither side has it.
    pub(crate) fn is_nothing(&self) -> bool {
        self.a.is_none() && self.b.is_none()
    }

    /// Whether it will be judged by an interval.
    pub(crate) fn has_interval(&self) -> bool {
        matches!(self.ln, Some((_, Some(_))))
    }

    /// Judges it as one of so many.
    pub(crate) fn judge(self, better: Better, many: usize, df: f64, min_change: f64) -> Change {
        let ratio = self.a.zip(self.b).and_then(|(a, b)| {
            let ratio = b / a;
            (a > 0.0 && b > 0.0 && ratio.is_finite()).then_some(ratio)
        });
        let interval = |widening: f64| {
            let (ln, half) = self.ln?;
            let half = half? * widening;
            let (low, high) = ((ln - half).exp(), (ln + half).exp());
            (low > 0.0 && high.is_finite()).then_some((low, high))
        };
        let judged = interval(widening(many, df));
        let judgement = judged.zip(self.ln).map(|((low, high), (ln, _))| {
            let change = RatioInterval {
                ratio: ln.exp(),
                low,
                high,
            };
            Judgement::of(change, better, min_change)
        });
        Change {
            a: self.a,
            b: self.b,
            ratio,
            interval_95: interval(1.0),
            interval: judged,
            judgement: self.sure.or(judgement),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(a: Option<Estimate>, b: Option<Estimate>) -> Change {
        Draft::of(a, b).judge(Better::Lower, 1, DEGREES, 0.1)
    }

    #[test]
    fn variances_of_both_sides_add_up() {
        let a = Estimate::new(100.0, Some(0.03));
        let b = Estimate::new(150.0, Some(0.04));
        let change = change(a, b);
        assert_eq!(change.ratio, Some(1.5));
        let (low, high) = change.interval_95.expect("both have one");
        assert!(((high / low).ln() - 0.1).abs() < 1e-9, "{low} {high}");
        assert_eq!(change.judgement, Some(Judgement::Regressed));
    }

    #[test]
    fn without_an_interval_there_is_no_judgement() {
        let a = Estimate::new(100.0, None);
        let both = change(a, Estimate::new(150.0, Some(0.01)));
        assert_eq!((both.ratio, both.interval_95), (Some(1.5), None));
        assert_eq!(both.judgement, None);
        let one = change(a, None);
        assert_eq!((one.ratio, one.judgement), (None, None));
    }

    #[test]
    fn nothing_that_is_no_number_gets_out() {
        for value in [f64::NAN, f64::INFINITY, -1.0] {
            assert_eq!(Estimate::new(value, None), None);
        }
        let zero = Estimate::new(0.0, Some(f64::NAN));
        let one = Estimate::new(1.0, Some(0.0));
        for change in [change(zero, one), change(one, zero), change(zero, zero)] {
            assert_eq!((change.ratio, change.judgement), (None, None));
        }
        let wide = change(Estimate::new(1.0, Some(1e6)), one);
        assert_eq!((wide.interval, wide.judgement), (None, None));
    }

    #[test]
    fn many_judgements_need_more_than_one() {
        let draft = Draft::with(Some(100.0), Some(115.0), Some(0.12));
        let alone = draft.judge(Better::Lower, 1, DEGREES, 0.1);
        let among = draft.judge(Better::Lower, 20, DEGREES, 0.1);
        assert_eq!(alone.judgement, Some(Judgement::Regressed));
        assert_eq!(among.judgement, Some(Judgement::Undecided));
        assert_eq!(alone.interval_95, among.interval_95);
    }
}
