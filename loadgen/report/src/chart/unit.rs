use super::axis::linear_ticks;
use crate::units::{plain, six_digits, time_ns};

/// What the horizontal axis of a chart counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Across {
    /// Positions of rounds in their workflows.
    Rounds,
    /// Seconds of the run.
    Seconds,
    /// Quantiles, each at log10(1 / (1 - quantile)).
    Quantiles,
    /// Any number.
    Numbers,
    /// Measurements by their position, from 1.
    Measurements,
}

/// Quantiles that get a tick: the share above them, and how they are written.
const QUANTILES: [(f64, &str); 9] = [
    (1.0, "0 %"),
    (0.5, "50 %"),
    (0.25, "75 %"),
    (0.1, "90 %"),
    (0.01, "99 %"),
    (1e-3, "99.9 %"),
    (1e-4, "99.99 %"),
    (1e-5, "99.999 %"),
    (1e-6, "99.9999 %"),
];

impl Across {
    /// Ticks within a range, with their texts.
    pub(crate) fn ticks(self, low: f64, high: f64) -> Vec<(f64, String)> {
        let numbers = |wanted| linear_ticks(low, high, wanted).into_iter();
        let whole = |place: &f64| place.fract() == 0.0;
        let named = |place| (place, plain(place));
        match self {
            Self::Rounds | Self::Seconds | Self::Measurements => {
                numbers(10).filter(whole).map(named).collect()
            }
            Self::Numbers => numbers(8).map(named).collect(),
            Self::Quantiles => QUANTILES
                .into_iter()
                .map(|(above, name)| (-above.log10(), name.to_owned()))
                .filter(|(place, _)| (low..=high).contains(place))
                .collect(),
        }
    }

    /// A place in words, for a table.
    pub(crate) fn text(self, place: f64) -> String {
        match self {
            Self::Quantiles => quantile(place),
            _ => plain(place),
        }
    }

    /// The name that the script of a page knows it by.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rounds => "round",
            Self::Seconds => "second",
            Self::Quantiles => "quantile",
            Self::Numbers | Self::Measurements => "number",
        }
    }
}

/// The percentage at log10(1 / (1 - quantile)), with two digits more than it has nines.
fn quantile(place: f64) -> String {
    let above = 100.0 * 10_f64.powf(-place);
    let digits = (place.max(0.0).floor() as usize).min(12) + 1;
    let text = format!("{:.digits$}", 100.0 - above);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} %")
}

/// What the vertical axis of a chart counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Nanoseconds, written in the unit that fits.
    Time,
    /// A number as it is.
    Number,
    /// A number of which small differences matter.
    Exact,
}

impl Unit {
    /// Text of a round value on the axis.
    pub(crate) fn tick(self, value: f64) -> String {
        match self {
            Self::Time => time_ns(value).replace(".00", "").replace(".0 ", " "),
            Self::Number => plain(value),
            Self::Exact => six_digits(value),
        }
    }

    /// Text of any value.
    pub(crate) fn text(self, value: f64) -> String {
        match self {
            Self::Time => time_ns(value),
            Self::Number => plain(value),
            Self::Exact => six_digits(value),
        }
    }

    /// The name that the script of a page knows it by.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Number | Self::Exact => "number",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_keep_their_nines() {
        for (place, text) in [
            (0.0, "0 %"),
            (2_f64.log10(), "50 %"),
            (1.0, "90 %"),
            (3.0, "99.9 %"),
            (5.5, "99.999684 %"),
        ] {
            assert_eq!(quantile(place), text);
        }
    }

    #[test]
    fn ticks_are_within_their_range() {
        let names = |ticks: Vec<(f64, String)>| -> Vec<String> {
            ticks.into_iter().map(|tick| tick.1).collect()
        };
        assert_eq!(names(Across::Rounds.ticks(0.0, 2.0)), ["0", "1", "2"]);
        assert_eq!(
            names(Across::Quantiles.ticks(0.5, 2.2)),
            ["75 %", "90 %", "99 %"]
        );
    }
}
