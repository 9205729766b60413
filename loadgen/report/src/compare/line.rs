use loadgen_measure::{Change, Judgement, Unit};

use crate::summary::{Role, Text};
use crate::units::{NOTHING, or_nothing, percent, printable, size_bytes, three_digits, time_ns};

/// Columns of a name; a longer one has a line of its own.
const NAME: usize = 20;

/// One compared figure, ready to be printed.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) change: String,
    pub(crate) interval: String,
    pub(crate) judgement: Option<Judgement>,
}

/// What stands above the columns behind the name.
pub(crate) const HEAD: [&str; 5] = ["A", "B", "change", "95 % interval", "judgement"];

impl Line {
    pub(crate) fn new(name: String, unit: Unit, change: &Change) -> Self {
        let value = |value: Option<f64>| or_nothing(value, |value| figure(value, unit));
        Self {
            name,
            a: value(change.a),
            b: value(change.b),
            change: match (change.a, change.b) {
                (Some(_), None) => "only in A".to_owned(),
                (None, Some(_)) => "only in B".to_owned(),
                (Some(0.0), Some(0.0)) => "+0.0 %".to_owned(),
                _ => or_nothing(change.ratio, ratio),
            },
            interval: or_nothing(change.interval_95, range),
            judgement: change.judgement,
        }
    }

    /// As a line of text under [`heading`].
    pub(crate) fn write(&self, text: &mut Text) {
        let name = printable(&self.name);
        let name = if name.chars().count() > NAME {
            text.line(&format!("  {name}"));
            String::new()
        } else {
            name
        };
        let cells = columns(&[&self.a, &self.b, &self.change, &self.interval]);
        let judgement = match self.judgement {
            Some(judgement) => text.paint(role(judgement), judgement.name()),
            None => text.paint(Role::Quiet, "not judged"),
        };
        text.line(&format!("  {name:<NAME$}{cells}  {judgement}"));
    }

    /// As cells of a Markdown table, without the name.
    pub(crate) fn cells(&self) -> [String; 5] {
        let judgement = match self.judgement {
            Some(judgement @ (Judgement::Regressed | Judgement::Improved)) => {
                format!("**{judgement}**")
            }
            Some(judgement) => judgement.to_string(),
            None => "not judged".to_owned(),
        };
        let [a, b, change, interval] =
            [&self.a, &self.b, &self.change, &self.interval].map(Clone::clone);
        [a, b, change, interval, judgement]
    }
}

/// An empty line, then what the lines below are of and what their columns hold.
pub(crate) fn heading(text: &mut Text, of: &str) {
    let [a, b, change, interval, judgement] = HEAD;
    let cells = columns(&[a, b, change, interval]);
    text.heading(&format!(
        "{of:<width$}{cells}  {judgement}",
        width = NAME + 2
    ));
}

/// How a judgement looks.
pub(crate) fn role(judgement: Judgement) -> Role {
    match judgement {
        Judgement::Regressed => Role::Bad,
        Judgement::Improved => Role::Good,
        Judgement::Undecided => Role::Warning,
        Judgement::Equal => Role::Quiet,
    }
}

/// Whether a figure changed: it is judged to, it moved by what matters, or one side has none.
pub(crate) fn has_changed(change: &Change, min_change: f64) -> bool {
    let judged = matches!(
        change.judgement,
        Some(Judgement::Regressed | Judgement::Improved)
    );
    let moved = match (change.a, change.b, change.ratio) {
        (_, _, Some(ratio)) => ratio.ln().abs() >= min_change.ln_1p(),
        (Some(a), Some(b), None) => a != b,
        (a, b, None) => a.is_some() || b.is_some(),
    };
    judged || moved
}

/// How many of these have each judgement, as in `2 regressed, 9 equal`.
pub(crate) fn tally(judgements: impl Iterator<Item = Option<Judgement>>) -> String {
    let all: Vec<Option<Judgement>> = judgements.collect();
    let kinds = [
        Some(Judgement::Regressed),
        Some(Judgement::Improved),
        Some(Judgement::Undecided),
        Some(Judgement::Equal),
        None,
    ];
    let said = kinds.into_iter().filter_map(|kind| {
        let count = all.iter().filter(|judgement| **judgement == kind).count();
        let name = kind.map_or("not judged", Judgement::name);
        (count > 0).then(|| format!("{count} {name}"))
    });
    let said: Vec<String> = said.collect();
    if said.is_empty() {
        return "no figure is in both".to_owned();
    }
    said.join(", ")
}

fn columns([a, b, change, interval]: &[&str; 4]) -> String {
    format!("  {a:>9}  {b:>9}  {change:>9}  {interval:>20}")
}

fn figure(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Ns => time_ns(value),
        Unit::Bytes => size_bytes(value),
        Unit::PerS => format!("{}/s", three_digits(value)),
        Unit::Share => percent(value),
        Unit::Instructions => format!("{value:.0}"),
    }
}

/// How much more than 1, in percent; how many times, from ten or a tenth on.
pub(crate) fn ratio(ratio: f64) -> String {
    if !ratio.is_finite() {
        NOTHING.to_owned()
    } else if (0.1..10.0).contains(&ratio) {
        format!("{} %", signed(ratio))
    } else {
        format!("x {}", times(ratio))
    }
}

pub(crate) fn range((low, high): (f64, f64)) -> String {
    if low >= 0.1 && high < 10.0 {
        format!("{} to {} %", signed(low), signed(high))
    } else {
        format!("x {} to {}", times(low), times(high))
    }
}

fn signed(ratio: f64) -> String {
    let percent = 100.0 * (ratio - 1.0);
    // No "-0.0".
    let percent = if percent.abs() < 0.05 { 0.0 } else { percent };
    if percent.abs() < 99.95 {
        format!("{percent:+.1}")
    } else {
        format!("{percent:+.0}")
    }
}

fn times(ratio: f64) -> String {
    if (0.01..1e4).contains(&ratio) {
        three_digits(ratio)
    } else {
        format!("{ratio:.1e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_read_as_changes() {
        for (value, text) in [
            (1.0, "+0.0 %"),
            (0.999_9, "+0.0 %"),
            (1.179, "+17.9 %"),
            (0.5, "-50.0 %"),
            (3.0, "+200 %"),
            (12.34, "x 12.3"),
            (0.05, "x 0.05"),
            (f64::NAN, "n/a"),
        ] {
            assert_eq!(ratio(value), text);
        }
        assert_eq!(range((0.95, 1.2)), "-5.0 to +20.0 %");
        assert_eq!(range((62.0, 16_000.0)), "x 62.0 to 1.6e4");
    }

    #[test]
    fn what_changed_is_told_from_what_did_not() {
        let change = |a, b, judgement| Change {
            a,
            b,
            ratio: a
                .zip(b)
                .map(|(a, b): (f64, f64)| b / a)
                .filter(|r| *r > 0.0 && r.is_finite()),
            judgement,
            ..Change::default()
        };
        let changed = |a, b, judgement| has_changed(&change(a, b, judgement), 0.1);
        assert!(changed(Some(10.0), Some(11.1), None));
        assert!(changed(Some(11.1), Some(10.0), None));
        assert!(!changed(Some(10.0), Some(10.9), Some(Judgement::Undecided)));
        assert!(changed(Some(10.0), None, None));
        assert!(changed(Some(0.0), Some(0.1), None));
        assert!(!changed(Some(0.0), Some(0.0), None));
        assert!(changed(Some(3.0), Some(0.0), Some(Judgement::Regressed)));
    }
}
