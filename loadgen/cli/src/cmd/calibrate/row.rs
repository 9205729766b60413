use serde_json::{Value, json};

/// A figure whose truth is known, as it was measured.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    figure: String,
    unit: Unit,
    truth: f64,
    /// `None` when the run could not measure it.
    measured: Option<f64>,
    allowed: Allowed,
}

/// What a figure counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// Milliseconds.
    Ms,
    /// Things.
    Count,
    /// A share, 0 to 1.
    Share,
}

/// How far a measured value may be from its truth, in the unit of both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Allowed {
    /// Lowest error, 0 or below.
    pub(super) low: f64,
    /// Highest error, 0 or above.
    pub(super) high: f64,
}

impl Allowed {
    pub(super) const EXACT: Self = Self::within(0.0);

    /// The same on both sides.
    pub(super) const fn within(most: f64) -> Self {
        Self {
            low: -most,
            high: most,
        }
    }

    pub(super) const fn between(low: f64, high: f64) -> Self {
        Self { low, high }
    }
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Ms => "ms",
            Self::Count => "count",
            Self::Share => "share",
        }
    }

    fn text(self, value: f64) -> String {
        match self {
            Self::Ms => format!("{value:.3} ms"),
            Self::Count => format!("{value:.0}"),
            Self::Share => format!("{:.2} %", 100.0 * value),
        }
    }
}

impl Row {
    pub(super) fn new(
        figure: impl Into<String>,
        unit: Unit,
        truth: f64,
        measured: Option<f64>,
        allowed: Allowed,
    ) -> Self {
        Self {
            figure: figure.into(),
            unit,
            truth,
            measured,
            allowed,
        }
    }

    /// A count that has no room for error.
    pub(super) fn exact(figure: &str, truth: u64, measured: u64) -> Self {
        let measured = Some(measured as f64);
        Self::new(figure, Unit::Count, truth as f64, measured, Allowed::EXACT)
    }

    /// The same under another name.
    pub(super) fn called(self, figure: &str) -> Self {
        Self {
            figure: figure.to_owned(),
            ..self
        }
    }

    pub(super) fn figure(&self) -> &str {
        &self.figure
    }

    pub(super) fn measured(&self) -> Option<f64> {
        self.measured
    }

    fn error(&self) -> Option<f64> {
        Some(self.measured? - self.truth)
    }

    /// Whether it was measured, and near enough.
    pub(super) fn is_within(&self) -> bool {
        let Allowed { low, high } = self.allowed;
        self.error()
            .is_some_and(|error| (low..=high).contains(&error))
    }

    /// Figure, truth, measured, error, allowed, judgement.
    pub(super) fn cells(&self) -> [String; 6] {
        let text =
            |value: Option<f64>| value.map_or_else(|| "n/a".to_owned(), |v| self.unit.text(v));
        let Allowed { low, high } = self.allowed;
        let allowed = if low == 0.0 && high == 0.0 {
            "exact".to_owned()
        } else if low == -high {
            format!("+-{}", self.unit.text(high))
        } else {
            format!("{} to {}", self.unit.text(low), self.unit.text(high))
        };
        [
            self.figure.clone(),
            self.unit.text(self.truth),
            text(self.measured),
            text(self.error()),
            allowed,
            if self.is_within() { "ok" } else { "OUT" }.to_owned(),
        ]
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "figure": self.figure,
            "unit": self.unit.name(),
            "truth": self.truth,
            "measured": self.measured,
            "error": self.error(),
            "allowed": [self.allowed.low, self.allowed.high],
            "within": self.is_within(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_within_on_both_sides_or_out() {
        let row = |measured| {
            let allowed = Allowed::between(-1.0, 2.0);
            Row::new("p50", Unit::Ms, 10.0, measured, allowed)
        };
        for (measured, within) in [(9.0, true), (8.9, false), (12.0, true), (12.1, false)] {
            assert_eq!(row(Some(measured)).is_within(), within, "{measured}");
        }
        assert!(!row(None).is_within(), "not measured is not right");
        assert_eq!(row(None).cells()[2], "n/a");
        assert!(!Row::exact("n", 10, 9).is_within());
        assert!(Row::exact("n", 10, 10).is_within());
    }

    #[test]
    fn a_row_prints_in_its_unit() {
        let share = Row::new("slow", Unit::Share, 0.1, Some(0.11), Allowed::within(0.02));
        assert_eq!(
            share.cells(),
            ["slow", "10.00 %", "11.00 %", "1.00 %", "+-2.00 %", "ok"]
        );
        assert_eq!(share.json()["within"], true);
    }
}
