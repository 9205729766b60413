use std::fmt;

use super::super::statistic::{Part, Size, SizeStatistic, Time, TimeStatistic, ns_per_unit};
use super::{RetryRatio, What};
use crate::Outcome;

/// Figures that stand alone, with a name that nothing else builds on.
const ALONE: [(&str, What); 11] = [
    ("throughput_per_s", What::Throughput),
    ("sustained_per_s", What::Sustained),
    ("started.rate", What::Started),
    ("workflow_bytes.mean", What::WorkflowBytes),
    ("state_growth.bytes_per_round", What::StateGrowth),
    ("retry.p50_ratio", What::Retry(RetryRatio::P50)),
    ("retry.p99_ratio", What::Retry(RetryRatio::P99)),
    ("wasted.rate", What::Wasted),
    ("admitted_per_limit", What::AdmittedPerLimit),
    ("carried_out_again.count", What::CarriedOutAgain),
    ("fairness", What::Fairness),
];

/// Makes a figure of a time.
type Timed = fn(Time) -> What;

/// What has times, each with the figure that it makes.
const TIMED: [(&str, Timed); 9] = [
    ("workflow", What::Workflow),
    ("response", What::Response),
    ("service", What::Service),
    ("open", |time| What::Server(Part::Open, time)),
    ("handle", |time| What::Server(Part::Handle, time)),
    ("seal", |time| What::Server(Part::Seal, time)),
    ("open_and_seal", What::OpenAndSeal),
    ("lateness", What::Lateness),
    ("waited", What::Waited),
];

/// A time that has no statistic, only a unit behind its name.
const CPU: &str = "cpu_per_workflow";

/// From which likeness on a name is offered, 0 to 1.
const ALIKE: f64 = 0.5;

/// What is wrong with the name of a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Why {
    /// There is none of it; this one looks most like it, if one does.
    Unknown(Option<String>),
    NoUnit,
    Selection(String),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(Some(near)) => write!(f, "; the nearest is `{near}`"),
            Self::Unknown(None) => f.write_str(
                "; write for example `ok.rate`, `throttled.count`, `throughput_per_s`, \
                 `workflow.p99_ms`, `response.p99_ms[round=1]` or `state_bytes.max`",
            ),
            Self::NoUnit => f.write_str(
                "; a time needs a unit: put `_ns`, `_us`, `_ms` or `_s` behind the statistic, or a \
                 unit behind the limit, as in 20ms",
            ),
            Self::Selection(why) => write!(f, ": {why}"),
        }
    }
}

/// The figure of this name.
pub(super) fn parse(name: &str) -> Result<What, Why> {
    if let Some((_, what)) = ALONE.into_iter().find(|(alone, _)| *alone == name) {
        return Ok(what);
    }
    let unknown = || Why::Unknown(nearest(name));
    if name == CPU {
        return Err(Why::NoUnit);
    }
    if let Some(unit) = name.strip_prefix(CPU).and_then(|n| n.strip_prefix('_')) {
        return ns_per_unit(unit)
            .map(What::CpuPerWorkflow)
            .ok_or_else(unknown);
    }
    let (subject, figure) = name.split_once('.').ok_or_else(unknown)?;
    if let Some(size) = Size::parse(subject) {
        let statistic = SizeStatistic::parse(figure).ok_or_else(unknown)?;
        return Ok(What::Bytes(size, statistic));
    }
    if let Some(outcome) = Outcome::ALL.into_iter().find(|o| o.name() == subject) {
        return match figure {
            "rate" => Ok(What::Rate(outcome)),
            "count" => Ok(What::Count(outcome)),
            _ => Err(unknown()),
        };
    }
    let timed = TIMED.into_iter().find(|(timed, _)| *timed == subject);
    let (_, timed) = timed.ok_or_else(unknown)?;
    match Time::parse(figure) {
        Some(time) => has(timed(time)).ok_or_else(unknown),
        None if TimeStatistic::parse(figure).is_some() => Err(Why::NoUnit),
        None => Err(unknown()),
    }
}

/// The figure, if results have it with this statistic.
fn has(what: What) -> Option<What> {
    match what {
        What::OpenAndSeal(time) if !time.is_in_times() => None,
        what => Some(what),
    }
}

/// The name of a figure that looks most like this one, if one does.
fn nearest(name: &str) -> Option<String> {
    let alone = ALONE.into_iter().map(|(name, _)| name.to_owned());
    let outcomes = Outcome::ALL
        .into_iter()
        .flat_map(|outcome| ["rate", "count"].map(|figure| format!("{}.{figure}", outcome.name())));
    let unit = name.rsplit_once('_').map_or("ms", |(_, unit)| unit);
    let unit = if Time::UNITS.iter().any(|(known, _)| *known == unit) {
        unit
    } else {
        "ms"
    };
    let times = TIMED.into_iter().flat_map(|(subject, timed)| {
        let named = TimeStatistic::ALL.map(|(statistic, _)| format!("{statistic}_{unit}"));
        let there = named
            .into_iter()
            .filter(move |n| Time::parse(n).map(timed).and_then(has).is_some());
        there.map(move |n| format!("{subject}.{n}"))
    });
    let cpu = Time::UNITS.map(|(unit, _)| format!("{CPU}_{unit}"));
    let sizes = Size::ALL.into_iter().flat_map(|(size, _)| {
        SizeStatistic::ALL.map(|(statistic, _)| format!("{size}.{statistic}"))
    });
    let all = alone.chain(cpu).chain(outcomes).chain(times).chain(sizes);
    let scored = all.map(|known| (strsim::normalized_damerau_levenshtein(name, &known), known));
    scored
        .filter(|(score, _)| *score >= ALIKE)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, known)| known)
}
