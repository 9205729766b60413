mod name;

use std::fmt;
use std::str::FromStr;

use self::name::{Why, parse};
use super::aead::FleetCpu;
use super::figures::SizeFigures;
use super::run::RunResult;
use super::selection::Selection;
use super::statistic::{Part, Size, SizeStatistic, Time};
use super::work::{KindResult, RoundResult};
use crate::{Better, Outcome};

/// A figure of a result that a threshold can be set on:
///
/// | written | means | can be of |
/// |---|---|---|
/// | `ok.rate` | share of workflows with that outcome, 0 to 1; with a round: of its rounds | kind, phase, round |
/// | `ok.count` | their number | kind, phase, round |
/// | `throughput_per_s` | workflows that ended well in measured time, or in the phase, per second of it | phase |
/// | `sustained_per_s` | highest rate of a load in rising steps up to which the target kept up; 0 when it never did | |
/// | `started.rate` | share of planned workflows that were started, 0 to 1 | |
/// | `workflow.p99_ms` | response time of whole successful workflows | kind, phase |
/// | `response.p99_ms`, `service.mean_us` | times of successful rounds | round (always), kind, phase |
/// | `service.p99_ms` | the same of one replica | replica |
/// | `open.p99_us`, `handle.p99_us`, `seal.p99_us` | what servers said of their own work | round (always), kind, phase |
/// | `open_and_seal.p50_us` | both together in one round, over all rounds that reported either; `mean p50 p99` | |
/// | `cpu_per_workflow_us` | processor time of the run's own replicas by workflow that was started | |
/// | `request_bytes.max`, `response_bytes.mean`, `state_bytes.p99` | sizes of bodies and of received states; `min` and `max` also over all rounds | round, kind, phase |
/// | `workflow_bytes.mean` | mean bytes of the bodies of a workflow, requests and responses | kind, phase |
/// | `state_growth.bytes_per_round` | growth of the mean received state from its first to its last round | kind, phase |
/// | `retry.p50_ratio`, `retry.p99_ratio` | service time of retries over that of round 0 | |
/// | `lateness.p99_ms` | how late the generator sent first rounds | |
/// | `waited.max_s` | waits for rate limits | |
/// | `wasted.rate` | share of attempts that did no work: refused, or followed by another | |
/// | `admitted_per_limit` | admitted rate over the rate that a limit is meant to admit | |
/// | `carried_out_again.count` | replayed states that were carried out more than once | |
/// | `fairness` | Jain's index over the successful workflows of each token, 1 to 1/n | |
///
/// What it is of stands in brackets, as in `response.p99_ms[round=2, kind=wizard]`; kind and phase not
/// both. Any [`Outcome`] can stand for `ok`; statistics are `min mean p50 p90 p99 p999 max` (sizes: `min
/// mean p50 p99 max`), units `_ns _us _ms _s`. `round2.response.p99_ms` is another way to write
/// `response.p99_ms[round=2]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metric {
    text: String,
    what: What,
    of: Selection,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Rate(Outcome),
    Count(Outcome),
    Throughput,
    Sustained,
    Started,
    Workflow(Time),
    Response(Time),
    Service(Time),
    Server(Part, Time),
    OpenAndSeal(Time),
    /// In a unit of so many nanoseconds.
    CpuPerWorkflow(u64),
    Bytes(Size, SizeStatistic),
    WorkflowBytes,
    StateGrowth,
    Retry(RetryRatio),
    Lateness(Time),
    Waited(Time),
    Wasted,
    AdmittedPerLimit,
    CarriedOutAgain,
    Fairness,
}

/// A quantile of retries over that of round 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RetryRatio {
    P50,
    P99,
}

/// What only some runs have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// A load in steps that rise.
    Steps,
    /// States that are sent back more than once.
    Replays,
    /// Tokens of several callers.
    Tokens,
}

/// The text names no figure of a result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no such figure: `{text}`{why}")]
pub struct UnknownMetric {
    text: String,
    why: Why,
}

impl FromStr for Metric {
    type Err = UnknownMetric;

    fn from_str(text: &str) -> Result<Self, UnknownMetric> {
        let wrong = |why| UnknownMetric {
            text: text.to_owned(),
            why,
        };
        let (name, of) = Selection::split(text).map_err(|why| wrong(Why::Selection(why)))?;
        let (name, of) = match leading_round(name) {
            Some((round, name)) if of.round.is_none() => (name, of.in_round(round)),
            Some(_) => return Err(wrong(Why::Selection("its round is named twice".to_owned()))),
            None => (name, of),
        };
        let what = parse(name).map_err(wrong)?;
        what.takes(&of).map_err(|why| wrong(Why::Selection(why)))?;
        Ok(Self {
            text: text.to_owned(),
            what,
            of,
        })
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl Metric {
    /// The kind of workflow that it is of, if it is of one.
    pub fn kind(&self) -> Option<&str> {
        self.of.kind.as_deref()
    }

    /// The phase that it is of, if it is of one.
    pub fn phase(&self) -> Option<&str> {
        self.of.phase.as_deref()
    }

    /// What a run must have for it to have a value, where not every run has that.
    pub fn needs(&self) -> Option<Needs> {
        match self.what {
            What::Sustained => Some(Needs::Steps),
            What::CarriedOutAgain => Some(Needs::Replays),
            What::Fairness => Some(Needs::Tokens),
            _ => None,
        }
    }

    /// Whether it counts bytes.
    pub(super) fn is_size(&self) -> bool {
        matches!(
            self.what,
            What::Bytes(..) | What::WorkflowBytes | What::StateGrowth
        )
    }

    /// Which way it is better. More work done and more of it well is better; of times, sizes, waits,
    /// waste and failures less is.
    pub fn better(&self) -> Better {
        match self.what {
            What::Rate(Outcome::Ok)
            | What::Count(Outcome::Ok)
            | What::Throughput
            | What::Sustained
            | What::Started
            | What::Fairness => Better::Higher,
            What::Rate(_)
            | What::Count(_)
            | What::Workflow(_)
            | What::Response(_)
            | What::Service(_)
            | What::Server(..)
            | What::OpenAndSeal(_)
            | What::CpuPerWorkflow(_)
            | What::Bytes(..)
            | What::WorkflowBytes
            | What::StateGrowth
            | What::Retry(_)
            | What::Lateness(_)
            | What::Waited(_)
            | What::Wasted
            | What::AdmittedPerLimit
            | What::CarriedOutAgain => Better::Lower,
        }
    }

    /// Its value in a result; `None` when there was nothing to take it from.
    pub fn value(&self, result: &RunResult) -> Option<f64> {
        let work = self.work(result)?;
        let whole = self.of.kind.is_none() && self.of.phase.is_none();
        match self.what {
            What::Rate(outcome) => {
                let (count, all) = self.counts(work, outcome)?;
                (all > 0).then(|| count as f64 / all as f64)
            }
            What::Count(outcome) => Some(self.counts(work, outcome)?.0 as f64),
            What::Throughput => match &self.of.phase {
                None => result.load.throughput_per_s,
                Some(name) => {
                    let phase = result.phases.iter().find(|phase| phase.name == *name);
                    phase?.throughput_per_s
                }
            },
            What::Sustained => {
                let staircase = result.staircase.as_ref()?;
                Some(staircase.sustained_per_s.unwrap_or(0.0))
            }
            What::Started => {
                let planned = result.load.planned;
                (planned > 0).then(|| result.load.started as f64 / planned as f64)
            }
            What::Workflow(time) if whole => time.of(result.workflow_response()),
            What::Workflow(time) => time.of(work.ok()?.response.as_ref()),
            What::Response(time) if whole => time.of(result.round_response(self.of.round?)),
            What::Response(time) => time.of(self.round(work)?.ok()?.response.as_ref()),
            What::Service(time) => time.of(match self.of.replica {
                Some(replica) => result.replicas.get(replica)?.service.as_ref(),
                None => self.round(work)?.ok()?.service.as_ref(),
            }),
            What::Server(part, time) => {
                let server = &self.round(work)?.server;
                time.of(match part {
                    Part::Open => server.open.as_ref(),
                    Part::Handle => server.handle.as_ref(),
                    Part::Seal => server.seal.as_ref(),
                })
            }
            What::OpenAndSeal(time) => time.of_times(Some(&result.aead.as_ref()?.open_and_seal)),
            What::CpuPerWorkflow(unit) => {
                let fleet = FleetCpu::of(&result.replicas, result.load.started, false)?;
                Some(fleet.per_workflow_ns? / unit as f64)
            }
            What::Bytes(size, statistic) => self.bytes(work, size, statistic),
            What::WorkflowBytes => work.workflow_bytes(),
            What::StateGrowth => work.state_growth_bytes_per_round,
            What::Retry(ratio) => {
                let service = result.retry.as_ref()?.service;
                match ratio {
                    RetryRatio::P50 => Some(service.p50.ratio),
                    RetryRatio::P99 => Some(service.p99?.ratio),
                }
            }
            What::Lateness(time) => time.of(result.generator.lateness.as_ref()),
            What::Waited(time) => time.of(result.throttle.as_ref()?.waited.as_ref()),
            What::Wasted => {
                let wasted = result.throttle.as_ref().map_or(0, |t| t.wasted_attempts);
                let attempts = result.load.attempts;
                (attempts > 0).then(|| wasted as f64 / attempts as f64)
            }
            What::AdmittedPerLimit => result.rate_limit.as_ref()?.admitted_over_limit,
            What::CarriedOutAgain => Some(result.single_use.as_ref()?.carried_out_again() as f64),
            What::Fairness => result.principals.as_ref()?.fairness(),
        }
    }

    fn work<'a>(&self, result: &'a RunResult) -> Option<&'a KindResult> {
        let named = |name: &str| result.kinds.iter().find(|kind| kind.name == name);
        match (&self.of.kind, &self.of.phase) {
            (Some(kind), _) => named(kind),
            (None, None) => Some(&result.all),
            (None, Some(name)) => {
                let phase = result.phases.iter().find(|phase| phase.name == *name);
                phase.map(|phase| &phase.work)
            }
        }
    }

    fn round<'a>(&self, work: &'a KindResult) -> Option<&'a RoundResult> {
        work.rounds.get(usize::from(self.of.round?))
    }

    /// Workflows, or rounds, with this outcome, and all of them.
    fn counts(&self, work: &KindResult, outcome: Outcome) -> Option<(u64, u64)> {
        Some(match self.of.round {
            None => {
                let count = work.workflows.get(&outcome).map_or(0, |f| f.count);
                (count, work.started)
            }
            Some(_) => {
                let round = self.round(work)?;
                let count = round.outcomes.get(&outcome).map_or(0, |f| f.count);
                (count, round.count)
            }
        })
    }

    fn bytes(&self, work: &KindResult, size: Size, statistic: SizeStatistic) -> Option<f64> {
        let sizes = |round: &RoundResult| -> Option<SizeFigures> {
            match size {
                Size::Request => round.request.clone(),
                Size::Response => round.response.clone(),
                Size::State => round.state_received.clone(),
            }
        };
        if self.of.round.is_some() {
            return Some(statistic.of(&sizes(self.round(work)?)?));
        }
        let each = work.rounds.iter().filter_map(sizes);
        let each = each.map(|figures| statistic.of(&figures));
        match statistic {
            SizeStatistic::Min => each.reduce(f64::min),
            _ => each.reduce(f64::max),
        }
    }
}

impl What {
    /// Whether it can be of what is selected.
    fn takes(self, of: &Selection) -> Result<(), String> {
        let (work, round) = match self {
            Self::Rate(_) | Self::Count(_) => (true, Some(false)),
            Self::Workflow(_) | Self::WorkflowBytes | Self::StateGrowth => (true, None),
            Self::Response(_) | Self::Server(..) => (true, Some(true)),
            Self::Service(_) => (true, Some(of.replica.is_none())),
            Self::Bytes(_, statistic) => (true, Some(!statistic.is_extreme())),
            Self::Throughput
            | Self::Sustained
            | Self::Started
            | Self::OpenAndSeal(_)
            | Self::CpuPerWorkflow(_)
            | Self::Retry(_)
            | Self::Lateness(_)
            | Self::Waited(_)
            | Self::Wasted
            | Self::AdmittedPerLimit
            | Self::CarriedOutAgain
            | Self::Fairness => (false, None),
        };
        let phase = work || matches!(self, Self::Throughput);
        if of.kind.is_some() && of.phase.is_some() {
            return Err("kind and phase cannot stand together".to_owned());
        }
        if of.kind.is_some() && !work {
            return Err("it is not told apart by kind".to_owned());
        }
        if of.phase.is_some() && !phase {
            return Err("it is not told apart by phase".to_owned());
        }
        if of.replica.is_some() {
            if !matches!(self, Self::Service(_)) {
                return Err("it is not told apart by replica".to_owned());
            }
            if of.kind.is_some() || of.phase.is_some() || of.round.is_some() {
                return Err("a replica stands alone".to_owned());
            }
        }
        match (round, of.round) {
            (None, Some(_)) => Err("it is not told apart by round".to_owned()),
            (Some(true), None) => Err("it is of one round: put [round=N] behind it".to_owned()),
            _ => Ok(()),
        }
    }
}

/// The round of `round2.response.p99_ms`, and the rest.
fn leading_round(name: &str) -> Option<(u16, &str)> {
    let (round, rest) = name.strip_prefix("round")?.split_once('.')?;
    Some((round.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_figures_are_understood() {
        for text in [
            "ok.rate",
            "state_rejected.count",
            "throttled.rate[kind=wizard]",
            "ok.count[phase=after the kill, round=1]",
            "throughput_per_s",
            "throughput_per_s[phase=spike]",
            "sustained_per_s",
            "started.rate",
            "workflow.p999_s",
            "workflow.p50_ms[kind=a b]",
            "round12.service.mean_us",
            "response.p99_ms[round=2, kind=wizard]",
            "service.p99_ms[replica=1]",
            "seal.p99_us[round=0]",
            "open_and_seal.mean_us",
            "cpu_per_workflow_ms",
            "state_bytes.max",
            "request_bytes.mean[round=3]",
            "workflow_bytes.mean[kind=wizard]",
            "state_growth.bytes_per_round",
            "retry.p99_ratio",
            "lateness.p99_us",
            "waited.max_s",
            "wasted.rate",
            "admitted_per_limit",
            "carried_out_again.count",
            "fairness",
        ] {
            assert_eq!(text.parse::<Metric>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_figure_is_refused_with_the_reason() {
        for (text, want) in [
            ("", "write for example"),
            ("p99", "write for example"),
            ("fine.rate", "the nearest is `unfinished.rate`"),
            ("o.rate", "the nearest is `ok.rate`"),
            ("workflow.p95_us", "the nearest is `workflow.p99_us`"),
            ("workflow.p95_h", "the nearest is `workflow.p9"),
            ("state_bites.max", "the nearest is `state_bytes.max`"),
            ("sustained_per_second", "the nearest is `sustained_per_s`"),
            ("response.p99[round=1]", "a time needs a unit"),
            (
                "open_and_seal.max_us",
                "the nearest is `open_and_seal.mean_us`",
            ),
            ("open_and_seal.p50", "a time needs a unit"),
            ("cpu_per_workflow", "a time needs a unit"),
            ("cpu_per_workflow_h", "the nearest is `cpu_per_workflow_"),
            ("cpu_per_workflow_us[round=1]", "not told apart by round"),
            ("response.p99_ms", "put [round=N] behind it"),
            ("round1.response.p99_ms[round=2]", "named twice"),
            ("state_bytes.mean", "put [round=N] behind it"),
            ("ok.rate[kind=a, phase=b]", "cannot stand together"),
            ("ok.rate[kind=a, kind=b]", "stands there twice"),
            ("ok.rate[colour=red]", "`colour` is unknown"),
            ("ok.rate[kind]", "`kind` is not of the form"),
            ("ok.rate[kind=a", "not closed"),
            ("ok.rate[round=-1]", "whole number"),
            ("ok.rate[replica=1]", "not told apart by replica"),
            ("service.p50_ms[replica=1, round=1]", "stands alone"),
            ("sustained_per_s[phase=a]", "not told apart by phase"),
            ("started.rate[kind=a]", "not told apart by kind"),
            ("retry.p50_ratio[kind=a]", "not told apart by kind"),
            ("workflow_bytes.mean[round=1]", "not told apart by round"),
            ("workflow.p50_ms[round=1]", "not told apart by round"),
            ("lateness.p50_ms[phase=a]", "not told apart by phase"),
            ("fairness[kind=a]", "not told apart by kind"),
        ] {
            let error = text.parse::<Metric>().unwrap_err().to_string();
            assert!(error.contains(want), "{text}: {error}");
        }
    }
}
