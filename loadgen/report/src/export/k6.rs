use loadgen_measure::{
    Comparison, HistogramError, KindResult, Latency, NotStarted, OutcomeFigures, RunResult,
    TimeMeaning,
};
use serde_json::{Map, Value, json};

/// Statistics of k6's trends that exist here, by its names.
const TRENDS: [&str; 8] = [
    "avg", "min", "med", "max", "p(90)", "p(95)", "p(99)", "p(99.9)",
];
/// What k6 gives to the root group, which has no path: the MD5 of nothing.
const ROOT_ID: &str = "d41d8cd98f00b204e9800998ecf8427e";

/// The data that k6 hands to `handleSummary`, with k6's metric names where k6 measures the same, times
/// in milliseconds. Form: <https://grafana.com/docs/k6/latest/results-output/end-of-test/custom-summary/>.
pub(super) fn of(result: &RunResult) -> Result<Value, HistogramError> {
    Ok(json!({
        "root_group": { "name": "", "path": "", "id": ROOT_ID, "groups": [], "checks": [] },
        "options": { "summaryTrendStats": TRENDS, "summaryTimeUnit": "ms", "noColor": true },
        "state": {
            "isStdOutTTY": false,
            "isStdErrTTY": false,
            "testRunDurationMs": 1000.0 * result.clock.duration_s,
        },
        "metrics": metrics(result)?,
    }))
}

fn metrics(result: &RunResult) -> Result<Map<String, Value>, HistogramError> {
    let mut metrics = Map::new();
    requests(result, &mut metrics)?;
    let ended = result.all.workflows.iter();
    let ended = ended.filter(|(outcome, _)| outcome.time_meaning() != TimeMeaning::Age);
    let ended: u64 = ended.map(|(_, figures)| figures.count).sum();
    metrics.insert("iterations".into(), counter(result, ended));
    let dropped = [NotStarted::NoFreeWorker, NotStarted::Late];
    let dropped = dropped
        .iter()
        .filter_map(|c| result.load.not_started.get(c));
    let dropped: u64 = dropped.sum();
    if dropped > 0 {
        metrics.insert("dropped_iterations".into(), counter(result, dropped));
    }
    let workflows = result.all.workflows.values();
    add(&mut metrics, "iteration_duration", &services(workflows)?);
    for threshold in &result.thresholds {
        let sign = match threshold.comparison {
            Comparison::AtLeast => ">=",
            Comparison::AtMost => "<=",
            Comparison::Above => ">",
            Comparison::Below => "<",
        };
        let mut values = Map::new();
        values.extend(
            threshold
                .value
                .map(|value| ("value".to_owned(), value.into())),
        );
        let limit = format!("value{sign}{}", threshold.limit);
        let gauge = metrics.entry(threshold.name.clone()).or_insert_with(|| {
            json!({
                "type": "gauge", "contains": "default", "values": values, "thresholds": {},
            })
        });
        gauge["thresholds"][limit] = json!({ "ok": threshold.pass });
    }
    Ok(metrics)
}

/// What k6 says of HTTP requests, over the measured phases.
fn requests(result: &RunResult, metrics: &mut Map<String, Value>) -> Result<(), HistogramError> {
    let all = &result.all;
    let attempts: u64 = all.rounds.iter().map(|round| round.attempts).sum();
    let ok = all.rounds.iter().filter_map(|round| round.ok());
    let ok: u64 = ok.map(|ok| ok.count).sum();
    metrics.insert("http_reqs".into(), counter(result, attempts));
    if attempts > 0 {
        let failed = attempts.saturating_sub(ok);
        let values = json!({
            "rate": failed as f64 / attempts as f64, "passes": failed, "fails": attempts - failed,
        });
        metrics.insert(
            "http_req_failed".into(),
            json!({ "type": "rate", "contains": "default", "values": values }),
        );
    }
    add(metrics, "http_req_duration", &answered(all)?);
    let (mut service, mut response) = (Latency::new(), Latency::new());
    for round in &all.rounds {
        let Some(ok) = round.ok() else { continue };
        let tag = format!("{{round:{}}}", round.round);
        if let Some(figures) = &ok.service {
            let latency = figures.latency()?;
            add(metrics, &format!("http_req_duration{tag}"), &latency);
            service.merge(&latency);
        }
        if let Some(figures) = &ok.response {
            let latency = figures.latency()?;
            add(metrics, &format!("round_response_duration{tag}"), &latency);
            response.merge(&latency);
        }
    }
    add(
        metrics,
        "http_req_duration{expected_response:true}",
        &service,
    );
    add(metrics, "round_response_duration", &response);
    Ok(())
}

/// Service times of every answer, refusals that were attempted again included.
fn answered(all: &KindResult) -> Result<Latency, HistogramError> {
    let rounds = all.rounds.iter();
    services(rounds.flat_map(|round| round.outcomes.values().chain(round.superseded.values())))
}

fn services<'a>(
    outcomes: impl Iterator<Item = &'a OutcomeFigures>,
) -> Result<Latency, HistogramError> {
    let mut together = Latency::new();
    for figures in outcomes.filter_map(|outcome| outcome.service.as_ref()) {
        together.merge(&figures.latency()?);
    }
    Ok(together)
}

fn counter(result: &RunResult, count: u64) -> Value {
    let mut values = Map::new();
    values.insert("count".into(), count.into());
    let measured = result.load.measured_s;
    if measured > 0.0 {
        values.insert("rate".into(), (count as f64 / measured).into());
    }
    json!({ "type": "counter", "contains": "default", "values": values })
}

/// A trend; nothing without a time.
fn add(metrics: &mut Map<String, Value>, name: &str, latency: &Latency) {
    let ms = |ns: u64| ns as f64 / 1e6;
    let at = |quantile| latency.quantile_ns(quantile).map(ms);
    let figures = [
        latency.mean_ns().map(|ns| ns / 1e6),
        latency.min_ns().map(ms),
        at(0.5),
        latency.max_ns().map(ms),
        at(0.9),
        at(0.95),
        at(0.99),
        at(0.999),
    ];
    let values = TRENDS.into_iter().zip(figures);
    let values: Map<String, Value> = values
        .filter_map(|(name, value)| Some((name.to_owned(), value?.into())))
        .collect();
    if !values.is_empty() {
        let trend = json!({ "type": "trend", "contains": "time", "values": values });
        metrics.insert(name.to_owned(), trend);
    }
}
