use std::collections::BTreeMap;

use loadgen_measure::{NotStarted, PhaseResult, RunResult, Steady};

use super::text::Text;
use super::work::{TIMES, interval_row, time_row};
use crate::table::Table;
use crate::units::{NOTHING, or_nothing, plain, printable, three_digits, time_ns};

/// The phases, when there are several, and what is left when a rule cut a warm-up.
pub(crate) fn write(text: &mut Text, result: &RunResult) {
    if !result.phases.is_empty() {
        phases(text, &result.phases);
    }
    if let Some(steady) = &result.steady
        && steady.workflow.is_some()
    {
        cut(text, steady);
    }
}

fn phases(text: &mut Text, phases: &[PhaseResult]) {
    text.heading("Phases: response time of successful workflows by when they were due");
    let head = [
        "", "", "s", "rate/s", "started", "not", "ok/s", "p50", "p99", "max",
    ];
    let mut table = Table::new(2, &head);
    for phase in phases {
        let response = phase.work.ok().and_then(|ok| ok.response.as_ref());
        table.row(vec![
            printable(&phase.name),
            if phase.warmup { "warm-up" } else { "" }.to_owned(),
            format!("{} to {}", plain(phase.from_s), plain(phase.to_s)),
            rate(phase),
            phase.work.started.to_string(),
            not_started(&phase.not_started),
            or_nothing(phase.throughput_per_s, three_digits),
            or_nothing(response, |f| time_ns(f.p50_ns as f64)),
            or_nothing(response, |f| time_ns(f.p99_ns as f64)),
            or_nothing(response, |f| time_ns(f.max_ns as f64)),
        ]);
    }
    text.table(&table);
}

fn rate(phase: &PhaseResult) -> String {
    match (phase.from_rate_per_s, phase.to_rate_per_s) {
        (Some(from), Some(to)) if from != to => {
            format!("{} to {}", three_digits(from), three_digits(to))
        }
        (Some(rate), _) => three_digits(rate),
        (None, _) => NOTHING.to_owned(),
    }
}

fn not_started(causes: &BTreeMap<NotStarted, u64>) -> String {
    causes.values().sum::<u64>().to_string()
}

fn cut(text: &mut Text, steady: &Steady) {
    text.heading(&format!(
        "Without the warm-up of {} s that was cut: all kinds together",
        or_nothing(steady.warmup_cut_s, three_digits)
    ));
    let mut table = Table::new(2, &TIMES);
    let workflow = steady.workflow.as_ref();
    table.row(time_row("workflow", "response", workflow));
    table.rows(interval_row(workflow));
    for round in &steady.rounds {
        let response = Some(&round.response);
        table.row(time_row(&round.round.to_string(), "response", response));
        table.rows(interval_row(response));
    }
    text.table(&table);
}
