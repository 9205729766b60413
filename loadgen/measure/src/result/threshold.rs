use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::metric::{Metric, UnknownMetric};
use super::run::RunResult;

/// On which side of the limit the value must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Comparison {
    /// The limit or more.
    #[serde(rename = ">=")]
    AtLeast,
    /// The limit or less.
    #[serde(rename = "<=")]
    AtMost,
    /// More than the limit.
    #[serde(rename = ">")]
    Above,
    /// Less than the limit.
    #[serde(rename = "<")]
    Below,
}

impl Comparison {
    fn holds(self, value: f64, limit: f64) -> bool {
        match self {
            Self::AtLeast => value >= limit,
            Self::AtMost => value <= limit,
            Self::Above => value > limit,
            Self::Below => value < limit,
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::AtLeast => ">=",
            Self::AtMost => "<=",
            Self::Above => ">",
            Self::Below => "<",
        })
    }
}

/// A limit that a scenario sets on a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Threshold {
    /// The figure.
    pub metric: Metric,
    /// On which side of the limit it must be.
    pub comparison: Comparison,
    /// The limit, in the figure's unit; a finite number.
    pub limit: f64,
}

/// The text is no threshold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadThreshold {
    /// Not of the form FIGURE COMPARISON NUMBER.
    #[error("`{0}` is no threshold; write for example `ok.rate >= 0.99`, with one of >= <= > <")]
    Form(String),
    /// The figure does not exist.
    #[error(transparent)]
    Figure(#[from] UnknownMetric),
    /// The limit is not a finite number.
    #[error("`{0}` is no number to compare with")]
    Limit(String),
    /// Behind the limit stands something that is no unit.
    #[error("`{0}` is no unit; a time has ns, us, ms or s, a size B, KiB or MiB")]
    NoUnit(String),
    /// The limit has a unit that the figure does not have.
    #[error("`{0}`: {1}")]
    Unit(String, &'static str),
}

/// A limit as it is written.
struct Written {
    number: f64,
    unit: Option<Unit>,
}

#[derive(Clone, Copy)]
enum Unit {
    Time(&'static str),
    Bytes(f64),
}

/// Units behind a number.
const UNITS: [(&str, Unit); 7] = [
    ("ns", Unit::Time("ns")),
    ("us", Unit::Time("us")),
    ("ms", Unit::Time("ms")),
    ("s", Unit::Time("s")),
    ("B", Unit::Bytes(1.0)),
    ("KiB", Unit::Bytes(1024.0)),
    ("MiB", Unit::Bytes(1_048_576.0)),
];

impl Written {
    fn read(text: &str) -> Result<Self, BadThreshold> {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
        let number = digits.trim_end().parse().ok();
        let number = number.filter(|number| f64::is_finite(*number));
        let number = number.ok_or_else(|| BadThreshold::Limit(text.to_owned()))?;
        let unit = match text[digits.len()..].trim() {
            "" => None,
            unit => {
                let known = UNITS.iter().find(|(name, _)| *name == unit);
                let (_, unit) = known.ok_or_else(|| BadThreshold::NoUnit(unit.to_owned()))?;
                Some(*unit)
            }
        };
        Ok(Self { number, unit })
    }
}

/// The figure with this unit behind its statistic, as in `response.p99_ms[round=2]`.
fn with_unit(figure: &str, unit: &str) -> String {
    let end = figure.find('[').unwrap_or(figure.len());
    let (name, of) = figure.split_at(end);
    format!("{}_{unit}{of}", name.trim_end())
}

impl FromStr for Threshold {
    type Err = BadThreshold;

    /// Reads `ok.rate >= 0.99` and the like.
    fn from_str(text: &str) -> Result<Self, BadThreshold> {
        let operators = [
            (">=", Comparison::AtLeast),
            ("<=", Comparison::AtMost),
            (">", Comparison::Above),
            ("<", Comparison::Below),
        ];
        let (figure, comparison, limit) = operators
            .into_iter()
            .find_map(|(sign, comparison)| {
                let (figure, limit) = text.split_once(sign)?;
                Some((figure.trim(), comparison, limit.trim()))
            })
            .ok_or_else(|| BadThreshold::Form(text.to_owned()))?;
        let Written { number, unit } = Written::read(limit)?;
        let wrong = |why| BadThreshold::Unit(text.to_owned(), why);
        let (metric, limit) = match unit {
            None => (figure.parse::<Metric>()?, number),
            Some(Unit::Time(unit)) => {
                if figure.parse::<Metric>().is_ok() {
                    return Err(wrong(
                        "the figure is no time, or has its unit already: leave the unit out behind \
                         the limit",
                    ));
                }
                (with_unit(figure, unit).parse()?, number)
            }
            Some(Unit::Bytes(each)) => {
                let metric: Metric = figure.parse()?;
                if !metric.is_size() {
                    return Err(wrong("the figure is no size"));
                }
                (metric, number * each)
            }
        };
        Ok(Self {
            metric,
            comparison,
            limit,
        })
    }
}

/// A threshold and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThresholdResult {
    /// The figure, as in `round1.response.p99_ms`.
    pub name: String,
    /// On which side of the limit it must be.
    pub comparison: Comparison,
    /// The limit, in the figure's unit.
    pub limit: f64,
    /// The figure's value; null when there was nothing to take it from, which fails.
    pub value: Option<f64>,
    /// Whether the value is on the right side.
    pub pass: bool,
}

impl ThresholdResult {
    /// The value for people, with four digits after the point: more when those would put it on
    /// the other side of the limit, `n/a` when there is none.
    pub fn value_text(&self) -> String {
        let Some(value) = self.value else {
            return "n/a".to_owned();
        };
        if self.name.ends_with(".count") {
            return value.to_string();
        }
        let text = format!("{value:.4}");
        let shown: f64 = text.parse().unwrap_or(value);
        if self.comparison.holds(shown, self.limit) == self.pass {
            text
        } else {
            value.to_string()
        }
    }
}

impl Threshold {
    /// The limit that is missed when this comparison, as in `ok.rate < 0.99`, holds.
    ///
    /// # Errors
    /// As those of [`Threshold::from_str`].
    pub fn unless(text: &str) -> Result<Self, BadThreshold> {
        let told: Self = text.parse()?;
        Ok(Self {
            comparison: match told.comparison {
                Comparison::AtLeast => Comparison::Below,
                Comparison::AtMost => Comparison::Above,
                Comparison::Above => Comparison::AtMost,
                Comparison::Below => Comparison::AtLeast,
            },
            ..told
        })
    }

    pub(crate) fn judge(&self, result: &RunResult) -> ThresholdResult {
        let value = self.metric.value(result);
        ThresholdResult {
            name: self.metric.to_string(),
            comparison: self.comparison,
            limit: self.limit,
            value,
            pass: value.is_some_and(|value| self.comparison.holds(value, self.limit)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_read_and_bad_ones_named() {
        let read: Threshold = "round1.response.p99_ms<20".parse().unwrap();
        assert_eq!(read.comparison, Comparison::Below);
        assert_eq!(read.limit, 20.0);
        let read: Threshold = "response.p99[round=2] < 20ms".parse().unwrap();
        assert_eq!(read, "response.p99_ms[round=2] < 20".parse().unwrap());
        let read: Threshold = "state_bytes.max <= 1.5 KiB".parse().unwrap();
        assert_eq!(read.limit, 1536.0);
        let must = Threshold::unless("ok.rate < 0.99").unwrap();
        assert_eq!(must, "ok.rate >= 0.99".parse().unwrap());
        let read: Threshold = "ok.rate >= 0.99".parse().unwrap();
        assert_eq!(read.comparison, Comparison::AtLeast);
        for (text, want) in [
            ("ok.rate", "is no threshold"),
            ("ok.rate >= fast", "`fast` is no number"),
            ("ok.rate >= NaN", "`NaN` is no number"),
            ("speed > 1", "no such figure"),
            ("ok.rate > 1ms", "is no time"),
            ("round1.response.p99_ms < 20ms", "has its unit already"),
            ("response.p99[round=1] < 20 parsec", "`parsec` is no unit"),
            ("response.p99_ms[round=1] < 20KiB", "is no size"),
            ("state_bytes.max < 1MB", "`MB` is no unit; a time has ns"),
            ("ok.rate >= 99%", "`%` is no unit"),
            ("ok.rate >= e", "`e` is no number"),
        ] {
            let error = text.parse::<Threshold>().unwrap_err().to_string();
            assert!(error.contains(want), "{error}");
        }
    }

    #[test]
    fn a_value_is_never_shown_on_the_wrong_side() {
        let text = |value, comparison: Comparison, limit| {
            let pass = comparison.holds(value, limit);
            ThresholdResult {
                name: "ok.rate".into(),
                comparison,
                limit,
                value: Some(value),
                pass,
            }
            .value_text()
        };
        assert_eq!(text(0.51, Comparison::AtLeast, 0.99), "0.5100");
        assert_eq!(text(0.989_996, Comparison::AtLeast, 0.99), "0.989996");
        assert_eq!(text(50.000_04, Comparison::AtMost, 50.0), "50.00004");
        assert_eq!(text(49.999_99, Comparison::Below, 50.0), "49.99999");
        assert_eq!(text(50.0, Comparison::AtMost, 50.0), "50.0000");
        let count = ThresholdResult {
            name: "throttled.count".into(),
            comparison: Comparison::AtMost,
            limit: 0.0,
            value: Some(7.0),
            pass: false,
        };
        assert_eq!(count.value_text(), "7");
    }

    #[test]
    fn the_right_side_of_a_limit_passes() {
        assert!(Comparison::Below.holds(40.0, 50.0));
        assert!(!Comparison::Below.holds(60.0, 50.0));
        assert!(!Comparison::Below.holds(50.0, 50.0));
        assert!(Comparison::AtMost.holds(50.0, 50.0));
        assert!(Comparison::AtLeast.holds(0.99, 0.99));
        assert!(!Comparison::Above.holds(0.99, 0.99));
    }
}
