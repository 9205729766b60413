//! The checked form of a scenario: everything after it trusts these values.

use std::time::Duration;

use loadgen_measure::{ScenarioRecord, Threshold, Workload};
use loadgen_protocol::names::method;
use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;
use serde_json::Value;
use sha2::{Digest, Sha256};
use toml::Spanned;

use crate::scenario::{FleetTable, LoadTable, Scenario, ScenarioError, Source, WorkflowTable};
use crate::schedule::Schedule;

/// Longest duration that a scenario may ask for anywhere.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3600);
/// Most replicas that a run starts.
const MOST_REPLICAS: u32 = 64;

/// What a run does.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The scenario's name, text and hash.
    pub scenario: ScenarioRecord,
    /// Seed of every random choice.
    pub seed: u64,
    /// Replicas that the run starts itself; `None` when targets have to be given.
    pub fleet: Option<FleetPlan>,
    /// When workflows begin.
    pub load: Load,
    /// How long workflows arrive.
    pub duration: Duration,
    /// How long workflows in flight may end after that.
    pub drain: Duration,
    /// Longest time for one round's reply.
    pub timeout: Duration,
    /// Most retries of one workflow.
    pub round_cap: u16,
    /// Which replica gets a round.
    pub spread: Spread,
    /// Most connections at one time, over all replicas and threads.
    pub connections: u32,
    /// Threads that send.
    pub threads: u32,
    /// Pause before a round that only echoes the state.
    pub state_only_pause: Duration,
    /// The mix.
    pub kinds: Vec<Kind>,
    /// Limits on figures.
    pub thresholds: Vec<Threshold>,
}

/// When workflows begin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Load {
    /// Partly open: workflows arrive by the schedule and do not wait for each other.
    Open {
        /// The arrivals.
        schedule: Schedule,
        /// Workflows per second.
        rate_per_s: f64,
        /// Most workflows in flight; further arrivals are not started.
        max_in_flight: u32,
    },
    /// Closed: so many users, each beginning its next workflow when the last one ended.
    Closed {
        /// Number of users.
        concurrency: u32,
    },
}

/// Which replica gets a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// Any, by the workflow's random stream.
    Random,
    /// The next in the list for every round, so that a retry never meets the replica that minted
    /// its state.
    Next,
    /// The replica of round 0, for the whole workflow.
    Sticky,
}

/// Replicas that a run starts as its own children.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetPlan {
    /// How many.
    pub replicas: u32,
    /// `--algorithm` of the replicas; `None`: their default.
    pub algorithm: Option<String>,
    /// `--backend` of the replicas; `None`: their default.
    pub backend: Option<String>,
    /// `--ttl` of the replicas, in seconds; `None`: their default.
    pub ttl_s: Option<u64>,
    /// Which sealing keys they get.
    pub keys: KeyPlan,
}

/// Which sealing keys the replicas of a fleet get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPlan {
    /// One key for all: a retry may go to any of them.
    Shared,
    /// Each its own: a retry on another replica is refused.
    Own,
}

/// One kind of workflow in the mix.
#[derive(Debug, Clone, PartialEq)]
pub struct Kind {
    /// Name in results.
    pub name: String,
    /// Share of the mix against the other weights.
    pub weight: f64,
    /// JSON-RPC method.
    pub method: &'static str,
    /// Name of the tool or prompt, or address of the resource.
    pub target: String,
    /// JSON text of the arguments; `None` when there are none.
    pub arguments: Option<String>,
    /// Time a user takes to answer a question.
    pub think: Duration,
}

impl Plan {
    /// Checks a scenario.
    ///
    /// # Errors
    /// Names file, line, column, and what would be right.
    pub fn new(scenario: &Scenario, source: &Source) -> Result<Self, ScenarioError> {
        let check = Check { source };
        let load = scenario.load.get_ref();
        let duration = check.time("duration_s", &load.duration_s, false)?;
        let kinds = check.kinds(&scenario.workflow)?;
        Ok(Self {
            scenario: ScenarioRecord {
                name: check.name(scenario)?,
                text: source.text().to_owned(),
                sha256: hex(&Sha256::digest(source.text())),
            },
            seed: scenario.seed.unwrap_or(1),
            fleet: scenario
                .fleet
                .as_ref()
                .map(|fleet| check.fleet(fleet))
                .transpose()?,
            load: check.load(&scenario.load, duration)?,
            duration,
            drain: check.optional_time("drain_s", &load.drain_s, 10.0, true)?,
            timeout: check.optional_time("timeout_s", &load.timeout_s, 30.0, false)?,
            round_cap: load.round_cap.as_ref().map_or(10, |cap| *cap.get_ref()),
            spread: check.spread(load)?,
            connections: check.count("connections", &load.connections, 256, 60_000)?,
            threads: check.count("threads", &load.threads, default_threads(), 256)?,
            state_only_pause: check.optional_time(
                "state_only_pause_s",
                &load.state_only_pause_s,
                0.25,
                true,
            )?,
            kinds,
            thresholds: check.thresholds(scenario)?,
        })
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
        match &self.load {
            Load::Open { rate_per_s, .. } => Workload {
                label: "partly open".to_owned(),
                arrival_rate_per_s: Some(*rate_per_s),
                concurrency: None,
            },
            Load::Closed { concurrency } => Workload {
                label: "closed".to_owned(),
                arrival_rate_per_s: None,
                concurrency: Some(u64::from(*concurrency)),
            },
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

/// The conversions, each with the place that it complains about.
struct Check<'a> {
    source: &'a Source,
}

impl Check<'_> {
    fn wrong<T>(&self, value: &Spanned<T>, message: &str) -> ScenarioError {
        self.source.at(&value.span(), message)
    }

    fn name(&self, scenario: &Scenario) -> Result<String, ScenarioError> {
        let Some(name) = &scenario.name else {
            let stem = std::path::Path::new(self.source.file()).file_stem();
            return Ok(stem.map_or_else(
                || "scenario".to_owned(),
                |stem| stem.to_string_lossy().into_owned(),
            ));
        };
        let text = name.get_ref();
        let good = !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
            && !text.starts_with('.');
        if good {
            return Ok(text.clone());
        }
        Err(self.wrong(
            name,
            "name must be letters, digits, `-`, `_` and `.` (it names the result folder)",
        ))
    }

    fn time(
        &self,
        key: &str,
        value: &Spanned<f64>,
        may_be_zero: bool,
    ) -> Result<Duration, ScenarioError> {
        let seconds = *value.get_ref();
        let least = if may_be_zero { "0 or more" } else { "above 0" };
        let good = seconds.is_finite() && (seconds > 0.0 || (may_be_zero && seconds == 0.0));
        match Duration::try_from_secs_f64(seconds) {
            Ok(time) if good && time <= LONGEST => Ok(time),
            _ => Err(self.wrong(
                value,
                &format!("{key} must be {least} and at most 604800 (a week), in seconds"),
            )),
        }
    }

    fn optional_time(
        &self,
        key: &str,
        value: &Option<Spanned<f64>>,
        default_s: f64,
        may_be_zero: bool,
    ) -> Result<Duration, ScenarioError> {
        match value {
            Some(value) => self.time(key, value, may_be_zero),
            None => Ok(Duration::from_secs_f64(default_s)),
        }
    }

    fn count(
        &self,
        key: &str,
        value: &Option<Spanned<u32>>,
        default: u32,
        most: u32,
    ) -> Result<u32, ScenarioError> {
        match value {
            None => Ok(default),
            Some(value) if (1..=most).contains(value.get_ref()) => Ok(*value.get_ref()),
            Some(value) => Err(self.wrong(value, &format!("{key} must be 1 to {most}"))),
        }
    }

    fn load(&self, table: &Spanned<LoadTable>, duration: Duration) -> Result<Load, ScenarioError> {
        let load = table.get_ref();
        let max_in_flight = self.count("max_in_flight", &load.max_in_flight, 10_000, 10_000_000)?;
        match (&load.rate_per_s, &load.concurrency) {
            (Some(rate), None) => {
                let rate_per_s = *rate.get_ref();
                if !(rate_per_s.is_finite() && rate_per_s > 0.0 && rate_per_s <= 1e6) {
                    return Err(self.wrong(
                        rate,
                        "rate_per_s must be above 0 and at most 1000000, in workflows per second",
                    ));
                }
                let schedule = Schedule::constant(rate_per_s, duration);
                if schedule.count() == 0 {
                    return Err(self.wrong(
                        rate,
                        "rate_per_s x duration_s is below 1, so no workflow would arrive; raise \
                         one of them",
                    ));
                }
                Ok(Load::Open {
                    schedule,
                    rate_per_s,
                    max_in_flight,
                })
            }
            (None, Some(_)) => {
                if let Some(limit) = &load.max_in_flight {
                    return Err(self.wrong(
                        limit,
                        "max_in_flight is for `rate_per_s`; with `concurrency` that is the limit",
                    ));
                }
                let concurrency = self.count("concurrency", &load.concurrency, 1, 100_000)?;
                Ok(Load::Closed { concurrency })
            }
            (Some(_), Some(both)) => Err(self.wrong(
                both,
                "give `rate_per_s` (workflows arrive) or `concurrency` (users wait), not both",
            )),
            (None, None) => Err(self.wrong(
                table,
                "[load] needs `rate_per_s` (workflows per second) or `concurrency` (users)",
            )),
        }
    }

    fn spread(&self, load: &LoadTable) -> Result<Spread, ScenarioError> {
        let Some(spread) = &load.spread else {
            return Ok(Spread::Random);
        };
        match spread.get_ref().as_str() {
            "random" => Ok(Spread::Random),
            "next" => Ok(Spread::Next),
            "sticky" => Ok(Spread::Sticky),
            _ => Err(self.wrong(spread, "spread must be \"random\", \"next\" or \"sticky\"")),
        }
    }

    fn fleet(&self, fleet: &FleetTable) -> Result<FleetPlan, ScenarioError> {
        let replicas = *fleet.replicas.get_ref();
        if !(1..=MOST_REPLICAS).contains(&replicas) {
            return Err(self.wrong(
                &fleet.replicas,
                &format!("replicas must be 1 to {MOST_REPLICAS}"),
            ));
        }
        if let Some(ttl) = &fleet.ttl_s
            && *ttl.get_ref() == 0
        {
            return Err(self.wrong(ttl, "ttl_s must be 1 or more whole seconds"));
        }
        let keys = match &fleet.keys {
            None => KeyPlan::Shared,
            Some(keys) => match keys.get_ref().as_str() {
                "shared" => KeyPlan::Shared,
                "own" => KeyPlan::Own,
                _ => return Err(self.wrong(keys, "keys must be \"shared\" or \"own\"")),
            },
        };
        let text = |value: &Option<Spanned<String>>| value.as_ref().map(|v| v.get_ref().clone());
        Ok(FleetPlan {
            replicas,
            algorithm: text(&fleet.algorithm),
            backend: text(&fleet.backend),
            ttl_s: fleet.ttl_s.as_ref().map(|ttl| *ttl.get_ref()),
            keys,
        })
    }

    fn kinds(
        &self,
        list: &Spanned<Vec<Spanned<WorkflowTable>>>,
    ) -> Result<Vec<Kind>, ScenarioError> {
        if list.get_ref().is_empty() {
            return Err(self.wrong(list, "at least one [[workflow]] is needed"));
        }
        let mut kinds: Vec<Kind> = Vec::new();
        for table in list.get_ref() {
            let kind = self.kind(table)?;
            if kinds.iter().any(|other| other.name == kind.name) {
                return Err(self.wrong(
                    table,
                    &format!(
                        "two workflows are called `{}`; give one of them a `name`",
                        kind.name
                    ),
                ));
            }
            kinds.push(kind);
        }
        Ok(kinds)
    }

    fn kind(&self, table: &Spanned<WorkflowTable>) -> Result<Kind, ScenarioError> {
        let flow = table.get_ref();
        let given = [
            (method::TOOLS_CALL, &flow.tool),
            (method::PROMPTS_GET, &flow.prompt),
            (method::RESOURCES_READ, &flow.resource),
        ];
        let mut given = given
            .into_iter()
            .filter_map(|(method, target)| Some((method, target.as_ref()?)));
        let (Some((method, target)), None) = (given.next(), given.next()) else {
            return Err(self.wrong(
                table,
                "a [[workflow]] needs exactly one of `tool`, `prompt` and `resource`",
            ));
        };
        if target.get_ref().is_empty() {
            return Err(self.wrong(target, "an empty name calls nothing"));
        }
        let weight = match &flow.weight {
            None => 1.0,
            Some(weight) if weight.get_ref().is_finite() && *weight.get_ref() > 0.0 => {
                *weight.get_ref()
            }
            Some(weight) => return Err(self.wrong(weight, "weight must be above 0")),
        };
        let arguments = flow
            .arguments
            .as_ref()
            .map(|arguments| self.arguments(method, arguments))
            .transpose()?;
        let target = target.get_ref().clone();
        Ok(Kind {
            name: flow
                .name
                .as_ref()
                .map_or_else(|| target.clone(), |name| name.get_ref().clone()),
            weight,
            method,
            target,
            arguments,
            think: self.optional_time("think_s", &flow.think_s, 0.0, true)?,
        })
    }

    /// The JSON text that every round of the workflow repeats byte for byte.
    fn arguments(
        &self,
        method: &str,
        arguments: &Spanned<toml::Table>,
    ) -> Result<String, ScenarioError> {
        if method == method::RESOURCES_READ {
            return Err(self.wrong(arguments, "a resource takes no arguments"));
        }
        let value = json(&toml::Value::Table(arguments.get_ref().clone())).ok_or_else(|| {
            self.wrong(
                arguments,
                "arguments must be JSON values: no dates, no nan, no inf",
            )
        })?;
        let strings_only = value
            .as_object()
            .is_some_and(|object| object.values().all(Value::is_string));
        if method == method::PROMPTS_GET && !strings_only {
            return Err(self.wrong(arguments, "arguments of a prompt must be strings"));
        }
        Ok(value.to_string())
    }

    fn thresholds(&self, scenario: &Scenario) -> Result<Vec<Threshold>, ScenarioError> {
        match &scenario.thresholds {
            None => Ok(vec![
                "ok.rate >= 0.99"
                    .parse()
                    .expect("the implied threshold is well formed"),
            ]),
            Some(list) => list
                .iter()
                .map(|text| {
                    text.get_ref()
                        .parse()
                        .map_err(|e| self.wrong(text, &format!("{e}")))
                })
                .collect(),
        }
    }
}

/// A TOML value as JSON; `None` where JSON has no such value.
fn json(value: &toml::Value) -> Option<Value> {
    Some(match value {
        toml::Value::String(text) => Value::String(text.clone()),
        toml::Value::Integer(number) => Value::from(*number),
        toml::Value::Float(number) => Value::Number(serde_json::Number::from_f64(*number)?),
        toml::Value::Boolean(truth) => Value::Bool(*truth),
        toml::Value::Datetime(_) => return None,
        toml::Value::Array(list) => Value::Array(list.iter().map(json).collect::<Option<_>>()?),
        toml::Value::Table(table) => Value::Object(
            table
                .iter()
                .map(|(key, value)| Some((key.clone(), json(value)?)))
                .collect::<Option<_>>()?,
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::workflow_rng;

    const GOOD: &str = "[load]\nrate_per_s = 2\nduration_s = 3\n\n[[workflow]]\ntool = \"echo\"\n";

    fn plan(text: &str) -> Result<Plan, String> {
        let source = Source::new("x.toml", text);
        let scenario = Scenario::parse(&source).map_err(|e| e.to_string())?;
        Plan::new(&scenario, &source).map_err(|e| e.to_string())
    }

    #[test]
    fn defaults_are_those_of_the_documentation() {
        let plan = plan(GOOD).unwrap();
        assert_eq!(plan.scenario.name, "x");
        assert_eq!(plan.planned(), Some(6));
        assert_eq!((plan.seed, plan.round_cap, plan.connections), (1, 10, 256));
        assert_eq!(plan.timeout, Duration::from_secs(30));
        assert_eq!(plan.state_only_pause, Duration::from_millis(250));
        assert_eq!(plan.spread, Spread::Random);
        assert_eq!(plan.thresholds.len(), 1);
        assert_eq!(plan.scenario.sha256.len(), 64);
    }

    #[test]
    fn values_that_cannot_be_are_refused_with_place_and_rule() {
        let change = |from: &str, to: &str| plan(&GOOD.replace(from, to)).unwrap_err();
        for (from, to, want) in [
            (
                "rate_per_s = 2",
                "rate_per_s = 0",
                "x.toml:2:14: rate_per_s must be above 0",
            ),
            (
                "rate_per_s = 2",
                "rate_per_s = -1",
                "x.toml:2:14: rate_per_s must be above 0",
            ),
            (
                "rate_per_s = 2",
                "rate_per_s = nan",
                "x.toml:2:14: rate_per_s must be above 0",
            ),
            (
                "rate_per_s = 2",
                "rate_per_s = inf",
                "x.toml:2:14: rate_per_s must be above 0",
            ),
            (
                "rate_per_s = 2",
                "rate_per_s = 0.1",
                "below 1, so no workflow would arrive",
            ),
            (
                "duration_s = 3",
                "duration_s = 0",
                "x.toml:3:14: duration_s must be above 0",
            ),
            (
                "duration_s = 3",
                "duration_s = 1e300",
                "duration_s must be above 0 and at most",
            ),
            (
                "rate_per_s = 2",
                "rate_per_s = 2\nconcurrency = 1",
                "not both",
            ),
            ("rate_per_s = 2", "", "[load] needs `rate_per_s`"),
            (
                "rate_per_s = 2",
                "concurrency = 0",
                "concurrency must be 1 to",
            ),
            (
                "rate_per_s = 2",
                "rate_per_s = 2\nspread = \"near\"",
                "spread must be",
            ),
            ("tool = \"echo\"", "weight = 1", "exactly one of `tool`"),
            (
                "tool = \"echo\"",
                "tool = \"echo\"\nprompt = \"p\"",
                "exactly one of `tool`",
            ),
            (
                "tool = \"echo\"",
                "tool = \"\"",
                "x.toml:6:8: an empty name calls nothing",
            ),
            (
                "tool = \"echo\"",
                "tool = \"echo\"\nweight = 0",
                "weight must be above 0",
            ),
            (
                "tool = \"echo\"",
                "tool = \"echo\"\narguments = { a = nan }",
                "no nan",
            ),
            (
                "tool = \"echo\"",
                "prompt = \"p\"\narguments = { a = 1 }",
                "must be strings",
            ),
            (
                "tool = \"echo\"",
                "resource = \"a://b\"\narguments = {}",
                "takes no arguments",
            ),
            (
                "tool = \"echo\"",
                "tool = \"echo\"\n[[workflow]]\ntool = \"echo\"",
                "two workflows",
            ),
            (
                "[load]",
                "thresholds = [\"speed > 1\"]\n[load]",
                "no such figure",
            ),
            (
                "[load]",
                "[fleet]\nreplicas = 0\n[load]",
                "replicas must be 1 to 64",
            ),
            (
                "[load]",
                "[fleet]\nreplicas = 1\nttl_s = 0\n[load]",
                "ttl_s must be 1 or more",
            ),
        ] {
            let error = change(from, to);
            assert!(error.contains(want), "{to}: {error}");
            assert!(
                error.starts_with("x.toml:") && !error.contains('\n'),
                "{error}"
            );
        }
    }

    #[test]
    fn arguments_become_json_once() {
        let plan = plan(&GOOD.replace(
            "tool = \"echo\"",
            "tool = \"echo\"\narguments = { text = \"é\\n\", n = 3, f = 0.5, l = [true] }",
        ))
        .unwrap();
        assert_eq!(
            plan.kinds[0].arguments.as_deref(),
            Some(r#"{"f":0.5,"l":[true],"n":3,"text":"é\n"}"#)
        );
    }

    #[test]
    fn kinds_are_drawn_by_weight() {
        let text = format!("{GOOD}weight = 3\n[[workflow]]\ntool = \"wizard\"\n");
        let plan = plan(&text).unwrap();
        let first = (0..4000)
            .filter(|id| plan.draw_kind(&mut workflow_rng(5, *id)) == 0)
            .count();
        // Three sigma of a binomial with n = 4000, p = 3/4 is 82.
        assert!(first.abs_diff(3000) < 83, "{first}");
    }
}
