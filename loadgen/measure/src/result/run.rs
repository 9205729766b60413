use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::aead::AeadResult;
use super::checks::Check;
use super::clock::RunClock;
use super::event::EventResult;
use super::exchange::ExchangeResult;
use super::figures::LatencyFigures;
use super::findings::{FailureExample, Finding};
use super::fleet::{Matrix, ReplicaResult};
use super::generator::GeneratorResult;
use super::load::{ConnectionResult, LoadResult, SecondResult, TraceContextResult};
use super::payload::PayloadResult;
use super::phase::PhaseResult;
use super::principals::PrincipalsResult;
use super::rate_limit::RateLimitResult;
use super::retry::RetryResult;
use super::single_use::SingleUseResult;
use super::staircase::Staircase;
use super::steady::Steady;
use super::threshold::ThresholdResult;
use super::throttle::ThrottleResult;
use super::verdict::Verdict;
use super::work::KindResult;
use crate::Environment;

/// Version of the result file that this crate writes and reads.
///
/// A member that is new and may be absent changes nothing: older files load, and older programs overlook
/// it. The version rises when a member that was always there goes, changes its name, type or meaning, or
/// when a new one must be there. Then files of every version before go on to load, each through a
/// conversion of its own, and the golden files of the old version stay (`tests/golden`), beside new ones.
pub const SCHEMA_VERSION: u32 = 1;

/// Everything known about a run: the content of `result.json`.
///
/// Units stand at the end of the names. A figure that does not exist is absent (or null where
/// its description says so); there is never a NaN, an infinity, or a zero standing for "none".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunResult {
    /// Version of this format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub schema_version: u32,
    /// The program that wrote it.
    pub tool: Tool,
    /// What was run.
    pub scenario: ScenarioRecord,
    /// Seed of the schedule and of every random choice.
    pub seed: u64,
    /// Options of the run that are not in the scenario, as written on the command line.
    pub options: BTreeMap<String, serde_json::Value>,
    /// URLs that were given as targets; empty when the run started its own replicas.
    pub targets: Vec<String>,
    /// Whether it was ended by an interrupt.
    pub interrupted: bool,
    /// Whether it is a checkpoint of a run still going on, or of one that was killed.
    pub partial: bool,
    /// The judgement.
    pub verdict: Verdict,
    /// What a reader should know.
    pub findings: Vec<Finding>,
    /// What was said or seen when rounds failed: different sentences up to a bound, so the counts
    /// need not add up to those of the outcomes.
    pub failures: Vec<FailureExample>,
    /// Limits on figures.
    pub thresholds: Vec<ThresholdResult>,
    /// The result checked against itself.
    pub checks: Vec<Check>,
    /// When and how long.
    pub clock: RunClock,
    /// The machine of the load generator.
    pub environment: Environment,
    /// Planned, started and done work.
    pub load: LoadResult,
    /// Every kind together, over all phases that are no warm-up: the headline figures.
    pub all: KindResult,
    /// The parts of the load in order, warm-up included; empty when there is only one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<PhaseResult>,
    /// What the steps of a rising load say about capacity; absent when the load has no such steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub staircase: Option<Staircase>,
    /// Kinds whose states the scenario breaks before they are sent back; empty when it breaks none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaks_states: Vec<String>,
    /// Fixed answers of the scenario that no question asked for, by kind; empty when all were.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unused_answers: BTreeMap<String, Vec<String>>,
    /// What the scenario let happen to replicas, in the order of time; empty when nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EventResult>,
    /// Whether the run ended in its warm-up, so that every figure is of that.
    #[serde(default, skip_serializing_if = "is_false")]
    pub warmup_only: bool,
    /// What the seconds say about warm-up and drift; absent in a checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady: Option<Steady>,
    /// The workflow kinds, in the order of the scenario, over the phases of `all`.
    pub kinds: Vec<KindResult>,
    /// What retries cost against round 0; absent when no kind had both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryResult>,
    /// How states and bodies grow from round to round; absent when no kind received a state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<PayloadResult>,
    /// Who minted states and who got them back.
    pub matrix: Matrix,
    /// What protecting request states cost; absent when no server said how long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aead: Option<AeadResult>,
    /// What the bytes of each kind cost the server; absent when no server said how long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<ExchangeResult>,
    /// Refusals by rate limits, waits for them and attempts after the first; absent when there were
    /// none and the scenario named no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttle: Option<ThrottleResult>,
    /// What a rate limit admitted and what it cost; absent when none refused anything and none is
    /// known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimitResult>,
    /// States that were sent back to several replicas at once; absent when none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub single_use: Option<SingleUseResult>,
    /// What a trace context cost; absent when none was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_context: Option<TraceContextResult>,
    /// Counts of each principal; absent when the scenario names no tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principals: Option<PrincipalsResult>,
    /// The replicas.
    pub replicas: Vec<ReplicaResult>,
    /// Connections to all replicas.
    pub connections: ConnectionResult,
    /// The load generator itself.
    pub generator: GeneratorResult,
    /// The run second by second.
    pub seconds: Vec<SecondResult>,
}

impl RunResult {
    /// Response times of successful workflows, for headlines and thresholds: without what a rule cut
    /// as warm-up. `None` when there are none.
    pub fn workflow_response(&self) -> Option<&LatencyFigures> {
        let steady = self.steady.as_ref().and_then(|s| s.workflow.as_ref());
        steady.or_else(|| self.all.ok()?.response.as_ref())
    }

    /// The same of the successful rounds of one position.
    pub fn round_response(&self, round: u16) -> Option<&LatencyFigures> {
        let steady = self.steady.iter().flat_map(|steady| &steady.rounds);
        let mut steady = steady
            .filter(|kept| kept.round == round)
            .map(|kept| &kept.response);
        let all = || {
            self.all
                .rounds
                .get(usize::from(round))?
                .ok()?
                .response
                .as_ref()
        };
        steady.next_back().or_else(all)
    }
}

fn is_false(truth: &bool) -> bool {
    !*truth
}

/// A program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// A scenario file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScenarioRecord {
    /// Its name.
    pub name: String,
    /// Its whole text.
    pub text: String,
    /// SHA-256 of the text, in hexadecimal.
    pub sha256: String,
}
