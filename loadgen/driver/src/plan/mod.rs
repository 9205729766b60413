//! The checked form of a scenario: everything after it trusts these values.

mod answers;
mod check;
mod client;
mod departure;
mod event;
mod expect;
mod fixed;
mod fleet;
mod http;
mod json;
mod keys;
mod kind;
mod limit_rate;
mod load;
mod mirrored;
mod pace;
mod payload;
mod phases;
mod principals;
mod replay;
mod spread;
mod state_fault;
mod think;
mod threshold;
mod throttle;
mod up_front;

use std::sync::Arc;
use std::time::Duration;

use loadgen_measure::{KindPair, Phase, ScenarioRecord, Threshold, Workload};
use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;
use sha2::{Digest, Sha256};

use self::check::Check;
use crate::content::Rows;
use crate::scenario::{Scenario, ScenarioError, Source};

pub use answers::AnswerPlan;
pub use client::ClientPlan;
pub use departure::Departure;
pub use event::{Act, Event};
pub use fixed::FixedFields;
pub use fleet::{FleetPlan, KeyPlan, ReplicaPlan};
pub use http::{HttpPlan, HttpVersion, Trust};
pub use kind::Kind;
pub use limit_rate::LimitRate;
pub use load::Load;
pub use mirrored::Mirrored;
pub use pace::Pace;
pub use payload::{LimitSource, PayloadPlan};
pub use principals::Principals;
pub use spread::Spread;
pub use state_fault::StateFault;
pub use throttle::{BackOff, OnThrottle, RetryBudget, RetryOn, ThrottlePlan};
pub use up_front::UpFront;

/// What a run does.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The scenario's name, text and hash.
    pub scenario: ScenarioRecord,
    /// Seed of every random choice.
    pub seed: u64,
    /// Replicas that the run starts itself; `None` when targets have to be given.
    pub fleet: Option<FleetPlan>,
    /// What happens to those replicas meanwhile, in the order of time.
    pub events: Vec<Event>,
    /// When workflows begin.
    pub load: Load,
    /// The parts of the load in time, in order, cut where events begin and end; at least one.
    pub phases: Vec<Phase>,
    /// How long workflows arrive: to the end of the last phase.
    pub duration: Duration,
    /// How long workflows in flight may end after that.
    pub drain: Duration,
    /// Longest time for one round's reply.
    pub timeout: Duration,
    /// Most retries of one workflow.
    pub round_cap: u16,
    /// Which replica gets a round of a kind that does not say it itself.
    pub spread: Spread,
    /// Most connections at one time, over all replicas and threads.
    pub connections: u32,
    /// Threads that send.
    pub threads: u32,
    /// How requests travel.
    pub http: HttpPlan,
    /// Pause before a round that only echoes the state.
    pub state_only_pause: Duration,
    /// Who the generator says it is.
    pub client: ClientPlan,
    /// Rows for the templates of arguments.
    pub rows: Option<Arc<Rows>>,
    /// What is known of the sizes that the target takes.
    pub payload: PayloadPlan,
    /// The mix.
    pub kinds: Vec<Kind>,
    /// What a workflow does when it is throttled.
    pub throttle: ThrottlePlan,
    /// Limits on figures.
    pub thresholds: Vec<Threshold>,
}

impl Plan {
    /// Checks a scenario.
    ///
    /// # Errors
    /// Names file, line, column, and what would be right.
    pub fn new(scenario: &Scenario, source: &Source) -> Result<Self, ScenarioError> {
        let check = Check { source };
        let load = scenario.load.get_ref();
        let (shape, phases) = check.load(&scenario.load)?;
        let rows = scenario.data.as_ref().map(|data| check.rows(data));
        let rows = rows.transpose()?;
        let spread = check.spread(load.spread.as_ref(), Spread::Random)?;
        let kinds = check.kinds(&scenario.workflow, rows.as_ref(), spread)?;
        let fleet = scenario.fleet.as_ref().map(|fleet| check.fleet(fleet));
        let fleet = fleet.transpose()?;
        let payload = check.payload(scenario.payload.as_ref(), fleet.as_ref())?;
        let duration = phases.last().map_or(Duration::ZERO, |last| last.to);
        let tables = scenario.event.as_deref().unwrap_or_default();
        let events = check.events(tables, fleet.as_ref(), duration)?;
        let phases = phases::part(phases, &events);
        let client = scenario.client.as_ref().map(|table| check.client(table));
        let client = client.transpose()?.unwrap_or_default();
        let tokens = client.principals.given();
        let thresholds = check.thresholds(scenario, |threshold| {
            threshold::fits(threshold, &kinds, &phases, tokens)
        })?;
        Ok(Self {
            scenario: ScenarioRecord {
                name: check.name(scenario)?,
                text: source.text().to_owned(),
                sha256: hex(&Sha256::digest(source.text())),
            },
            seed: scenario.seed.unwrap_or(1),
            fleet,
            load: shape,
            duration,
            phases,
            events,
            drain: check.optional_time("drain_s", &load.drain_s, 10.0, true)?,
            timeout: check.optional_time("timeout_s", &load.timeout_s, 30.0, false)?,
            round_cap: load.round_cap.as_ref().map_or(10, |cap| *cap.get_ref()),
            spread,
            connections: check.count("connections", &load.connections, 256, 60_000)?,
            http: check.http(scenario.http.as_ref())?,
            threads: check.count("threads", &load.threads, default_threads(), 256)?,
            state_only_pause: check.optional_time(
                "state_only_pause_s",
                &load.state_only_pause_s,
                0.25,
                true,
            )?,
            client,
            rows: rows.map(Arc::new),
            payload,
            kinds,
            throttle: check.throttle(scenario.throttle.as_ref())?,
            thresholds,
        })
    }

    /// Adds limits on figures; those of the scenario, or the implied one, stay.
    ///
    /// # Errors
    /// Names what the plan does not have: a kind, a phase, what the figure is taken from.
    pub fn also(&mut self, thresholds: Vec<Threshold>) -> Result<(), String> {
        let tokens = self.client.principals.given();
        for threshold in &thresholds {
            threshold::fits(threshold, &self.kinds, &self.phases, tokens)?;
        }
        self.thresholds.extend(thresholds);
        Ok(())
    }

    /// Makes it a plan for targets that are given: it starts no replicas, and knows nothing of them.
    pub fn without_fleet(&mut self) {
        self.fleet = None;
        self.payload = self.payload.without_fleet();
    }

    /// Kinds that differ in nothing but their spread: the first of each pair is the sticky one, where
    /// one is.
    pub(crate) fn spread_pairs(&self) -> Vec<KindPair> {
        spread::pairs(&self.kinds)
    }

    /// Threads that have something to do: each needs a connection and a workflow of its own, or the
    /// limits over all threads would not hold. Where a thread has its principals, it needs one.
    pub(crate) fn sending_threads(&self) -> u32 {
        let workflows = match self.load {
            Load::Open { max_in_flight, .. } => max_in_flight,
            Load::Closed { concurrency } => concurrency,
        };
        let principals = if self.by_principal() {
            u32::try_from(self.client.principals.count()).unwrap_or(u32::MAX)
        } else {
            u32::MAX
        };
        let threads = self.threads.min(self.connections).min(workflows);
        threads.min(principals)
    }

    /// Whether all workflows of a principal are sent by the same thread: where something is remembered
    /// of a principal from one workflow to the next, since threads share nothing.
    pub(crate) fn by_principal(&self) -> bool {
        let throttle = &self.throttle;
        let remembered = throttle.on == OnThrottle::Probe || throttle.budget.is_some();
        remembered && self.client.principals.count() > 0
    }

    /// The principal of a workflow, a position in the list of tokens: drawn by seed and workflow
    /// number; in a closed workload each user has one, in turn. 0 where there are no tokens.
    pub(crate) fn principal(&self, workflow: u64) -> usize {
        let principals = &self.client.principals;
        match self.load {
            Load::Open { .. } => principals.drawn(self.seed, workflow),
            Load::Closed { concurrency } => {
                let user = workflow % u64::from(concurrency);
                (user % principals.count().max(1) as u64) as usize
            }
        }
    }

    /// Workflows that the plan holds; `None` in a closed workload, where the replies decide.
    #[must_use]
    pub fn planned(&self) -> Option<u64> {
        match &self.load {
            Load::Open { schedule, .. } => Some(schedule.count()),
            Load::Closed { .. } => None,
        }
    }

    /// The load in words and numbers for the result.
    #[must_use]
    pub fn workload(&self) -> Workload {
        Workload {
            round_cap: Some(self.round_cap),
            ..self.load.workload()
        }
    }

    /// The kind of the workflow whose random stream this is: its first draw.
    pub(crate) fn draw_kind(&self, rng: &mut Xoshiro256PlusPlus) -> usize {
        let total: f64 = self.kinds.iter().map(|kind| kind.weight).sum();
        let mut left = rng.random::<f64>() * total;
        for (index, kind) in self.kinds.iter().enumerate() {
            left -= kind.weight;
            if left < 0.0 {
                return index;
            }
        }
        // Rounding can leave a last sliver.
        self.kinds.len() - 1
    }
}

/// Half the cores, so that replicas on the same machine have the other half; at least 1, at most 4.
fn default_threads() -> u32 {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    u32::try_from((cores / 2).clamp(1, 4)).unwrap_or(1)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
