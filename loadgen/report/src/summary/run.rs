use loadgen_measure::RunResult;

use super::text::{Role, Text};
use crate::table::Table;
use crate::units::{counted, or_nothing, size_bytes, three_digits, time_ns};

/// The load generator, thresholds, checks, the machine.
pub(crate) fn write(text: &mut Text, result: &RunResult) {
    generator(text, result);
    thresholds(text, result);
    checks(text, result);
    let clock = &result.clock;
    text.heading("Machine");
    text.sentence("", Role::Quiet, &result.environment.fingerprint);
    let times = format!(
        "{} to {} ({} s), {} {}, seed {}",
        clock.started_at,
        clock.ended_at,
        three_digits(clock.duration_s),
        result.tool.name,
        result.tool.version,
        result.seed
    );
    text.sentence("", Role::Quiet, &times);
}

fn generator(text: &mut Text, result: &RunResult) {
    let generator = &result.generator;
    let facts = &generator.facts;
    let seconds = |s: f64| format!("{} s", three_digits(s));
    let bytes = |b: u64| size_bytes(b as f64);
    let lateness = generator.lateness.as_ref();
    text.heading("Load generator");
    text.line(&format!(
        "  {}, CPU {}, waiting for a processor {}",
        counted(facts.threads, "thread"),
        or_nothing(facts.cpu_s, seconds),
        or_nothing(facts.run_queue_delay_s, seconds)
    ));
    if let Some(awake_s) = generator.awake_s {
        text.line(&format!(
            "  of the CPU time, {} went into watching the clock (precise)",
            seconds(awake_s)
        ));
    }
    text.line(&format!(
        "  RSS after 5 s {}, at the end {}",
        or_nothing(facts.rss_at_5s_bytes, bytes),
        or_nothing(facts.rss_at_end_bytes, bytes)
    ));
    text.line(&format!(
        "  sent late by p50 {}, p99 {}, max {}",
        or_nothing(lateness, |f| time_ns(f.p50_ns as f64)),
        or_nothing(lateness, |f| time_ns(f.p99_ns as f64)),
        or_nothing(lateness, |f| time_ns(f.max_ns as f64))
    ));
}

fn thresholds(text: &mut Text, result: &RunResult) {
    if result.thresholds.is_empty() {
        return;
    }
    text.heading("Thresholds");
    let mut table = Table::new(1, &["figure", "value", "limit", ""]);
    for threshold in &result.thresholds {
        table.row(vec![
            threshold.name.clone(),
            threshold.value_text(),
            format!("{} {}", threshold.comparison, threshold.limit),
            if threshold.pass { "pass" } else { "FAIL" }.to_owned(),
        ]);
    }
    text.table(&table);
}

fn checks(text: &mut Text, result: &RunResult) {
    text.heading("Checks of the result against itself");
    for check in &result.checks {
        let (mark, role) = match check.pass {
            Some(true) => ("pass", Role::Good),
            Some(false) => ("FAIL", Role::Bad),
            None => ("n/a ", Role::Quiet),
        };
        let line = format!(
            "{}: {} and {}",
            check.name,
            or_nothing(check.left, number),
            or_nothing(check.right, number)
        );
        text.sentence(mark, role, &line);
    }
}

fn number(value: f64) -> String {
    if value.fract() == 0.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.3}")
    }
}
