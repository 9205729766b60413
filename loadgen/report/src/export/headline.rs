use loadgen_measure::{LatencyFigures, Metric, RunResult};

/// What a figure counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// Nanoseconds.
    Ns,
    /// Workflows per second.
    PerSecond,
    /// A share, 0 to 1.
    Share,
    /// Bytes.
    Bytes,
}

/// One of the few figures that a run is known by from one commit to the next.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Headline {
    /// Its name in thresholds and in `loadgen history trend`, as in `response.p99_ms[round=1]`. Times
    /// are named in milliseconds there, and are in nanoseconds here.
    pub(super) metric: String,
    pub(super) unit: Unit,
    pub(super) value: f64,
    /// Its 95 % interval; `None` where the run cannot carry one.
    pub(super) interval_95: Option<(f64, f64)>,
    /// How many times it is over; `None` for what is no distribution.
    pub(super) count: Option<u64>,
}

impl Headline {
    pub(super) fn bigger_is_better(&self) -> bool {
        matches!(self.unit, Unit::PerSecond | Unit::Share)
    }
}

/// Rates, bytes, and p50 and p99 of whole workflows and of each round; only those that exist.
pub(super) fn headlines(result: &RunResult) -> Vec<Headline> {
    let mut lines = Vec::new();
    for (metric, unit) in [
        ("ok.rate", Unit::Share),
        ("throughput_per_s", Unit::PerSecond),
        ("workflow_bytes.mean", Unit::Bytes),
    ] {
        let value = metric.parse::<Metric>().ok().and_then(|m| m.value(result));
        lines.extend(value.map(|value| Headline {
            metric: metric.to_owned(),
            unit,
            value,
            interval_95: None,
            count: None,
        }));
    }
    times(&mut lines, "workflow", "", result.workflow_response());
    for round in &result.all.rounds {
        let of = format!("[round={}]", round.round);
        let response = result.round_response(round.round);
        times(&mut lines, "response", &of, response);
        let service = round.ok().and_then(|ok| ok.service.as_ref());
        times(&mut lines, "service", &of, service);
    }
    lines.retain(|line| line.value.is_finite());
    lines
}

fn times(lines: &mut Vec<Headline>, name: &str, of: &str, figures: Option<&LatencyFigures>) {
    let Some(figures) = figures else { return };
    let intervals = figures.intervals_95.unwrap_or_default();
    for (statistic, ns, interval) in [
        ("p50", figures.p50_ns, intervals.p50_ns),
        ("p99", figures.p99_ns, intervals.p99_ns),
    ] {
        lines.push(Headline {
            metric: format!("{name}.{statistic}_ms{of}"),
            unit: Unit::Ns,
            value: ns as f64,
            interval_95: interval.map(|(low, high)| (low as f64, high as f64)),
            count: Some(figures.count),
        });
    }
}
