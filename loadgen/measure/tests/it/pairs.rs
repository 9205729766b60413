use std::collections::BTreeMap;
use std::path::PathBuf;

use loadgen_measure::{
    Environment, Judgement, Look, Metric, PairsEnd, PairsFacts, PairsResult, Rule, ScenarioRecord,
    Side, SideFacts, SideKind, SideRun, Status, TURN, Tool, pair_order, pairs_schema,
};

const SEED: u64 = 3;

fn metrics() -> Vec<Metric> {
    let names = [
        "workflow.p50_ms",
        "throughput_per_s",
        "open_and_seal.mean_us",
    ];
    names.map(|name| name.parse().expect("a figure")).to_vec()
}

fn facts(look: Look, pairs_asked: Option<u64>) -> PairsFacts {
    let side = |what: &str| SideFacts {
        kind: SideKind::Fleet,
        what: what.into(),
        scenario_sha256: None,
    };
    PairsFacts {
        tool: Tool {
            name: "loadgen".into(),
            version: "0.1.0".into(),
        },
        scenario: ScenarioRecord {
            name: "s".into(),
            text: String::new(),
            sha256: "00".repeat(32),
        },
        options: BTreeMap::new(),
        environment: Environment::default(),
        started_at: "2027-01-15T08:00:00Z".into(),
        a: side("ring"),
        b: side("graviola"),
        rule: Rule {
            look,
            alpha: 0.05,
            min_change: 0.02,
        },
        pairs_asked,
        max_time_s: Some(600.0),
        ended: Some(PairsEnd::Complete),
        elapsed_s: 60.0,
    }
}

/// Turns in which b takes so many times as long as a and does so many times as much, while the machine
/// gets slower by a tenth from run to run.
fn runs(turns: u64, slower: f64, more: f64) -> Vec<SideRun> {
    let mut runs = Vec::new();
    for turn in 0..turns {
        for (place, side) in (0..TURN).zip(pair_order(SEED, turn)) {
            let drift = 1.1_f64.powi(i32::from(place));
            let (time, work) = match side {
                Side::A => (1.0, 1.0),
                Side::B => (slower, more),
            };
            runs.push(SideRun {
                turn,
                place,
                side,
                seed: SEED,
                status: Some(Status::Good),
                succeeded: 10,
                reasons: Vec::new(),
                result: Some(format!("turns/{turn}-{place}/result.json")),
                figures: BTreeMap::from([
                    ("workflow.p50_ms".to_owned(), 20.0 * time * drift),
                    ("throughput_per_s".to_owned(), 50.0 * work),
                ]),
            });
        }
    }
    runs
}

fn judged(runs: Vec<SideRun>) -> PairsResult {
    PairsResult::new(facts(Look::AfterEachPair, None), &metrics(), runs)
}

fn word(result: &PairsResult, name: &str) -> Judgement {
    result.figure(name).expect("it is judged").judgement
}

#[test]
fn a_side_that_is_worse_is_told_from_one_that_is_better() {
    let worse = judged(runs(20, 1.5, 0.5));
    assert_eq!(word(&worse, "workflow.p50_ms"), Judgement::Regressed);
    assert_eq!(word(&worse, "throughput_per_s"), Judgement::Regressed);
    assert_eq!(worse.judgement, Judgement::Regressed);
    assert_eq!(worse.not_there, ["open_and_seal.mean_us"]);
    let better = judged(runs(20, 0.5, 1.5));
    assert_eq!(word(&better, "workflow.p50_ms"), Judgement::Improved);
    assert_eq!(word(&better, "throughput_per_s"), Judgement::Improved);
    let figure = worse.figure("workflow.p50_ms").expect("it is judged");
    // 2 figures: 10 pairs on one side.
    assert_eq!(figure.decided_after, Some(10));
    assert_eq!((figure.pairs, figure.ties, figure.without), (40, 0, 0));
    let change = figure.change.as_ref().expect("there are pairs");
    assert!(
        (1.5 / 1.11..1.5 * 1.11).contains(&change.ratio),
        "{change:?}"
    );
    // The control meets the drift alone, once one way and once the other.
    let control = figure.control.change.as_ref().expect("there are turns");
    assert_eq!(control.log_ratios.len(), 20);
    let step = 1.1_f64.ln();
    assert!(
        control
            .log_ratios
            .iter()
            .all(|log| (log.abs() - step).abs() < 1e-9)
    );
    assert!(control.log_ratios.iter().any(|log| *log > 0.0));
    assert!(control.log_ratios.iter().any(|log| *log < 0.0));
}

#[test]
fn drift_alone_is_no_change() {
    let same = judged(runs(30, 1.0, 1.0));
    assert_eq!(word(&same, "workflow.p50_ms"), Judgement::Undecided);
    let throughput = same.figure("throughput_per_s").expect("it is judged");
    assert_eq!(throughput.ties, 60);
    assert_eq!(throughput.judgement, Judgement::Equal);
    assert_eq!(same.judgement, Judgement::Undecided);
    let told = same.findings.join("\n");
    assert!(
        told.contains("throughput_per_s: equal within 2.000 %"),
        "{told}"
    );
    assert!(told.contains("workflow.p50_ms: undecided"), "{told}");
}

#[test]
fn what_is_settled_is_what_the_result_says() {
    let facts = facts(Look::AfterEachPair, None);
    let runs = runs(20, 1.5, 0.5);
    let at = |count: usize| PairsResult::settled(&facts, &metrics(), &runs[..count]);
    // Half a pair more changes nothing.
    assert_eq!([at(0), at(1), at(19), at(20)], [false, false, false, true]);
}

#[test]
fn runs_that_do_not_count_are_left_out_and_told() {
    let mut bad = runs(4, 1.5, 0.5);
    bad[2].status = Some(Status::Invalid);
    bad[2].reasons = vec!["the generator was late".into()];
    bad[5].succeeded = 0;
    let at = (2, 3, bad[11].side);
    bad[11] = SideRun::failed(at, SEED, "it did not start".into());
    assert!(!PairsResult::too_many_left_out(&bad), "3 of 8");
    let result = judged(bad.clone());
    assert_eq!((result.pairs, result.left_out), (5, 3));
    let told = &result.findings[0];
    assert!(told.starts_with("3 of 16 runs count for nothing"), "{told}");
    assert!(told.contains("the generator was late"), "{told}");
    let figure = result.figure("workflow.p50_ms").expect("it is judged");
    assert_eq!(figure.pairs, 5);
    // Controls: of turn 0 and 1 one of the two does not count.
    let control = figure.control.change.as_ref().expect("there are some");
    assert_eq!(control.log_ratios.len(), 2);
    bad[15].status = Some(Status::Interrupted);
    assert!(PairsResult::too_many_left_out(&bad), "4 of 8");
    let none = judged(Vec::new());
    assert_eq!(none.judgement, Judgement::Undecided);
    assert!(none.findings[0].contains("nothing to judge"));
}

#[test]
fn a_control_that_is_not_equal_to_itself_takes_the_word_away() {
    let mut runs = runs(20, 1.5, 1.0);
    // The coin that turns the control is fair; here the machine follows it.
    let before = judged(runs.clone());
    let logs = |result: &PairsResult| {
        let figure = result.figure("workflow.p50_ms").expect("it is judged");
        let control = figure.control.change.as_ref().expect("there are turns");
        control.log_ratios.clone()
    };
    for (turn, log) in logs(&before).into_iter().enumerate() {
        if log < 0.0 {
            let middle = &mut runs[4 * turn + 1..4 * turn + 3];
            for (run, value) in middle.iter_mut().zip([22.0 * 1.21, 22.0]) {
                let time = if run.side == Side::A { 1.0 } else { 1.5 };
                run.figures.insert("workflow.p50_ms".into(), value * time);
            }
        }
    }
    let after = judged(runs);
    assert!(logs(&after).iter().all(|log| *log > 0.0));
    let figure = after.figure("workflow.p50_ms").expect("it is judged");
    assert!(figure.withheld);
    assert_eq!(figure.control.judgement, Judgement::Regressed);
    assert_eq!(figure.judgement, Judgement::Undecided);
    let told = after.findings.join("\n");
    assert!(
        told.contains("no judgement, since one side against itself"),
        "{told}"
    );
}

#[test]
fn one_look_comes_when_all_pairs_are_there() {
    let once = |turns| {
        let facts = facts(Look::Once, Some(20));
        PairsResult::new(facts, &metrics(), runs(turns, 1.5, 1.0))
    };
    let early = once(9);
    assert_eq!(early.judgement, Judgement::Undecided);
    assert!(early.figures.iter().all(|figure| figure.evidence.is_none()));
    let told = early.findings.join("\n");
    assert!(
        told.contains("the one look is at 20 pairs, and 18 are there"),
        "{told}"
    );
    let whole = once(10);
    assert_eq!(word(&whole, "workflow.p50_ms"), Judgement::Regressed);
    assert_eq!(word(&whole, "throughput_per_s"), Judgement::Equal);
}

#[test]
fn figures_that_are_nought_or_none_have_no_ratio() {
    let mut runs = runs(8, 1.5, 1.0);
    for (run, value) in runs[4..8]
        .iter_mut()
        .zip([0.0, -1.0, f64::NAN, f64::INFINITY])
    {
        run.figures.insert("workflow.p50_ms".into(), value);
    }
    let figure = judged(runs);
    let figure = figure.figure("workflow.p50_ms").expect("it is judged");
    assert_eq!((figure.pairs, figure.without), (14, 2));
}

fn committed() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("schema/pairs-v1.schema.json")
}

/// To update the file: `UPDATE_SCHEMA=1 cargo test -p loadgen-measure schema`.
#[test]
fn the_committed_schema_of_pairs_is_current() {
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(committed(), pairs_schema()).expect("it can be written");
    }
    let text = std::fs::read_to_string(committed()).expect("it is there");
    assert!(text == pairs_schema(), "update it with UPDATE_SCHEMA=1");
}

#[test]
fn pairs_of_every_kind_are_valid() {
    let text = pairs_schema();
    let schema: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let validator = jsonschema::validator_for(&schema).expect("it is a schema");
    for runs in [Vec::new(), runs(1, 1.5, 1.0), runs(12, 1.5, 1.0)] {
        let result = judged(runs);
        let read: PairsResult = serde_json::from_str(&result.to_json()).expect("it is whole");
        assert_eq!(read.figures.len(), result.figures.len());
        let mut json = serde_json::to_value(&result).expect("it is JSON");
        assert!(validator.is_valid(&json), "{json}");
        json["judgement"] = "fine".into();
        assert!(!validator.is_valid(&json));
    }
}
