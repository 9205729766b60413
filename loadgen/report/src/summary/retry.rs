use loadgen_measure::{LatencyFigures, QuantileRatios, Ratio, RetryResult, RunResult};

use super::text::{Role, Text};
use crate::table::Table;
use crate::units::{NOTHING, or_nothing, time_ns};

/// What retries cost against the first round, where there were any.
pub(crate) fn write(text: &mut Text, result: &RunResult) {
    let Some(retry) = &result.retry else {
        return;
    };
    text.heading("Retries: rounds from 1 on over round 0, successful ones");
    text.sentence("", Role::Quiet, &retry.sentence);
    ratios(text, retry);
    where_they_went(text, retry);
}

fn ratios(text: &mut Text, retry: &RetryResult) {
    let head = ["round", "service p50", "p99", "response p50", "p99"];
    let mut table = Table::new(1, &head);
    let row = |name: String, service: &QuantileRatios, response: &QuantileRatios| {
        vec![
            name,
            times(Some(service.p50)),
            times(service.p99),
            times(Some(response.p50)),
            times(response.p99),
        ]
    };
    for one in &retry.rounds {
        table.row(row(one.round.to_string(), &one.service, &one.response));
    }
    if retry.rounds.len() > 1 {
        table.row(row("all".to_owned(), &retry.service, &retry.response));
    }
    text.table(&table);
    text.sentence(
        "",
        Role::Quiet,
        "Response times of round 0 hold what the generator was late; for the server's part read service.",
    );
}

/// A ratio with its interval, as in `1.04x (1.01 to 1.07)`.
fn times(ratio: Option<Ratio>) -> String {
    let Some(Ratio { ratio, interval_95 }) = ratio else {
        return NOTHING.to_owned();
    };
    let interval = interval_95.map_or_else(String::new, |(low, high)| {
        format!(" ({low:.2} to {high:.2})")
    });
    format!("{ratio:.2}x{interval}")
}

fn where_they_went(text: &mut Text, retry: &RetryResult) {
    let rows = [
        ("the replica that minted the state", &retry.same_replica),
        ("another replica", &retry.other_replica),
        ("a kept connection", &retry.kept_connection),
        ("a new connection", &retry.new_connection),
    ];
    text.line("");
    let mut table = Table::new(1, &["service time of retries over", "count", "p50", "p99"]);
    for (name, figures) in rows {
        let figures = figures.as_ref();
        let time = |of: fn(&LatencyFigures) -> u64| or_nothing(figures, |f| time_ns(of(f) as f64));
        table.row(vec![
            name.to_owned(),
            figures.map_or(0, |f| f.count).to_string(),
            time(|f| f.p50_ns),
            time(|f| f.p99_ns),
        ]);
    }
    text.table(&table);
    if let Some(over) = &retry.other_over_same {
        text.line(&format!(
            "  another replica over the same: p50 {}, p99 {}",
            times(Some(over.p50)),
            times(over.p99)
        ));
    }
}
