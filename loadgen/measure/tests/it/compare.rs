//! Stored results side by side.

use std::path::{Path, PathBuf};
use std::time::Duration;

use loadgen_measure::{
    ComparedFigure, FigureChange, Judgement, ObstacleCode, Outcome, Part, Recorder, RoundSample,
    RunComparison, RunFacts, RunResult, SCHEMA_VERSION, ServerTiming, Status, Tool, WorkflowSample,
    comparison_schema,
};
use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::Value;

use crate::fixture::{MS, facts, json, shape};

const SECONDS: u32 = 60;
const PER_S: u32 = 100;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

fn load(name: &str) -> RunResult {
    RunResult::load(&golden(name)).expect("it is committed")
}

fn compare(a: &RunResult, b: &RunResult) -> RunComparison {
    let tool = Tool {
        name: "loadgen".into(),
        version: "0.1.0".into(),
    };
    let comparison = RunComparison::new(tool, ("a", a), ("b", b), 0.1);
    check(&comparison);
    comparison
}

/// Nothing in it is no number, and the schema holds.
fn check(comparison: &RunComparison) {
    for (_, figure) in comparison.figures() {
        let change = &figure.change;
        let intervals = [change.interval, change.interval_95].into_iter().flatten();
        let ends = intervals.flat_map(|(low, high)| {
            assert!(low <= high, "{figure:?}");
            [low, high]
        });
        let values = [change.a, change.b, change.ratio].into_iter().flatten();
        for value in values.chain(ends) {
            assert!(value.is_finite() && value >= 0.0, "{figure:?}");
        }
    }
    let back: RunComparison = serde_json::from_str(&comparison.to_json()).expect("its own JSON");
    assert_eq!(&back, comparison);
}

fn figure(comparison: &RunComparison, of: Part, figure: ComparedFigure) -> &FigureChange {
    let mut all = comparison.figures();
    let found =
        all.find(|(group, one)| group.kind.is_none() && group.of == of && one.figure == figure);
    found.expect("the figure is there").1
}

fn judgement(comparison: &RunComparison, of: Part, which: ComparedFigure) -> Option<Judgement> {
    figure(comparison, of, which).change.judgement
}

fn codes(comparison: &RunComparison) -> Vec<ObstacleCode> {
    comparison.obstacles.iter().map(|one| one.code).collect()
}

/// A minute of workflows of two rounds: the second takes `slower` times as long, and of 1000 workflows
/// `failing` fail in it.
fn minute(seed: u32, slower: f64, failing: u32, per_s: u32) -> RunResult {
    let mut recorder = Recorder::new(&shape());
    let mut planned = 0;
    for id in 0..SECONDS * per_s {
        planned += 1;
        let due = Duration::from_secs(1) / per_s * id;
        recorder.started(1, due);
        let fails = (id * 7919) % 1000 < failing;
        let mut at = due;
        for round in 0..2_u16 {
            // Between 1 and 2 ms, other ones for each seed.
            let noise = ((id + seed) * 2_654_435_769_u32.wrapping_shr(16)) % 1000;
            let time = MS + MS / 1000 * noise;
            let time = if round == 1 {
                time.mul_f64(slower)
            } else {
                time
            };
            let outcome = match fails && round == 1 {
                true => Outcome::ToolError,
                false => Outcome::Ok,
            };
            recorder.round(&RoundSample {
                kind: 1,
                round,
                outcome,
                attempts: 1,
                intended: at,
                ready: at,
                first_sent: Some(at),
                sent: Some(at),
                done: at + time,
                replica: 0,
                minted_by: (round > 0).then_some(0),
                request_bytes: 400,
                response_bytes: Some(600),
                state_sent_bytes: (round > 0).then_some(120),
                state_received_bytes: (round == 0).then_some(120),
                server: ServerTiming::default(),
                reused_connection: true,
            });
            at += time;
        }
        recorder.workflow(&WorkflowSample {
            kind: 1,
            outcome: if fails {
                Outcome::ToolError
            } else {
                Outcome::Ok
            },
            rounds: 2,
            intended: due,
            started: due,
            done: at,
            think: Duration::ZERO,
        });
    }
    let mut facts: RunFacts = facts(planned);
    let start = std::time::SystemTime::UNIX_EPOCH;
    let length = Duration::from_secs(u64::from(SECONDS));
    facts.clock = loadgen_measure::RunClock::new(start, start + length, length, length);
    facts.thresholds.clear();
    RunResult::new(facts, &recorder)
}

#[test]
fn golden_results_of_every_version_load_and_compare() {
    for version in 1..=SCHEMA_VERSION {
        let names = ["a", "b"].map(|side| format!("result-v{version}-{side}.json"));
        let [a, b] = names.map(|name| load(&name));
        let comparison = compare(&a, &b);
        assert_eq!(comparison.obstacles, []);
        assert!(comparison.judged > 5, "{}", comparison.to_json());
        let same = compare(&a, &a);
        assert!(
            same.notes
                .iter()
                .any(|note| note == "A and B are the same run")
        );
        let ratios = same.figures().filter_map(|(_, figure)| figure.change.ratio);
        assert!(ratios.into_iter().all(|ratio| ratio == 1.0));
        let worse = same
            .figures()
            .filter_map(|(_, figure)| figure.change.judgement);
        assert!(
            worse
                .into_iter()
                .all(|j| matches!(j, Judgement::Equal | Judgement::Undecided))
        );
    }
}

#[test]
fn a_slower_round_is_found_and_the_other_is_not() {
    let (a, b) = (minute(1, 1.0, 0, PER_S), minute(2, 1.3, 0, PER_S));
    let comparison = compare(&a, &b);
    assert_eq!(comparison.judgement, Judgement::Regressed);
    let p50 = |of| judgement(&comparison, of, ComparedFigure::ResponseP50);
    assert_eq!(p50(Part::Round(1)), Some(Judgement::Regressed));
    assert_eq!(p50(Part::Round(0)), Some(Judgement::Equal));
    let service = figure(&comparison, Part::Round(1), ComparedFigure::ServiceP50);
    assert_eq!(service.change.judgement, None, "it has no interval");
    assert!(service.change.ratio.unwrap() > 1.2);
    assert_eq!(
        judgement(&comparison, Part::Run, ComparedFigure::Throughput),
        Some(Judgement::Equal)
    );
    let back = compare(&b, &a);
    assert_eq!(
        judgement(&back, Part::Round(1), ComparedFigure::ResponseP50),
        Some(Judgement::Improved)
    );
}

#[test]
fn failures_are_judged_also_where_one_side_has_none() {
    let (none, some) = (minute(1, 1.0, 0, PER_S), minute(2, 1.0, 30, PER_S));
    let failed = |a, b| {
        let comparison = compare(a, b);
        let failed = figure(&comparison, Part::Run, ComparedFigure::FailedWorkflows);
        assert_eq!(failed.change.ratio, None, "of 0 there is none");
        failed.change.judgement
    };
    assert_eq!(failed(&none, &some), Some(Judgement::Regressed));
    assert_eq!(failed(&some, &none), Some(Judgement::Improved));
    assert_eq!(failed(&none, &none), None);
}

#[test]
fn without_a_success_on_one_side_it_regressed_and_without_any_nothing_is_said() {
    let (good, bad) = (minute(1, 1.0, 0, PER_S), minute(2, 1.0, 1000, PER_S));
    let comparison = compare(&good, &bad);
    assert_eq!(comparison.judgement, Judgement::Regressed);
    let throughput = figure(&comparison, Part::Run, ComparedFigure::Throughput);
    assert_eq!(throughput.change.judgement, Some(Judgement::Regressed));
    assert_eq!(
        (throughput.change.b, throughput.change.ratio),
        (Some(0.0), None)
    );
    let workflows = figure(&comparison, Part::Workflow, ComparedFigure::ResponseP50);
    assert_eq!(
        (workflows.change.b, workflows.change.judgement),
        (None, None)
    );
    assert_eq!(codes(&compare(&bad, &bad)), [ObstacleCode::NoSuccess]);
}

#[test]
fn a_closed_load_that_does_less_regressed() {
    let (a, b) = (minute(1, 1.0, 0, PER_S), minute(2, 1.0, 0, PER_S * 3 / 4));
    let comparison = compare(&a, &b);
    assert_eq!(
        judgement(&comparison, Part::Run, ComparedFigure::Throughput),
        Some(Judgement::Regressed)
    );
}

/// The same result with other counts: in each second 50 workflows end, of which a share fails that keeps
/// for three seconds, 0.2 or 1.8 times 2 %; and with so many rounds that ended well in each second.
fn redrawn(result: &RunResult, seed: u64) -> RunResult {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut result = result.clone();
    let (mut failed, mut ended, mut share) = (0, 0, 0.0);
    let seconds = result.seconds.iter_mut().take(SECONDS as usize);
    for (number, second) in seconds.enumerate() {
        if number % 3 == 0 {
            share = if random.random() { 0.004 } else { 0.036 };
        }
        second.failed = (0..50).map(|_| u64::from(random.random_bool(share))).sum();
        second.ok = random.random_range(40..=60) - second.failed;
        second.done = second.ok + second.failed;
        failed += second.failed;
        ended += second.done;
    }
    let workflows = &mut result.all.workflows;
    workflows.entry(Outcome::Ok).or_default().count = ended - failed;
    workflows.entry(Outcome::ToolError).or_default().count = failed;
    result.load.throughput_per_s = Some((ended - failed) as f64 / f64::from(SECONDS));
    result
}

#[test]
fn intervals_of_rates_hold_the_truth_and_nothing_is_called() {
    let result = minute(1, 1.0, 0, 50);
    let (mut failures, mut throughput, mut called) = (0, 0, 0);
    for seed in 0..200 {
        let (a, b) = (redrawn(&result, 2 * seed), redrawn(&result, 2 * seed + 1));
        let comparison = compare(&a, &b);
        let held = |which| {
            let change = &figure(&comparison, Part::Run, which).change;
            let (low, high) = change.interval_95.expect("60 s carry one");
            u32::from(low <= 1.0 && 1.0 <= high)
        };
        failures += held(ComparedFigure::FailedWorkflows);
        throughput += held(ComparedFigure::Throughput);
        called += u32::from(comparison.judgement == Judgement::Regressed);
    }
    // 190 are promised; blocks of so few seconds see a little less than all of the spread.
    assert!(failures >= 174, "{failures} of 200");
    assert!(throughput >= 178, "{throughput} of 200");
    // Half of 5 %, and three sigma.
    assert!(called <= 12, "{called} of 200");
}

#[test]
fn what_ought_not_to_be_compared_is_named() {
    let a = load("result-v1-a.json");
    type Case = (ObstacleCode, &'static str, fn(&mut RunResult));
    let cases: [Case; 8] = [
        (
            ObstacleCode::Scenario,
            "first in line 8: `rate_per_s = 20` and `rate_per_s = 30`",
            |b| {
                b.scenario.text = b
                    .scenario
                    .text
                    .replace("rate_per_s = 20", "rate_per_s = 30");
                b.scenario.sha256 = "11".repeat(32);
            },
        ),
        (ObstacleCode::Seed, "the seeds differ: 3 and 4", |b| {
            b.seed = 4;
        }),
        (
            ObstacleCode::Options,
            "the option `insecure` differs: not given and true",
            |b| {
                b.options.insert("insecure".into(), true.into());
            },
        ),
        (
            ObstacleCode::Targets,
            "the numbers of targets differ: 0 and 1",
            |b| {
                b.targets.push("http://127.0.0.1:1/mcp".into());
            },
        ),
        (ObstacleCode::Machine, "and `other`", |b| {
            b.environment.fingerprint = "other".into();
        }),
        (ObstacleCode::Partial, "B is a checkpoint", |b| {
            b.partial = true;
        }),
        (ObstacleCode::Interrupted, "B was interrupted", |b| {
            b.interrupted = true;
            b.verdict.status = Status::Interrupted;
        }),
        (ObstacleCode::Invalid, "B is invalid: too busy", |b| {
            b.verdict.status = Status::Invalid;
            b.verdict.reasons = vec!["too busy".into()];
        }),
    ];
    for (code, words, spoil) in cases {
        let mut b = a.clone();
        spoil(&mut b);
        let comparison = compare(&a, &b);
        assert_eq!(codes(&comparison), [code]);
        let sentence = &comparison.obstacles[0].sentence;
        assert!(sentence.contains(words), "{sentence}");
    }
    let mut b = a.clone();
    b.targets.clear();
    b.options.insert("seed".into(), 3.into());
    assert_eq!(codes(&compare(&a, &b)), []);
}

/// The places of all numbers, but for those of all seconds after the second one.
fn numbers(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(at.to_owned()),
        Value::Array(list) => {
            let most = if at == "/seconds" { 2 } else { list.len() };
            for (index, value) in list.iter().take(most).enumerate() {
                numbers(value, &format!("{at}/{index}"), found);
            }
        }
        Value::Object(map) => {
            for (key, value) in map {
                numbers(value, &format!("{at}/{key}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn any_number_may_be_missing_or_absurd() {
    let good = load("result-v1-a.json");
    let text: Value = serde_json::from_str(&json(&good)).unwrap();
    let mut places = Vec::new();
    numbers(&text, "", &mut places);
    assert!(places.len() > 500, "{}", places.len());
    let mut compared = 0;
    let absurd = [
        Value::Null,
        0.into(),
        u64::MAX.into(),
        (-1).into(),
        1e308.into(),
    ];
    for (nth, place) in places.iter().enumerate() {
        let mut spoilt = text.clone();
        let value = spoilt.pointer_mut(place).unwrap();
        *value = absurd[nth % absurd.len()].clone();
        // What the format does not allow is refused when it is read.
        if let Ok(bad) = serde_json::from_value::<RunResult>(spoilt) {
            compare(&good, &bad);
            compare(&bad, &good);
            compared += 1;
        }
    }
    assert!(compared > 200, "{compared}");
}

/// To update the file: `UPDATE_SCHEMA=1 cargo test -p loadgen-measure schema`.
#[test]
fn the_committed_schema_of_comparisons_is_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/compare-v1.schema.json");
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&file, comparison_schema()).unwrap();
    }
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        text == comparison_schema(),
        "schema/compare-v1.schema.json is out of date"
    );
    let schema: Value = serde_json::from_str(&text).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let comparison = compare(&load("result-v1-a.json"), &load("result-v1-b.json"));
    let mut json: Value = serde_json::from_str(&comparison.to_json()).expect("its own JSON");
    let problems: Vec<String> = validator
        .iter_errors(&json)
        .map(|e| e.to_string())
        .collect();
    assert_eq!(problems, [""; 0]);
    json["judgement"] = "fine".into();
    assert!(!validator.is_valid(&json));
}
