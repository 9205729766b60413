use std::io::{self, Write};
use std::time::Duration;

use loadgen_measure::{Check, RunResult, Status, ThresholdResult};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::ExportError;

/// A suite of one test for each threshold, one for each check of the result against itself, and one
/// for the verdict. A missed threshold is a failure; a run that was invalid or interrupted, which says
/// nothing about the target, is an error. What no XML can hold is left out of texts.
pub(super) fn write(result: &RunResult, out: &mut impl Write) -> Result<(), ExportError> {
    let mut report = Report::new("loadgen");
    report.add_test_suite(suite(result));
    let written = report.serialize(out);
    written.map_err(|error| ExportError::Write(io::Error::other(error)))
}

fn suite(result: &RunResult) -> TestSuite {
    let mut suite = TestSuite::new(&result.scenario.name);
    suite.timestamp = result.clock.started_at.parse().ok();
    suite.time = Duration::try_from_secs_f64(result.clock.duration_s).ok();
    for (name, value) in [
        ("scenario.sha256", result.scenario.sha256.clone()),
        ("seed", result.seed.to_string()),
        ("machine", result.environment.fingerprint.clone()),
        (
            "tool",
            format!("{} {}", result.tool.name, result.tool.version),
        ),
    ] {
        suite.add_property((name, &*value));
    }
    let named = |group: &str, name: String, status: TestCaseStatus| {
        let mut case = TestCase::new(name, status);
        case.set_classname(format!("{}.{group}", result.scenario.name));
        case
    };
    for threshold in &result.thresholds {
        let name = format!(
            "{} {} {}",
            threshold.name, threshold.comparison, threshold.limit
        );
        suite.add_test_case(named("threshold", name, of_threshold(threshold)));
    }
    for check in &result.checks {
        suite.add_test_case(named("check", check.name.clone(), of_check(check)));
    }
    suite.add_test_case(named("verdict", "verdict".to_owned(), of_verdict(result)));
    suite
}

fn of_threshold(threshold: &ThresholdResult) -> TestCaseStatus {
    if threshold.pass {
        return TestCaseStatus::success();
    }
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type("threshold");
    status.set_message(format!(
        "{} is {}, must be {} {}",
        threshold.name,
        threshold.value_text(),
        threshold.comparison,
        threshold.limit
    ));
    status
}

fn of_check(check: &Check) -> TestCaseStatus {
    match check.pass {
        Some(true) => TestCaseStatus::success(),
        Some(false) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_type("check");
            let side = |value: Option<f64>| value.map_or("n/a".to_owned(), |v| v.to_string());
            status.set_message(format!(
                "left {}, right {}, tolerance {}",
                side(check.left),
                side(check.right),
                check.tolerance
            ));
            status
        }
        None => {
            let mut status = TestCaseStatus::skipped();
            status.set_message("a side could not be taken");
            status
        }
    }
}

fn of_verdict(result: &RunResult) -> TestCaseStatus {
    let (kind, name) = match result.verdict.status {
        Status::Good => return TestCaseStatus::success(),
        Status::ThresholdMissed => (NonSuccessKind::Failure, "threshold_missed"),
        Status::Invalid => (NonSuccessKind::Error, "invalid"),
        Status::Interrupted => (NonSuccessKind::Error, "interrupted"),
    };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(name);
    status.set_message(result.verdict.reasons.join("; "));
    let findings: Vec<&str> = result.findings.iter().map(|f| &*f.sentence).collect();
    status.set_description(findings.join("\n"));
    status
}
