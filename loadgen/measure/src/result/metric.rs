use std::fmt;
use std::str::FromStr;

use super::figures::LatencyFigures;
use super::run::RunResult;
use crate::Outcome;

/// A figure of a result that a threshold can be set on:
///
/// | written | means |
/// |---|---|
/// | `ok.rate` | share of started workflows with that outcome, 0 to 1 |
/// | `ok.count` | their number |
/// | `throughput_per_s` | workflows that ended well, per second of load |
/// | `started.rate` | share of planned workflows that were started, 0 to 1 |
/// | `workflow.p99_ms` | response time of whole successful workflows, without a warm-up cut by rule |
/// | `round2.response.p99_ms`, `round2.service.mean_us` | times of successful rounds, all kinds |
///
/// Any [`Outcome`] can stand for `ok`; statistics are `min mean p50 p90 p99 p999 max`, units
/// `_ns _us _ms _s`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metric {
    text: String,
    what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    Rate(Outcome),
    Count(Outcome),
    Throughput,
    Started,
    Workflow(Time),
    Response(u16, Time),
    Service(u16, Time),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Time {
    statistic: Statistic,
    ns_per_unit: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Statistic {
    Min,
    Mean,
    P50,
    P90,
    P99,
    P999,
    Max,
}

/// The text names no figure of a result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no such figure: `{0}`; write for example `ok.rate`, `throttled.count`, `throughput_per_s`, \
     `workflow.p99_ms` or `round1.response.p99_ms`"
)]
pub struct UnknownMetric(String);

impl FromStr for Metric {
    type Err = UnknownMetric;

    fn from_str(text: &str) -> Result<Self, UnknownMetric> {
        let what = parse(text).ok_or_else(|| UnknownMetric(text.to_owned()))?;
        Ok(Self {
            text: text.to_owned(),
            what,
        })
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl Metric {
    /// Its value in a result; `None` when there was nothing to take it from.
    pub fn value(&self, result: &RunResult) -> Option<f64> {
        let all = &result.all;
        let count = |outcome: Outcome| all.workflows.get(&outcome).map_or(0, |f| f.count) as f64;
        let round = |index: u16| all.rounds.get(usize::from(index))?.ok();
        match self.what {
            What::Rate(outcome) => (all.started > 0).then(|| count(outcome) / all.started as f64),
            What::Count(outcome) => Some(count(outcome)),
            What::Throughput => result.load.throughput_per_s,
            What::Started => {
                let planned = result.load.planned;
                (planned > 0).then(|| result.load.started as f64 / planned as f64)
            }
            What::Workflow(time) => time.of(result.workflow_response()),
            What::Response(index, time) => time.of(result.round_response(index)),
            What::Service(index, time) => time.of(round(index)?.service.as_ref()),
        }
    }
}

impl Time {
    fn of(self, figures: Option<&LatencyFigures>) -> Option<f64> {
        let figures = figures?;
        let ns = match self.statistic {
            Statistic::Min => figures.min_ns as f64,
            Statistic::Mean => figures.mean_ns,
            Statistic::P50 => figures.p50_ns as f64,
            Statistic::P90 => figures.p90_ns as f64,
            Statistic::P99 => figures.p99_ns as f64,
            Statistic::P999 => figures.p999_ns as f64,
            Statistic::Max => figures.max_ns as f64,
        };
        Some(ns / self.ns_per_unit as f64)
    }
}

fn parse(text: &str) -> Option<What> {
    if text == "throughput_per_s" {
        return Some(What::Throughput);
    }
    if text == "started.rate" {
        return Some(What::Started);
    }
    let parts: Vec<&str> = text.split('.').collect();
    match parts[..] {
        ["workflow", time] => Some(What::Workflow(parse_time(time)?)),
        [outcome, "rate"] => Some(What::Rate(parse_outcome(outcome)?)),
        [outcome, "count"] => Some(What::Count(parse_outcome(outcome)?)),
        [round, "response", time] => Some(What::Response(parse_round(round)?, parse_time(time)?)),
        [round, "service", time] => Some(What::Service(parse_round(round)?, parse_time(time)?)),
        _ => None,
    }
}

fn parse_outcome(text: &str) -> Option<Outcome> {
    Outcome::ALL.into_iter().find(|o| o.name() == text)
}

fn parse_round(text: &str) -> Option<u16> {
    text.strip_prefix("round")?.parse().ok()
}

fn parse_time(text: &str) -> Option<Time> {
    let (statistic, unit) = text.split_once('_')?;
    Some(Time {
        statistic: match statistic {
            "min" => Statistic::Min,
            "mean" => Statistic::Mean,
            "p50" => Statistic::P50,
            "p90" => Statistic::P90,
            "p99" => Statistic::P99,
            "p999" => Statistic::P999,
            "max" => Statistic::Max,
            _ => return None,
        },
        ns_per_unit: match unit {
            "ns" => 1,
            "us" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            _ => return None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_figures_are_understood_or_refused() {
        for text in [
            "ok.rate",
            "state_rejected.count",
            "throughput_per_s",
            "started.rate",
            "workflow.p999_s",
            "round12.service.mean_us",
        ] {
            assert_eq!(text.parse::<Metric>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "p99",
            "fine.rate",
            "round.response.p99_ms",
            "workflow.p95_ms",
        ] {
            assert!(text.parse::<Metric>().is_err(), "{text}");
        }
    }
}
