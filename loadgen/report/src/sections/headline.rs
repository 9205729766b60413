use loadgen_measure::{LatencyFigures, Outcome, RunResult, Status};

use crate::named::{Named, letter};
use crate::table::Table;
use crate::units::{NOTHING, or_nothing, percent, range_ns, three_digits, time_ns};

/// Names of what [`figures`] gives.
const ROWS: [&str; 11] = [
    "verdict",
    "workflows ok",
    "offered a second",
    "ok a second",
    "rounds a second",
    "response p50 of workflows",
    "response p99 of workflows",
    "response max of workflows",
    "sent late p99",
    "open and seal p50",
    "findings",
];

/// The figures that a reader looks at first, with a column for each result.
pub(crate) fn headline(results: &[Named<'_>]) -> Table {
    let heads: Vec<String> = match results {
        [_] => vec!["value".to_owned()],
        several => (0..several.len()).map(letter).collect(),
    };
    let mut columns = vec!["figure"];
    columns.extend(heads.iter().map(String::as_str));
    let mut table = Table::new(1, &columns);
    let figures: Vec<[String; ROWS.len()]> =
        results.iter().map(|named| figures(named.result)).collect();
    for (index, name) in ROWS.iter().enumerate() {
        let cells = figures.iter().map(|of| of[index].clone());
        table.row([(*name).to_owned()].into_iter().chain(cells).collect());
    }
    table
}

/// The word of a verdict.
pub(crate) fn word(result: &RunResult) -> &'static str {
    match result.verdict.status {
        _ if result.partial => "not finished",
        Status::Good => "good",
        Status::ThresholdMissed => "threshold missed",
        Status::Invalid => "invalid run",
        Status::Interrupted => "interrupted",
    }
}

fn figures(result: &RunResult) -> [String; ROWS.len()] {
    let load = &result.load;
    let ok = load.outcomes.get(&Outcome::Ok).copied().unwrap_or(0);
    let share = (load.started > 0).then(|| ok as f64 / load.started as f64);
    let response = result.workflow_response();
    let time = |of: fn(&LatencyFigures) -> u64| or_nothing(response, |f| time_ns(of(f) as f64));
    let intervals = response.and_then(|figures| figures.intervals_95);
    let with = |time: String, interval: Option<(u64, u64)>| match interval {
        Some((low, high)) => format!("{time} ({})", range_ns(low, high)),
        None => time,
    };
    let lateness = result.generator.lateness.as_ref();
    [
        word(result).to_owned(),
        match share {
            Some(share) => format!("{ok} of {} ({})", load.started, percent(share)),
            None => NOTHING.to_owned(),
        },
        or_nothing(load.offered_per_s, three_digits),
        or_nothing(load.throughput_per_s, three_digits),
        or_nothing(load.rounds_per_s, three_digits),
        with(time(|f| f.p50_ns), intervals.and_then(|i| i.p50_ns)),
        with(time(|f| f.p99_ns), intervals.and_then(|i| i.p99_ns)),
        time(|f| f.max_ns),
        or_nothing(lateness, |f| time_ns(f.p99_ns as f64)),
        or_nothing(result.aead.as_ref(), |aead| {
            time_ns(aead.open_and_seal.p50_ns as f64)
        }),
        result.findings.len().to_string(),
    ]
}
