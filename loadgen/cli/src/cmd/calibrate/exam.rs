use std::time::Duration;

use loadgen_measure::{Latency, LatencyFigures, Outcome, RunResult};
use tokio::runtime::Runtime;

use super::row::{Row, Unit};
use super::trial::{Seen, Trial};
use crate::failure::Failure;

/// Share of the time without a processor from which on a deviation is the machine's: an answer
/// takes a fraction of a millisecond, so that one part in a hundred of waiting shows.
const STARVED: f64 = 0.01;

/// Share of the time that the driver's threads were busy from which on the machine is too slow.
const BUSY: f64 = 0.95;

/// What holds for every case.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    /// Threads that send.
    pub(super) threads: u32,
    /// Most connections.
    pub(super) connections: u32,
    /// How long the load of a case lasts, in whole seconds; `None`: its own time.
    pub(super) seconds: Option<u32>,
}

/// Response times of a replica without faults, in milliseconds: what driver, sockets and replica
/// take on this machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Base {
    pub(super) mean_ms: f64,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
}

/// Makes the rows of a result.
type Judge = Box<dyn Fn(&RunResult, &Base) -> Vec<Row>>;

/// One case: a run, and what must come out.
pub(super) struct Exam {
    pub(super) name: String,
    /// What is true and why, in a line or two.
    pub(super) truth: String,
    pub(super) trial: Trial,
    pub(super) judge: Judge,
}

/// What came out of it.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) name: String,
    pub(super) truth: String,
    pub(super) rows: Vec<Row>,
    /// Why the machine and not the program may be to blame; `None` when nothing points there.
    pub(super) machine: Option<String>,
}

impl Exam {
    pub(super) fn sit(&self, runtime: &Runtime, base: &Base) -> Result<Report, Failure> {
        let seen = self.trial.conduct(runtime)?;
        Ok(Report {
            name: self.name.clone(),
            truth: self.truth.clone(),
            rows: (self.judge)(&seen.result, base),
            machine: machine(&seen),
        })
    }
}

impl Report {
    pub(super) fn is_within(&self) -> bool {
        self.rows.iter().all(Row::is_within)
    }
}

/// What the machine did to a run, if it did something. That the generator was the bottleneck in other
/// ways excuses nothing: over few connections it is meant to be.
fn machine(seen: &Seen) -> Option<String> {
    if let Some(share) = seen.starved.filter(|share| *share >= STARVED) {
        return Some(format!(
            "driver or replica stood ready without a processor for {:.1} % of the time",
            100.0 * share
        ));
    }
    let facts = &seen.result.generator.facts;
    let busy = facts.cpu_s? / (facts.threads as f64 * seen.result.clock.duration_s);
    (busy >= BUSY).then(|| format!("the driver was busy {:.0} % of the time", 100.0 * busy))
}

impl Settings {
    pub(super) fn seconds_or(&self, own: u32) -> u32 {
        self.seconds.unwrap_or(own)
    }

    /// A scenario of these arrivals. `more` are further lines of `[load]`, `workflows` the mix.
    pub(super) fn scenario(
        &self,
        rate_per_s: f64,
        seconds: u32,
        more: &str,
        workflows: &str,
    ) -> String {
        format!(
            "name = \"calibrate\"\n[load]\nrate_per_s = {rate_per_s}\nduration_s = {seconds}\n\
             threads = {}\nconnections = {}\n{more}\n{workflows}",
            self.threads, self.connections
        )
    }
}

/// One request and its answer.
pub(super) const ECHO: &str =
    "[[workflow]]\ntool = \"echo\"\narguments = { text = \"calibrate\" }\n";

/// A trial of a scenario whose load lasts so long, with this time for what comes after it.
pub(super) fn trial(scenario: String, replica: &[&str], seconds: u32) -> Trial {
    Trial {
        scenario,
        replica: replica.iter().map(|&option| option.to_owned()).collect(),
        told: None,
        longest: Duration::from_secs(u64::from(seconds)),
    }
}

/// Response times of successful first rounds.
pub(super) fn responses(result: &RunResult) -> Option<&LatencyFigures> {
    result.all.rounds.first()?.ok()?.response.as_ref()
}

/// Their quantile in milliseconds.
pub(super) fn quantile_ms(figures: Option<&LatencyFigures>, p: f64) -> Option<f64> {
    let latency: Latency = figures?.latency().ok()?;
    Some(latency.quantile_ns(p)? as f64 / 1e6)
}

pub(super) fn mean_ms(figures: Option<&LatencyFigures>) -> Option<f64> {
    Some(figures?.mean_ns / 1e6)
}

/// Every planned workflow was sent, and none ended otherwise than well.
pub(super) fn counts(result: &RunResult, planned: u64) -> Row {
    let ok = result.load.outcomes.get(&Outcome::Ok).copied().unwrap_or(0);
    Row::exact("answered", planned, ok)
}

/// `p95` and so on: a percentile's row.
pub(super) fn percentile(
    figures: Option<&LatencyFigures>,
    p: f64,
    truth_ms: f64,
    allowed: super::row::Allowed,
) -> Row {
    let name = format!("p{}", (p * 1e5).round() / 1e3);
    Row::new(name, Unit::Ms, truth_ms, quantile_ms(figures, p), allowed)
}

impl Base {
    /// A calm echo.
    pub(super) fn measure(settings: &Settings, runtime: &Runtime) -> Result<(Self, Seen), Failure> {
        const SECONDS: u32 = 4;
        let scenario = settings.scenario(500.0, SECONDS, "", ECHO);
        let seen = trial(scenario, &[], SECONDS).conduct(runtime)?;
        let figures = responses(&seen.result);
        let measured = || {
            Some(Self {
                mean_ms: mean_ms(figures)?,
                p50_ms: quantile_ms(figures, 0.5)?,
                p99_ms: quantile_ms(figures, 0.99)?,
            })
        };
        let base = measured().ok_or_else(|| anyhow::anyhow!("a calm replica answered nothing"))?;
        Ok((base, seen))
    }
}
