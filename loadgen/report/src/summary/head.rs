use loadgen_measure::{Outcome, RunResult, Status};

use super::failures;
use super::text::{Role, Text};
use super::work::counts;
use crate::units::{or_nothing, printable, three_digits};

/// How workflows ended, what failed ones were told, what was run and what limited it.
pub(crate) fn overview(text: &mut Text, result: &RunResult) {
    let load = &result.load;
    let ended = load
        .outcomes
        .iter()
        .map(|(outcome, count)| (*outcome, *count));
    let mut workflows = counts(ended);
    for (cause, count) in &load.not_started {
        workflows += &format!("; not started {count} ({cause})");
    }
    text.sentence("workflows:", Role::Quiet, &workflows);
    failures::write(text, result);
    let offered = match (load.workload.arrival_rate_per_s, load.workload.concurrency) {
        (Some(_), _) => format!(
            "offered {}/s, started {}/s",
            or_nothing(load.offered_per_s, three_digits),
            or_nothing(load.started_per_s, three_digits)
        ),
        (None, Some(concurrency)) => format!("{concurrency} in flight"),
        (None, None) => "load not stated".to_owned(),
    };
    let cap = load.workload.round_cap;
    let cap = cap.map_or_else(String::new, |cap| {
        format!("; at most {cap} retries a workflow")
    });
    let load_line = format!(
        "{} workload, {offered}, ok {}/s, {} rounds/s over {}{cap}",
        load.workload.label,
        or_nothing(load.throughput_per_s, three_digits),
        or_nothing(load.rounds_per_s, three_digits),
        measured(result)
    );
    text.sentence("", Role::Quiet, &load_line);
    // The reason of a verdict stands above already.
    let bound = match result.generator.bound_reason.as_str() {
        reason if result.verdict.reasons.iter().any(|given| given == reason) => {
            "the load generator"
        }
        reason => reason,
    };
    text.sentence("limited by:", Role::Quiet, bound);
}

/// The time that rates are over; what was warm-up is not in it.
fn measured(result: &RunResult) -> String {
    let (measured_s, load_s) = (result.load.measured_s, result.clock.load_s);
    if measured_s < load_s {
        format!(
            "{} s measured of {} s",
            three_digits(measured_s),
            three_digits(load_s)
        )
    } else {
        format!("{} s", three_digits(load_s))
    }
}

/// The verdict in one line, then why, then everything else that was found.
pub(crate) fn verdict(text: &mut Text, result: &RunResult) {
    let (word, role) = match result.verdict.status {
        Status::Good => ("GOOD", Role::Good),
        Status::ThresholdMissed => ("THRESHOLD MISSED", Role::Bad),
        Status::Invalid => ("INVALID RUN", Role::Bad),
        Status::Interrupted => ("INTERRUPTED", Role::Warning),
    };
    let load = &result.load;
    let ok = load.outcomes.get(&Outcome::Ok).copied().unwrap_or(0);
    // A checkpoint is no verdict: the run was killed, or still goes on.
    let (word, role) = if result.partial {
        ("NOT FINISHED (checkpoint)", Role::Warning)
    } else {
        (word, role)
    };
    let line = format!(
        "{}: {ok} of {} started workflows ok, {} planned",
        printable(&result.scenario.name),
        load.started,
        load.planned
    );
    text.verdict(word, role, &line);
    let reasons = &result.verdict.reasons;
    for reason in reasons {
        text.sentence("-", role, reason);
    }
    let findings = result.findings.iter().map(|finding| &finding.sentence);
    for finding in findings.filter(|sentence| !reasons.contains(sentence)) {
        text.sentence("!", Role::Warning, finding);
    }
}
