use loadgen_measure::RunResult;
use serde_json::{Value, json};

use super::headline::{Headline, Unit, headlines};

/// Times and sizes, for `tool: customSmallerIsBetter`. Form: the section on custom benchmarks of
/// <https://github.com/benchmark-action/github-action-benchmark>.
pub(super) fn smaller_is_better(result: &RunResult) -> Value {
    entries(result, false)
}

/// Rates, for `tool: customBiggerIsBetter`.
pub(super) fn bigger_is_better(result: &RunResult) -> Value {
    entries(result, true)
}

fn entries(result: &RunResult, bigger: bool) -> Value {
    headlines(result)
        .iter()
        .filter(|line| line.bigger_is_better() == bigger)
        .map(|line| entry(&result.scenario.name, line))
        .collect()
}

fn entry(scenario: &str, line: &Headline) -> Value {
    let (unit, scale) = match line.unit {
        Unit::Ns => ("ms", 1e6),
        Unit::PerSecond => ("1/s", 1.0),
        Unit::Share => ("share", 1.0),
        Unit::Bytes => ("bytes", 1.0),
    };
    let mut entry = json!({
        "name": format!("{scenario}: {}", line.metric),
        "unit": unit,
        "value": line.value / scale,
    });
    if let Some((low, high)) = line.interval_95 {
        let (low, high) = (low / scale, high / scale);
        entry["range"] = format!("{low} to {high} (95 %)").into();
    }
    if let Some(count) = line.count {
        entry["extra"] = format!("{count} successes").into();
    }
    entry
}
