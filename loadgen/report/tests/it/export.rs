use std::collections::BTreeSet;

use loadgen_measure::{Metric, RunResult};
use loadgen_report::{ExportFormat, export};
use serde_json::Value;

use crate::fixture;

const FORMATS: [(&str, ExportFormat); 8] = [
    ("junit", ExportFormat::Junit),
    ("bencher", ExportFormat::Bencher),
    ("github-smaller", ExportFormat::GithubSmallerIsBetter),
    ("github-bigger", ExportFormat::GithubBiggerIsBetter),
    ("k6-summary", ExportFormat::K6Summary),
    ("csv", ExportFormat::Csv),
    ("csv-seconds", ExportFormat::CsvSeconds),
    ("prometheus", ExportFormat::Prometheus),
];

/// Ends elements, attributes, lines, cells, labels and sections, and is no XML.
const HOSTILE: &str = "a\"b'<c>&]]>\n\\d,{e}=\r\u{1b}[31m\u{1}\u{0}";

fn text(result: &RunResult, format: ExportFormat) -> String {
    let mut bytes = Vec::new();
    export(result, format, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn json(result: &RunResult, format: ExportFormat) -> Value {
    serde_json::from_str(&text(result, format)).unwrap()
}

/// The rows of a CSV export below its head.
fn rows(text: &str) -> Vec<csv::StringRecord> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.records().map(|row| row.unwrap()).collect()
}

/// A run with names that no form expects.
fn hostile() -> RunResult {
    let mut result = fixture::bad();
    result.scenario.name = HOSTILE.into();
    result.environment.fingerprint = HOSTILE.into();
    result.verdict.reasons.push(HOSTILE.into());
    result.thresholds[0].name = HOSTILE.into();
    for kind in &mut result.kinds {
        kind.name += HOSTILE;
    }
    result
}

#[test]
fn a_full_result_in_every_form() {
    let result = fixture::good();
    for (name, format) in FORMATS {
        insta::assert_snapshot!(format!("export-full-{name}"), text(&result, format));
    }
}

#[test]
fn a_result_without_work_in_every_form() {
    let result = fixture::empty();
    for (name, format) in FORMATS {
        insta::assert_snapshot!(format!("export-empty-{name}"), text(&result, format));
    }
}

#[test]
fn what_does_not_exist_is_in_no_form() {
    let mut odd = fixture::good();
    odd.load.offered_per_s = Some(f64::NAN);
    odd.load.throughput_per_s = None;
    odd.kinds[0].mean_rounds = Some(f64::INFINITY);
    odd.thresholds[0].value = None;
    for result in [
        fixture::empty(),
        fixture::refused(),
        fixture::warming(),
        odd,
    ] {
        for (name, format) in FORMATS {
            let text = text(&result, format);
            for never in ["NaN", "inf,", "null", " inf"] {
                assert!(!text.contains(never), "{name}: {never}");
            }
        }
    }
}

#[test]
fn hostile_names_stay_in_their_place() {
    let (plain, hostile) = (fixture::bad(), hostile());
    let cells = |result, format| rows(&text(result, format)).len();
    for format in [ExportFormat::Csv, ExportFormat::CsvSeconds] {
        assert_eq!(cells(&plain, format), cells(&hostile, format));
    }
    let csv = text(&hostile, ExportFormat::Csv);
    let kinds: BTreeSet<String> = rows(&csv).iter().map(|row| row[6].to_owned()).collect();
    assert!(kinds.contains(&format!("echo{HOSTILE}")), "{kinds:?}");

    let lines = |result| text(result, ExportFormat::Prometheus).lines().count();
    assert_eq!(lines(&plain), lines(&hostile));

    let junit = text(&hostile, ExportFormat::Junit);
    let report = quick_junit::Report::deserialize_from_str(&junit).unwrap();
    let suite = &report.test_suites[0];
    assert!(suite.name.as_str().starts_with("a\"b'<c>&]]>"), "{}", junit);
    for never in ['\u{1b}', '\u{0}', '\u{1}'] {
        assert!(!junit.contains(never));
    }

    let bencher = json(&hostile, ExportFormat::Bencher);
    assert!(
        bencher
            .as_object()
            .unwrap()
            .keys()
            .all(|name| name.starts_with(HOSTILE))
    );
}

#[test]
fn junit_counts_what_was_missed() {
    let counts = |result: &RunResult| {
        let junit = text(result, ExportFormat::Junit);
        let report = quick_junit::Report::deserialize_from_str(&junit).unwrap();
        (report.tests, report.failures, report.errors)
    };
    let good = fixture::good();
    let tests = good.thresholds.len() + good.checks.len() + 1;
    assert_eq!(counts(&good), (tests, 0, 0));
    // The threshold on ok.rate, and the verdict.
    assert_eq!(counts(&fixture::refused()).1, 2);
    assert_eq!(counts(&fixture::empty()).2, 1, "interrupted");
}

#[test]
fn headlines_are_figures_that_thresholds_know() {
    let result = fixture::long();
    let smaller = json(&result, ExportFormat::GithubSmallerIsBetter);
    let bigger = json(&result, ExportFormat::GithubBiggerIsBetter);
    let entries = [smaller, bigger].map(|entries| entries.as_array().unwrap().clone());
    let mut seen = 0;
    for entry in entries.concat() {
        let name = entry["name"].as_str().unwrap();
        let name = name.strip_prefix("quickstart: ").unwrap();
        let metric: Metric = name.parse().unwrap();
        let value = metric.value(&result).unwrap();
        assert!(
            (entry["value"].as_f64().unwrap() - value).abs() < 1e-9 * value,
            "{name}"
        );
        seen += 1;
    }
    assert_eq!(seen, 3 + 2 + 4 * 4);
}

#[test]
fn intervals_go_where_there_is_a_place_for_them() {
    let result = fixture::long();
    let bencher = json(&result, ExportFormat::Bencher);
    let metric = &bencher["quickstart: workflow.p50_ms"]["latency"];
    let value = |name: &str| metric[name].as_f64().unwrap();
    assert!(value("lower_value") <= value("value") && value("value") <= value("upper_value"));
    let short = json(&fixture::good(), ExportFormat::Bencher);
    let metric = &short["quickstart: workflow.p50_ms"]["latency"];
    assert_eq!(metric.as_object().unwrap().len(), 1, "10 s carry none");
}

#[test]
fn k6_counts_add_up() {
    let result = fixture::bad();
    let k6 = json(&result, ExportFormat::K6Summary);
    let values = |name: &str, value: &str| k6["metrics"][name]["values"][value].as_f64().unwrap();
    let attempts = values("http_reqs", "count");
    let failed = values("http_req_failed", "passes");
    assert_eq!(attempts, failed + values("http_req_failed", "fails"));
    assert!(failed > 0.0);
    assert_eq!(values("dropped_iterations", "count"), 100.0);
    assert_eq!(
        k6["metrics"]["ok.rate"]["thresholds"]["value>=0.99"]["ok"],
        false
    );
    assert!(values("http_req_duration", "p(95)") >= values("http_req_duration", "p(90)"));
}

#[test]
fn prometheus_buckets_end_at_the_count() {
    let text = text(&fixture::good(), ExportFormat::Prometheus);
    let value = |start: &str| -> u64 {
        let line = text.lines().find(|line| line.starts_with(start)).unwrap();
        line.rsplit_once(' ').unwrap().1.parse().unwrap()
    };
    let of = "loadgen_round_service_seconds";
    let count = value(&format!("{of}_count{{kind=\"wizard\",round=\"3\"}}"));
    let last = value(&format!(
        "{of}_bucket{{kind=\"wizard\",round=\"3\",le=\"60\"}}"
    ));
    assert_eq!((count, last), (500, 500));
}
