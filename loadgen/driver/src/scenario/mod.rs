//! The scenario file as it is written: one struct per table, unknown keys refused.

mod client;
mod data;
mod error;
mod event;
mod fleet;
mod http;
mod payload;
mod source;
mod stage;
mod table;
mod throttle;
mod words;
mod workflow;

use serde::Deserialize;
use toml::Spanned;

pub use client::ClientTable;
pub use data::DataTable;
pub use error::ScenarioError;
pub use event::EventTable;
pub use fleet::{FleetTable, ReplicaTable};
pub use http::HttpTable;
pub use payload::PayloadTable;
pub use source::Source;
pub use stage::StageTable;
pub use throttle::{BackOffTable, BudgetTable, ThrottleTable};
pub use workflow::{AnswersTable, ThinkTable, WorkflowTable};

/// A scenario file. [`crate::Plan::new`] turns it into a checked value.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Name of the scenario, as in result folders. Absent: the name of the file.
    #[serde(default)]
    pub name: Option<Spanned<String>>,
    /// What it models and what to look for, for people.
    #[serde(default)]
    pub analysis: Option<String>,
    /// Seed of the schedule and of every random choice. Absent: 1.
    #[serde(default)]
    pub seed: Option<u64>,
    /// Replicas that the run starts itself. Absent: targets have to be given.
    #[serde(default)]
    pub fleet: Option<FleetTable>,
    /// What happens to those replicas while the load goes on.
    #[serde(default)]
    pub event: Option<Vec<Spanned<EventTable>>>,
    /// Who the generator says it is. Absent: itself, able to answer everything.
    #[serde(default)]
    pub client: Option<ClientTable>,
    /// Rows for the templates of arguments.
    #[serde(default)]
    pub data: Option<DataTable>,
    /// How much load, how long.
    pub load: Spanned<LoadTable>,
    /// How requests travel. Absent: HTTP/1.1 over kept-alive connections.
    #[serde(default)]
    pub http: Option<HttpTable>,
    /// What is known of the sizes that the target takes. Absent: nothing.
    #[serde(default)]
    pub payload: Option<PayloadTable>,
    /// The mix of workflows; at least one.
    pub workflow: Spanned<Vec<Spanned<WorkflowTable>>>,
    /// What a workflow does when it is throttled. Absent: it ends.
    #[serde(default)]
    pub throttle: Option<ThrottleTable>,
    /// Limits on figures, as in `ok.rate >= 0.99`. Absent: exactly that one.
    #[serde(default)]
    pub thresholds: Option<Vec<Spanned<String>>>,
}

/// `[load]`.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct LoadTable {
    /// Partly open workload: workflows that arrive per second. Either this, or stages, or
    /// `concurrency`.
    #[serde(default)]
    pub rate_per_s: Option<Spanned<f64>>,
    /// Closed workload: workflows kept in flight. Either this or `rate_per_s`. A user whose workflow
    /// got no connection waits 0.1 s before the next one.
    #[serde(default)]
    pub concurrency: Option<Spanned<u32>>,
    /// How long workflows arrive, in seconds. Absent: as long as the stages.
    #[serde(default)]
    pub duration_s: Option<Spanned<f64>>,
    /// How arrivals are spread under the rate: `constant` (default) or `poisson`.
    #[serde(default)]
    pub arrivals: Option<Spanned<String>>,
    /// How many workflows arrive at one moment, as the calls that follow one step of reasoning. Absent:
    /// 1.
    #[serde(default)]
    pub burst: Option<Spanned<u32>>,
    /// What becomes of arrivals that the generator comes to late: `late` (default), they are started
    /// then, or `skip`, they are counted as not started.
    #[serde(default)]
    pub catch_up: Option<Spanned<String>>,
    /// With `skip`: how late an arrival may be started, in seconds. Absent: 0.1.
    #[serde(default)]
    pub skip_after_s: Option<Spanned<f64>>,
    /// Whether the clock is watched just before each arrival, at the cost of processor time. Absent:
    /// no.
    #[serde(default)]
    pub precise: Option<Spanned<bool>>,
    /// How long the load only warms up, in seconds from its start: these are kept apart from
    /// headline figures. Absent: what a rule finds in the result.
    #[serde(default)]
    pub warmup_s: Option<Spanned<f64>>,
    /// A rate that changes, instead of `rate_per_s` and `duration_s`.
    #[serde(default)]
    pub stage: Option<Spanned<Vec<Spanned<StageTable>>>>,
    /// How long workflows in flight may end after that, in seconds. Absent: 10.
    #[serde(default)]
    pub drain_s: Option<Spanned<f64>>,
    /// Longest time for one round's reply, in seconds. Absent: 30.
    #[serde(default)]
    pub timeout_s: Option<Spanned<f64>>,
    /// Most retries (rounds after round 0) of one workflow. Absent: 10, as in the official SDKs.
    #[serde(default)]
    pub round_cap: Option<Spanned<u16>>,
    /// Which replica gets a round: `random` (default), `next` or `sticky`.
    #[serde(default)]
    pub spread: Option<Spanned<String>>,
    /// Most connections at one time, over all replicas. Absent: 256.
    #[serde(default)]
    pub connections: Option<Spanned<u32>>,
    /// Most workflows in flight in a partly open workload; more are not started. Absent: 10 000.
    #[serde(default)]
    pub max_in_flight: Option<Spanned<u32>>,
    /// Threads that send. Absent: half the cores, at least 1, at most 4.
    #[serde(default)]
    pub threads: Option<Spanned<u32>>,
    /// Pause before a round that only echoes the state, in seconds. Absent: 0.25, as in the
    /// official TypeScript SDK.
    #[serde(default)]
    pub state_only_pause_s: Option<Spanned<f64>>,
}

impl Scenario {
    /// Reads the text of a scenario file.
    ///
    /// # Errors
    /// Names file, line, column, the offending line and, for an unknown key, the nearest valid one.
    pub fn parse(source: &Source) -> Result<Self, ScenarioError> {
        if source.text().trim().is_empty() {
            return Err(source.whole("the file is empty; a scenario has [load] and [[workflow]]"));
        }
        toml::from_str(source.text()).map_err(|error| source.toml(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let source = Source::new("x.toml", text);
        Scenario::parse(&source).unwrap_err().to_string()
    }

    const GOOD: &str = "[load]\nrate_per_s = 1\nduration_s = 1\n[[workflow]]\ntool = \"echo\"\n";

    #[test]
    fn a_small_file_is_enough() {
        Scenario::parse(&Source::new("x.toml", GOOD)).unwrap();
    }

    #[test]
    fn an_unknown_key_is_named_with_its_place_and_neighbour() {
        let text = GOOD.replace("rate_per_s", "rate_per_sec");
        assert_eq!(
            refused(&text),
            "x.toml:2:1: unknown key `rate_per_sec` in `rate_per_sec = 1`; the nearest valid key \
             is `rate_per_s`"
        );
        let text = format!("failuremode = 1\n{GOOD}");
        let error = refused(&text);
        assert!(
            error.starts_with("x.toml:1:1: unknown key `failuremode`"),
            "{error}"
        );
        assert!(error.contains("valid keys are"), "{error}");
        let text = GOOD.replace("tool = \"echo\"", "tool = \"echo\"\nwieght = 2");
        let error = refused(&text);
        assert!(error.starts_with("x.toml:6:1:"), "{error}");
        assert!(error.ends_with("`weight`"), "{error}");
    }

    #[test]
    fn misplaced_keys_and_single_brackets_are_explained() {
        let error = refused(&GOOD.replace("[[workflow]]", "thresholds = []\n[[workflow]]"));
        assert!(
            error.ends_with("it belongs above the first table"),
            "{error}"
        );
        let error = refused(&GOOD.replace("[[workflow]]", "[workflow]"));
        assert!(error.contains("as in [[workflow]]"), "{error}");
    }

    #[test]
    fn a_wrong_type_is_named_with_its_place() {
        let error = refused(&GOOD.replace("rate_per_s = 1", "rate_per_s = \"fast\""));
        assert_eq!(
            error,
            "x.toml:2:14: invalid type: string \"fast\", expected a number in `rate_per_s = \"fast\"`"
        );
    }

    #[test]
    fn a_long_line_is_shown_around_its_fault() {
        let long = "é".repeat(100_000);
        for text in [
            format!("{GOOD}name_ = \"{long}\" x"),
            format!("{GOOD}weight = \"{long}\""),
            format!("{GOOD}{long} = 1"),
            format!("{GOOD}nome{} = 1", "e".repeat(100_000)),
        ] {
            let error = refused(&text);
            assert!(error.chars().count() < 1500, "{}", error.len());
        }
        let error = refused(&format!("{GOOD}analysis = \"{long}\" x"));
        assert!(error.ends_with("éé\" x`"), "{error}");
    }

    #[test]
    fn missing_parts_and_broken_syntax_are_named() {
        assert!(refused("").contains("empty"), "{}", refused(""));
        let error = refused("[load]\nrate_per_s = 1\n[[workflow]]\nweight = 1\n[[load.stage]]\n");
        assert!(error.contains("missing field `rate_per_s`"), "{error}");
        let error = refused("[load\n");
        assert!(error.starts_with("x.toml:1:"), "{error}");
        assert!(!error.contains('\n'), "one line: {error}");
    }
}
