use loadgen_measure::RunResult;
use serde_json::{Map, Value, json};

use super::headline::{Headline, Unit, headlines};

/// Bencher Metric Format: a benchmark for each headline figure, with one measure. `latency` in
/// nanoseconds and `throughput` in operations per second are Bencher's own measures; the bounds are
/// the ends of the 95 % interval. Form: <https://bencher.dev/docs/reference/bencher-metric-format>.
pub(super) fn of(result: &RunResult) -> Value {
    let benchmarks: Map<String, Value> = headlines(result)
        .iter()
        .map(|line| {
            let name = format!("{}: {}", result.scenario.name, line.metric);
            (name, json!({ measure(line): metric(line) }))
        })
        .collect();
    Value::Object(benchmarks)
}

fn measure(line: &Headline) -> &'static str {
    match line.unit {
        Unit::Ns => "latency",
        Unit::PerSecond => "throughput",
        Unit::Share => "share",
        Unit::Bytes => "bytes",
    }
}

fn metric(line: &Headline) -> Value {
    match line.interval_95 {
        Some((low, high)) => {
            json!({ "value": line.value, "lower_value": low, "upper_value": high })
        }
        None => json!({ "value": line.value }),
    }
}
