use std::process::ExitCode;

use serde_json::{Value, json};

use super::exam::{Base, Report, Settings};
use super::row::Row;

/// Everything that was measured, and what it comes to.
#[derive(Debug, Default)]
pub(super) struct Summary(Vec<Sitting>);

/// What was measured with the same settings.
#[derive(Debug)]
struct Sitting {
    settings: Settings,
    base: Base,
    reports: Vec<Report>,
}

/// What it comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Judgement {
    Good,
    /// The machine could not keep it.
    GeneratorBound,
    Wrong,
}

impl Summary {
    /// Opens a sitting; gives its head.
    pub(super) fn begin(&mut self, settings: &Settings, base: Base) -> String {
        self.0.push(Sitting {
            settings: *settings,
            base,
            reports: Vec::new(),
        });
        format!(
            "threads {}, connections {}; base (a calm echo, from when it was due): p50 {:.3} ms, mean \
             {:.3} ms, p99 {:.3} ms\n",
            settings.threads, settings.connections, base.p50_ms, base.mean_ms, base.p99_ms
        )
    }

    /// Takes a report into the open sitting; gives its lines.
    pub(super) fn add(&mut self, report: Report) -> String {
        let text = lines(&report);
        if let Some(sitting) = self.0.last_mut() {
            sitting.reports.push(report);
        }
        text
    }

    /// The last lines.
    pub(super) fn end(&self) -> String {
        let mut text = String::new();
        for (figure, moved) in self.moved() {
            text += &format!("with the settings moved: {figure} by {moved:.3}\n");
        }
        let out = self.reports().filter(|report| !report.is_within()).count();
        text += &match self.judgement() {
            Judgement::Good => "good: every figure is within what is allowed\n".to_owned(),
            Judgement::GeneratorBound => format!(
                "generator-bound: {out} of {} cases are out, and in each this machine could not \
                 keep up; repeat on a calm one\n",
                self.reports().count()
            ),
            Judgement::Wrong => {
                format!("wrong: {out} of {} cases are out\n", self.reports().count())
            }
        };
        text
    }

    pub(super) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self.judgement() {
            Judgement::Good => 0,
            Judgement::Wrong => 1,
            Judgement::GeneratorBound => 5,
        })
    }

    pub(super) fn json(&self) -> String {
        let sittings: Vec<Value> = self.0.iter().map(Sitting::json).collect();
        let moved: serde_json::Map<String, Value> = self
            .moved()
            .into_iter()
            .map(|(figure, by)| (figure, by.into()))
            .collect();
        let judgement = match self.judgement() {
            Judgement::Good => "good",
            Judgement::Wrong => "wrong",
            Judgement::GeneratorBound => "generator-bound",
        };
        let mut text =
            json!({"judgement": judgement, "sittings": sittings, "moved": moved}).to_string();
        text.push('\n');
        text
    }

    fn reports(&self) -> impl Iterator<Item = &Report> {
        self.0.iter().flat_map(|sitting| &sitting.reports)
    }

    fn judgement(&self) -> Judgement {
        let mut out = self
            .reports()
            .filter(|report| !report.is_within())
            .peekable();
        if out.peek().is_none() {
            Judgement::Good
        } else if out.all(|report| report.machine.is_some()) {
            Judgement::GeneratorBound
        } else {
            Judgement::Wrong
        }
    }

    /// How far each figure lies apart over several sittings, in its own unit.
    fn moved(&self) -> Vec<(String, f64)> {
        let [first, rest @ ..] = &self.0[..] else {
            return Vec::new();
        };
        let named = |sitting: &'_ Sitting| -> Vec<(String, Option<f64>)> {
            let reports = sitting.reports.iter();
            let rows = reports.flat_map(|report| {
                let name = |row: &Row| format!("{} {}", report.name, row.figure());
                report
                    .rows
                    .iter()
                    .map(move |row| (name(row), row.measured()))
            });
            rows.collect()
        };
        let others: Vec<_> = rest.iter().map(named).collect();
        if others.is_empty() {
            return Vec::new();
        }
        let spread = |(at, (figure, value)): (usize, (String, Option<f64>))| {
            let values = others.iter().filter_map(|other| other.get(at)?.1);
            let (low, high) = values
                .chain(value)
                .fold((f64::MAX, f64::MIN), |(low, high), v| {
                    (low.min(v), high.max(v))
                });
            (high >= low).then_some((figure, high - low))
        };
        named(first)
            .into_iter()
            .enumerate()
            .filter_map(spread)
            .collect()
    }
}

impl Sitting {
    fn json(&self) -> Value {
        let case = |report: &Report| {
            json!({
                "case": report.name,
                "truth": report.truth,
                "rows": report.rows.iter().map(Row::json).collect::<Vec<_>>(),
                "within": report.is_within(),
                "machine": report.machine,
            })
        };
        json!({
            "threads": self.settings.threads,
            "connections": self.settings.connections,
            "base_ms": {"p50": self.base.p50_ms, "mean": self.base.mean_ms, "p99": self.base.p99_ms},
            "cases": self.reports.iter().map(case).collect::<Vec<_>>(),
        })
    }
}

/// A case in print: its truth, then a table.
fn lines(report: &Report) -> String {
    let head = ["", "truth", "measured", "error", "allowed", ""].map(str::to_owned);
    let rows: Vec<[String; 6]> = std::iter::once(head)
        .chain(report.rows.iter().map(Row::cells))
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..6).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = format!("\n{}: {}\n", report.name, report.truth);
    for row in &rows {
        let mut line = format!("  {:<1$}", row[0], widths[0].max(14));
        for column in 1..5 {
            line += &format!("  {:>1$}", row[column], widths[column].max(11));
        }
        line += &format!("  {}", row[5]);
        text += line.trim_end();
        text.push('\n');
    }
    if let (false, Some(machine)) = (report.is_within(), &report.machine) {
        text += &format!("  {machine}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cmd::calibrate::row::{Allowed, Unit};

    fn report(measured: f64, machine: Option<&str>) -> Report {
        let row = Row::new("p50", Unit::Ms, 10.0, Some(measured), Allowed::within(1.0));
        Report {
            name: "stall".to_owned(),
            truth: "so it is".to_owned(),
            rows: vec![row],
            machine: machine.map(str::to_owned),
        }
    }

    fn judged(reports: Vec<Report>) -> Judgement {
        let mut summary = Summary::default();
        summary.begin(&SETTINGS, BASE);
        for report in reports {
            summary.add(report);
        }
        summary.judgement()
    }

    const SETTINGS: Settings = Settings {
        threads: 1,
        connections: 32,
        seconds: None,
    };
    const BASE: Base = Base {
        mean_ms: 0.2,
        p50_ms: 0.2,
        p99_ms: 0.4,
    };

    #[test]
    fn the_machine_is_blamed_only_where_it_failed_in_every_bad_case() {
        let busy = Some("busy");
        assert_eq!(judged(vec![report(10.5, None)]), Judgement::Good);
        assert_eq!(judged(vec![report(10.5, busy)]), Judgement::Good);
        assert_eq!(judged(vec![report(12.0, None)]), Judgement::Wrong);
        let all_busy = vec![report(12.0, busy), report(10.0, None)];
        assert_eq!(judged(all_busy), Judgement::GeneratorBound);
        let mixed = vec![report(12.0, busy), report(12.0, None)];
        assert_eq!(judged(mixed), Judgement::Wrong);
    }

    #[test]
    fn figures_that_move_with_the_settings_are_told() {
        let mut summary = Summary::default();
        for measured in [10.0, 10.5, 9.75] {
            summary.begin(&SETTINGS, BASE);
            summary.add(report(measured, None));
        }
        assert_eq!(summary.moved(), [("stall p50".to_owned(), 0.75)]);
        assert!(summary.end().contains("stall p50 by 0.750"));
    }

    #[test]
    fn a_case_prints_as_a_table() {
        let text = lines(&report(12.0, Some("too busy")));
        assert!(text.contains("\nstall: so it is\n"), "{text}");
        assert!(text.contains("OUT\n  too busy\n"), "{text}");
    }
}
