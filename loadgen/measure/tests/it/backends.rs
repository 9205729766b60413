use std::collections::BTreeMap;
use std::path::PathBuf;

use loadgen_measure::{
    BackendsFacts, BackendsResult, Contender, Environment, Figure, ScenarioRecord, Status, Tool,
    TurnRun, backends_schema,
};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

const NAMES: [&str; 4] = ["aws-lc-rs", "ring", "rustcrypto", "graviola"];

fn facts(contenders: usize, turns: u64) -> BackendsFacts {
    let contender = |name: &&str| Contender {
        algorithm: "aes-256-gcm".into(),
        backend: (*name).to_owned(),
        failed: None,
    };
    BackendsFacts {
        tool: Tool {
            name: "loadgen".into(),
            version: "0.1.0".into(),
        },
        scenario: ScenarioRecord {
            name: "small".into(),
            text: "[load]\n".into(),
            sha256: "00".repeat(32),
        },
        options: BTreeMap::new(),
        environment: Environment::read(),
        started_at: "2027-01-15T08:00:00Z".into(),
        contenders: NAMES[..contenders].iter().map(contender).collect(),
        turns_asked: Some(turns),
        interrupted: false,
        partial: false,
    }
}

/// Runs in which each contender's open and seal times are so many times the first's, and its service
/// times so many; times vary by 4 % and by 10 %, and what a turn does to all by 30 %.
fn runs(turns: u64, factors: &[(f64, f64)]) -> Vec<TurnRun> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
    let mut around = |share: f64| 1.0 + share * (random.random::<f64>() - 0.5);
    let mut runs = Vec::new();
    for turn in 0..turns {
        let weather = around(0.6);
        for (contender, (server, round)) in factors.iter().enumerate() {
            let server_ns = 4000.0 * weather * server * around(0.08);
            let round_ns = 300_000.0 * weather * round * around(0.2);
            runs.push(TurnRun {
                turn,
                contender,
                seed: turn,
                status: Status::Good,
                reasons: Vec::new(),
                result: format!("turns/{turn}-{contender}/result.json"),
                figures: BTreeMap::from([
                    (Figure::OpenP50, 0.4 * server_ns),
                    (Figure::SealP50, 0.6 * server_ns),
                    (Figure::OpenAndSealP50, server_ns),
                    (Figure::ServiceP50, round_ns),
                    (Figure::ServiceP99, 3.0 * round_ns),
                ]),
            });
        }
    }
    runs
}

fn compared(turns: u64, factors: &[(f64, f64)]) -> BackendsResult {
    BackendsResult::new(facts(factors.len(), turns), runs(turns, factors))
}

fn ranks(result: &BackendsResult, figure: Figure) -> Vec<Vec<usize>> {
    result.figure(figure).expect("the figure").ranks.clone()
}

#[test]
fn what_differs_is_ranked_and_what_does_not_is_not() {
    let result = compared(12, &[(1.0, 1.0), (0.8, 1.0), (3.0, 1.4), (1.0, 1.0)]);
    assert_eq!(
        ranks(&result, Figure::OpenAndSealP50),
        [vec![1], sorted(&result), vec![2]]
    );
    let rounds = ranks(&result, Figure::ServiceP50);
    assert_eq!(rounds.len(), 2, "{rounds:?}");
    assert_eq!(rounds[1], [2]);
    let [ring, rustcrypto, graviola] = &result.findings[..] else {
        panic!("{:?}", result.findings);
    };
    assert!(
        ring.starts_with("ring against aws-lc-rs: opening"),
        "{ring}"
    );
    assert!(ring.ends_with("is inside the noise"), "{ring}");
    assert!(
        rustcrypto.contains("and the whole round takes 1."),
        "{rustcrypto}"
    );
    let apart = "graviola and aws-lc-rs are not told apart: ";
    assert!(graviola.starts_with(apart), "{graviola}");
    let figure = result.figure(Figure::OpenAndSealP50).expect("the figure");
    let against = figure.contender(1).and_then(|one| one.against_base.clone());
    let against = against.expect("it is not the base");
    let (low, high) = against.interval_95.expect("enough turns");
    assert!(low < 0.8 && 0.8 < high && high < 0.85, "{low} {high}");
    assert!(
        figure
            .contender(0)
            .is_some_and(|base| base.against_base.is_none())
    );
}

/// The group of those that are the same, in the order of their medians.
fn sorted(result: &BackendsResult) -> Vec<usize> {
    let figure = result.figure(Figure::OpenAndSealP50).expect("the figure");
    let median = |contender| figure.contender(contender).map(|one| one.median_ns);
    match median(0) <= median(3) {
        true => vec![0, 3],
        false => vec![3, 0],
    }
}

#[test]
fn few_turns_rank_nothing() {
    let result = compared(7, &[(1.0, 1.0), (0.2, 0.5), (5.0, 2.0), (1.0, 1.0)]);
    for figure in &result.figures {
        assert_eq!(figure.ranks.len(), 1, "{figure:?}");
    }
    assert_eq!(
        result.findings,
        ["nothing is ranked: to tell 4 contenders apart takes at least 8 turns each"]
    );
    // Of two there is but one pair.
    let result = compared(6, &[(1.0, 1.0), (0.2, 0.5)]);
    assert_eq!(ranks(&result, Figure::OpenAndSealP50), [[1], [0]]);
}

#[test]
fn runs_that_the_generator_bound_count_for_nothing() {
    let mut bad = runs(8, &[(1.0, 1.0), (0.5, 1.0)]);
    for run in bad.iter_mut().filter(|run| run.contender == 1).take(7) {
        run.status = Status::Invalid;
        run.reasons = vec!["the load generator was the bottleneck".into()];
    }
    let result = BackendsResult::new(facts(2, 8), bad);
    assert_eq!((result.counted(0), result.counted(1)), (8, 1));
    assert_eq!(
        result.findings[0],
        "7 of 16 runs count for nothing, as that of ring in turn 1: the load generator was the \
         bottleneck"
    );
    assert!(result.findings[1].starts_with("nothing is ranked"));
    let figure = result.figure(Figure::ServiceP50).expect("the figure");
    assert_eq!(figure.contender(1).map(|one| one.turns), Some(1));
}

#[test]
fn what_failed_is_named_and_the_next_is_the_base() {
    let mut facts = facts(3, 8);
    facts.contenders[0].failed = Some("cannot start replica 0".into());
    let mut runs = runs(8, &[(1.0, 1.0), (1.0, 1.0), (2.0, 1.0)]);
    runs.retain(|run| run.contender > 0);
    let result = BackendsResult::new(facts, runs);
    assert_eq!(result.base, Some(1));
    assert_eq!(
        result.findings[0],
        "aws-lc-rs was left out: cannot start replica 0"
    );
    assert!(result.findings[1].starts_with("rustcrypto against ring: "));
    let nothing = BackendsResult::new(self::facts(2, 8), Vec::new());
    assert_eq!(nothing.base, None);
    assert!(nothing.figures.is_empty());
    assert_eq!(
        nothing.findings,
        ["no run counts, so there is nothing to compare"]
    );
}

fn committed() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("schema/backends-v1.schema.json")
}

/// To update the file: `UPDATE_SCHEMA=1 cargo test -p loadgen-measure schema`.
#[test]
fn the_committed_schema_of_a_comparison_is_current() {
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(committed(), backends_schema()).expect("the folder can be written");
    }
    let text = std::fs::read_to_string(committed()).expect("it is committed");
    assert!(text == backends_schema(), "run with UPDATE_SCHEMA=1");
    let schema: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let validator = jsonschema::validator_for(&schema).expect("it is a schema");
    let full = compared(8, &[(1.0, 1.0), (0.5, 1.0)]);
    for result in [full, BackendsResult::new(facts(2, 8), Vec::new())] {
        let json = serde_json::from_str(&result.to_json()).expect("it is JSON");
        let problems: Vec<String> = validator
            .iter_errors(&json)
            .map(|e| e.to_string())
            .collect();
        assert_eq!(problems, [""; 0]);
        let back: BackendsResult = serde_json::from_value(json).expect("it is a comparison");
        assert_eq!(back.to_json(), result.to_json());
    }
}
