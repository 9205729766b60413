use loadgen_measure::{Outcome, RunResult, Status};

use super::text::{Role, Text};
use crate::units::{or_nothing, three_digits};

/// Verdict, reasons, what was run, findings.
pub(crate) fn write(text: &mut Text, result: &RunResult) {
    let (word, role) = match result.verdict.status {
        Status::Good => ("GOOD", Role::Good),
        Status::ThresholdMissed => ("THRESHOLD MISSED", Role::Bad),
        Status::Invalid => ("INVALID RUN", Role::Bad),
        Status::Interrupted => ("INTERRUPTED", Role::Warning),
    };
    let load = &result.load;
    let ok = load.outcomes.get(&Outcome::Ok).copied().unwrap_or(0);
    let word = text.paint(role, word);
    let partial = if result.partial { " (checkpoint)" } else { "" };
    text.line(&format!(
        "{word}{partial}  {}: {ok} of {} started workflows ok, {} planned",
        result.scenario.name, load.started, load.planned
    ));
    for reason in &result.verdict.reasons {
        text.sentence("-", role, reason);
    }
    let offered = match (load.workload.arrival_rate_per_s, load.workload.concurrency) {
        (Some(rate), _) => format!(
            "offered {}/s, started {}/s",
            three_digits(rate),
            or_nothing(load.started_per_s, three_digits)
        ),
        (None, Some(concurrency)) => format!("{concurrency} in flight"),
        (None, None) => "load not stated".to_owned(),
    };
    let load_line = format!(
        "{} workload, {offered}, ok {}/s, {} rounds/s over {} s",
        load.workload.label,
        or_nothing(load.throughput_per_s, three_digits),
        or_nothing(load.rounds_per_s, three_digits),
        three_digits(result.clock.load_s)
    );
    text.sentence("", Role::Quiet, &load_line);
    for (cause, count) in &load.not_started {
        text.line(&format!("  not started: {count} ({cause})"));
    }
    text.sentence("limited by:", Role::Quiet, &result.generator.bound_reason);
    let said = |sentence: &String| result.verdict.reasons.contains(sentence);
    let mut findings = result
        .findings
        .iter()
        .filter(|finding| !said(&finding.sentence))
        .peekable();
    if findings.peek().is_some() {
        text.heading("Findings");
        for finding in findings {
            text.sentence("!", Role::Warning, &finding.sentence);
        }
    }
}
