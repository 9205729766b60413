use loadgen_measure::{RunResult, Status};

use super::page::{Labels, Page};

/// What was run, when, how it ended, and what came of thresholds.
pub(super) fn add(page: &mut Page, result: &RunResult) {
    let info = vec![
        ("scenario", result.scenario.name.clone()),
        ("scenario_sha256", result.scenario.sha256.clone()),
        ("seed", result.seed.to_string()),
        ("version", result.tool.version.clone()),
        ("machine", result.environment.fingerprint.clone()),
    ];
    page.gauges(
        "loadgen_run_info",
        "What was run and where; always 1",
        [(info, 1.0)],
    );
    let verdict = match result.verdict.status {
        Status::Good => "good",
        Status::ThresholdMissed => "threshold_missed",
        Status::Invalid => "invalid",
        Status::Interrupted => "interrupted",
    };
    page.gauges(
        "loadgen_run_verdict",
        "The judgement on the run; always 1",
        [(vec![("verdict", verdict.to_owned())], 1.0)],
    );
    let load = &result.load;
    let one = |value: Option<f64>| value.map(|value| (Labels::new(), value));
    page.gauges(
        "loadgen_run_duration_seconds",
        "Time from the start to the end of the drain",
        one(Some(result.clock.duration_s)),
    );
    page.gauges(
        "loadgen_run_measured_seconds",
        "Time of load that rates are of",
        one(Some(load.measured_s)),
    );
    page.gauges(
        "loadgen_workflows_offered_per_second",
        "Workflows that were due in measured time, by second of it",
        one(load.offered_per_s),
    );
    page.gauges(
        "loadgen_workflows_ok_per_second",
        "Workflows that ended well in measured time, by second of it",
        one(load.throughput_per_s),
    );
    page.gauges(
        "loadgen_rounds_answered_per_second",
        "Rounds that were answered in measured time, by second of it",
        one(load.rounds_per_s),
    );
    let named = |name: &str, comparison: String, limit: f64| {
        vec![("threshold", format!("{name} {comparison} {limit}"))]
    };
    let thresholds = || {
        let all = result.thresholds.iter();
        all.map(|t| (named(&t.name, t.comparison.to_string(), t.limit), t))
    };
    page.gauges(
        "loadgen_threshold_kept",
        "Whether a threshold was kept, 1, or missed, 0",
        thresholds().map(|(labels, t)| (labels, f64::from(u8::from(t.pass)))),
    );
    page.gauges(
        "loadgen_threshold_value",
        "Value of the figure that a threshold is on, in the unit of its name",
        thresholds().filter_map(|(labels, t)| Some((labels, t.value?))),
    );
}
