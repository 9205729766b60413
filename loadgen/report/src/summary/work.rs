use std::collections::BTreeMap;

use loadgen_measure::{
    KindResult, LatencyFigures, Outcome, OutcomeFigures, RoundResult, RunResult, SizeFigures,
};

use super::text::{Role, Text};
use crate::table::Table;
use crate::units::{NOTHING, or_nothing, percent, range_ns, size_bytes, three_digits, time_ns};

/// All kinds together, then each alone; only one of them when they are the same.
pub(crate) fn write(text: &mut Text, result: &RunResult) {
    let busy: Vec<&KindResult> = result
        .kinds
        .iter()
        .filter(|kind| kind.started > 0)
        .collect();
    if busy.len() != 1 {
        kind(text, "All kinds together", &result.all);
    }
    for one in busy {
        kind(text, &format!("Kind {}", one.name), one);
    }
    text.sentence(
        "",
        Role::Quiet,
        "Times are of successes. Response runs from when the plan wanted the round sent, service \
         from when it was sent; both to the whole answer.",
    );
}

fn kind(text: &mut Text, heading: &str, kind: &KindResult) {
    text.heading(&format!(
        "{heading}: {} started, {} rounds per workflow, think time {}",
        kind.started,
        or_nothing(kind.mean_rounds, three_digits),
        or_nothing(kind.mean_think_ns, time_ns)
    ));
    times(text, kind);
    sizes(text, kind);
    server(text, kind);
    outcomes(text, kind);
}

/// Head of a table of [`time_row`]s.
pub(crate) const TIMES: [&str; 8] = [
    "round", "time", "count", "p50", "p90", "p99", "p99.9", "max",
];

fn times(text: &mut Text, kind: &KindResult) {
    let mut table = Table::new(2, &TIMES);
    let workflows = kind.ok().and_then(|ok| ok.response.as_ref());
    table.row(time_row("workflow", "response", workflows));
    table.rows(interval_row(workflows));
    for round in &kind.rounds {
        let name = round.round.to_string();
        let response = round.ok().and_then(|ok| ok.response.as_ref());
        let service = round.ok().and_then(|ok| ok.service.as_ref());
        table.row(time_row(&name, "response", response));
        table.rows(interval_row(response));
        table.row(time_row("", "service", service));
    }
    text.table(&table);
}

pub(crate) fn time_row(name: &str, time: &str, figures: Option<&LatencyFigures>) -> Vec<String> {
    let mut row = vec![name.to_owned(), time.to_owned()];
    match figures {
        Some(f) => {
            row.push(f.count.to_string());
            let times = [f.p50_ns, f.p90_ns, f.p99_ns, f.p999_ns, f.max_ns];
            row.extend(times.map(|ns| time_ns(ns as f64)));
        }
        None => {
            row.push("0".to_owned());
            row.extend([NOTHING; 5].map(str::to_owned));
        }
    }
    row
}

/// The intervals of the row above, if there is one at all.
pub(crate) fn interval_row(figures: Option<&LatencyFigures>) -> Option<Vec<String>> {
    let i = figures?.intervals_95?;
    let quantiles = [i.p50_ns, i.p90_ns, i.p99_ns, i.p999_ns];
    quantiles.iter().any(Option::is_some).then(|| {
        let head = ["", "95 % interval", ""].map(str::to_owned);
        let cells = quantiles.map(|q| or_nothing(q, |(low, high)| range_ns(low, high)));
        head.into_iter().chain(cells).collect()
    })
}

fn sizes(text: &mut Text, kind: &KindResult) {
    if kind.rounds.is_empty() {
        return;
    }
    text.line("");
    let head = [
        "round",
        "request mean",
        "max",
        "response mean",
        "max",
        "state sent",
        "max",
        "state received",
        "max",
    ];
    let mut table = Table::new(1, &head);
    for round in &kind.rounds {
        let mut row = vec![round.round.to_string()];
        for figures in [
            &round.request,
            &round.response,
            &round.state_sent,
            &round.state_received,
        ] {
            let mean = |f: &SizeFigures| size_bytes(f.mean_bytes);
            let max = |f: &SizeFigures| size_bytes(f.max_bytes as f64);
            row.push(or_nothing(figures.as_ref(), mean));
            row.push(or_nothing(figures.as_ref(), max));
        }
        table.row(row);
    }
    text.table(&table);
}

fn server(text: &mut Text, kind: &KindResult) {
    let reported = |round: &&RoundResult| {
        let server = &round.server;
        server.open.is_some() || server.handle.is_some() || server.seal.is_some()
    };
    let rounds: Vec<&RoundResult> = kind.rounds.iter().filter(reported).collect();
    if rounds.is_empty() {
        text.line("  the server reported no open, handle or seal times");
        return;
    }
    text.line("");
    let head = [
        "round",
        "open p50",
        "p99",
        "handle p50",
        "p99",
        "seal p50",
        "p99",
        "open + seal of service",
    ];
    let mut table = Table::new(1, &head);
    for round in rounds {
        let mut row = vec![round.round.to_string()];
        for figures in [&round.server.open, &round.server.handle, &round.server.seal] {
            let figures = figures.as_ref();
            row.push(or_nothing(figures, |f| time_ns(f.p50_ns as f64)));
            row.push(or_nothing(figures, |f| time_ns(f.p99_ns as f64)));
        }
        row.push(or_nothing(round.server.open_and_seal_share, percent));
        table.row(row);
    }
    text.table(&table);
}

fn outcomes(text: &mut Text, kind: &KindResult) {
    text.line("");
    text.sentence("workflows:", Role::Quiet, &of_figures(&kind.workflows));
    for round in &kind.rounds {
        let ended = of_figures(&round.outcomes);
        let mut line = format!("{ended} in {} attempts", round.attempts);
        if round.attempts_sent < round.attempts {
            line += &format!(", {} of them sent", round.attempts_sent);
        }
        if !round.superseded.is_empty() {
            let before = of_figures(&round.superseded);
            line += &format!("; attempted again after {before}");
        }
        text.sentence(&format!("round {}:", round.round), Role::Quiet, &line);
        failures(text, round);
    }
}

fn of_figures(outcomes: &BTreeMap<Outcome, OutcomeFigures>) -> String {
    counts(outcomes.iter().map(|(outcome, f)| (*outcome, f.count)))
}

/// Outcomes with their counts, as in `ok 7, timeout 1`; `n/a` when there are none.
pub(crate) fn counts(outcomes: impl Iterator<Item = (Outcome, u64)>) -> String {
    let counts: Vec<String> = outcomes
        .map(|(outcome, count)| format!("{outcome} {count}"))
        .collect();
    if counts.is_empty() {
        NOTHING.to_owned()
    } else {
        counts.join(", ")
    }
}

/// Times of what did not end well: never mixed with the table above.
fn failures(text: &mut Text, round: &RoundResult) {
    for (outcome, figures) in round.outcomes.iter().filter(|(o, _)| **o != Outcome::Ok) {
        let (what, times) = match (&figures.response, &figures.time_to_error, &figures.age) {
            (Some(times), _, _) => ("response time", times),
            (_, Some(times), _) => ("time to error", times),
            (_, _, Some(times)) => ("age", times),
            (None, None, None) => continue,
        };
        text.line(&format!(
            "    {outcome}: {what} p50 {}, p99 {}, max {}",
            time_ns(times.p50_ns as f64),
            time_ns(times.p99_ns as f64),
            time_ns(times.max_ns as f64)
        ));
    }
    let with = &round.with_failures;
    if round.ok().is_some_and(|ok| ok.count < with.count) {
        let quantile =
            |ns: Option<u64>| ns.map_or_else(|| "failed".to_owned(), |ns| time_ns(ns as f64));
        text.line(&format!(
            "    failures counted as longest: response p50 {}, p90 {}, p99 {}, p99.9 {}",
            quantile(with.p50_ns),
            quantile(with.p90_ns),
            quantile(with.p99_ns),
            quantile(with.p999_ns)
        ));
    }
}
