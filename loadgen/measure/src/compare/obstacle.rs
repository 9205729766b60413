use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Outcome, RunResult, Status};

/// Why two results ought not to be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Obstacle {
    /// Which kind, for machines.
    pub code: ObstacleCode,
    /// What differs, or is wrong with which of them, in a few words.
    pub sentence: String,
}

/// Kinds of obstacles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ObstacleCode {
    /// The scenarios' texts differ.
    Scenario,
    /// The seeds differ.
    Seed,
    /// Options of the runs differ.
    Options,
    /// The numbers of targets differ.
    Targets,
    /// The classes of machine differ.
    Machine,
    /// One is a checkpoint.
    Partial,
    /// One was interrupted.
    Interrupted,
    /// One is invalid, as when the load generator was the bottleneck.
    Invalid,
    /// One ended in its warm-up.
    WarmupOnly,
    /// Nothing ended well in either.
    NoSuccess,
}

/// Options whose values are the thing that is compared, or stand elsewhere in the result: addresses of
/// targets, and the seed.
const APART: [&str; 2] = ["target", "seed"];

/// Everything that stands between two results.
pub(super) fn obstacles(a: &RunResult, b: &RunResult) -> Vec<Obstacle> {
    let mut found = Vec::new();
    let mut say = |code, sentence: String| found.push(Obstacle { code, sentence });
    if a.scenario.sha256 != b.scenario.sha256 {
        say(ObstacleCode::Scenario, scenarios(a, b));
    }
    if a.seed != b.seed {
        let sentence = format!("the seeds differ: {} and {}", a.seed, b.seed);
        say(ObstacleCode::Seed, sentence);
    }
    for name in options(a, b) {
        let value = |result: &RunResult| match result.options.get(name) {
            Some(value) => value.to_string(),
            None => "not given".to_owned(),
        };
        let sentence = format!("the option `{name}` differs: {} and {}", value(a), value(b));
        say(ObstacleCode::Options, sentence);
    }
    if a.targets.len() != b.targets.len() {
        let (a, b) = (a.targets.len(), b.targets.len());
        let sentence = format!("the numbers of targets differ: {a} and {b}");
        say(ObstacleCode::Targets, sentence);
    }
    if a.environment.fingerprint != b.environment.fingerprint {
        let (a, b) = (&a.environment.fingerprint, &b.environment.fingerprint);
        let sentence = format!("the machines differ: `{a}` and `{b}`");
        say(ObstacleCode::Machine, sentence);
    }
    for (name, result) in [("A", a), ("B", b)] {
        let verdict = &result.verdict;
        if result.partial {
            let sentence = format!("{name} is a checkpoint of a run that had not ended");
            say(ObstacleCode::Partial, sentence);
        }
        if result.interrupted {
            let sentence = format!("{name} was interrupted");
            say(ObstacleCode::Interrupted, sentence);
        } else if verdict.status == Status::Invalid {
            let why = verdict.reasons.first().map_or("see its verdict", |why| why);
            say(ObstacleCode::Invalid, format!("{name} is invalid: {why}"));
        }
        if result.warmup_only {
            let sentence = format!("{name} ended in its warm-up");
            say(ObstacleCode::WarmupOnly, sentence);
        }
    }
    if [a, b].iter().all(|result| ok(result) == 0) {
        let sentence = "no workflow ended well in either".to_owned();
        say(ObstacleCode::NoSuccess, sentence);
    }
    found
}

/// Workflows that ended well, over the headline phases.
pub(super) fn ok(result: &RunResult) -> u64 {
    let ok = result.all.workflows.get(&Outcome::Ok);
    ok.map_or(0, |figures| figures.count)
}

/// How the scenarios differ: the first line that does, where their texts say it.
fn scenarios(a: &RunResult, b: &RunResult) -> String {
    let (one, other) = (&a.scenario, &b.scenario);
    let mut lines = (1..).zip(longest(&one.text, &other.text));
    let first = lines.find(|(_, (one, other))| one != other);
    match first {
        Some((number, (one, other))) => format!(
            "the scenarios differ, first in line {number}: {} and {}",
            shown(one),
            shown(other)
        ),
        None => format!(
            "the scenarios differ: {} (SHA-256 {}) and {} (SHA-256 {})",
            one.name, one.sha256, other.name, other.sha256
        ),
    }
}

/// Lines of both, `None` where one has ended.
fn longest<'a>(
    one: &'a str,
    other: &'a str,
) -> impl Iterator<Item = (Option<&'a str>, Option<&'a str>)> {
    let (mut one, mut other) = (one.lines(), other.lines());
    std::iter::from_fn(move || match (one.next(), other.next()) {
        (None, None) => None,
        both => Some(both),
    })
}

/// A line of a scenario, not more of it than a message takes.
fn shown(line: Option<&str>) -> String {
    const MOST: usize = 60;
    let Some(line) = line.map(str::trim) else {
        return "no such line".to_owned();
    };
    let cut = line.chars().nth(MOST).is_some();
    let line: String = line.chars().take(MOST).collect();
    format!("`{line}{}`", if cut { "..." } else { "" })
}

/// Names of options that differ.
fn options<'a>(a: &'a RunResult, b: &'a RunResult) -> BTreeSet<&'a str> {
    let names = a.options.keys().chain(b.options.keys());
    let names = names.filter(|name| a.options.get(*name) != b.options.get(*name));
    names
        .map(String::as_str)
        .filter(|name| !APART.contains(name))
        .collect()
}
