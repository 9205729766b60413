use std::collections::BTreeMap;

use loadgen_measure::{
    Environment, Look, PairsEnd, PairsFacts, PairsResult, Rule, ScenarioRecord, Side, SideFacts,
    SideKind, SideRun, Status, TURN, Tool, pair_order,
};
use loadgen_report::{Style, pairs_chart, pairs_markdown, pairs_summary};

const SEED: u64 = 3;

/// B takes 1.2 times as long, and everything goes well.
fn compared(turns: u64, look: Look) -> PairsResult {
    let side = |what: &str| SideFacts {
        kind: SideKind::Server,
        what: what.into(),
        scenario_sha256: None,
    };
    let facts = PairsFacts {
        tool: Tool {
            name: "loadgen".into(),
            version: "0.1.0".into(),
        },
        scenario: ScenarioRecord {
            name: "gate<&>".into(),
            text: String::new(),
            sha256: "00".repeat(32),
        },
        options: BTreeMap::new(),
        environment: Environment::default(),
        started_at: "2027-01-15T08:00:00Z".into(),
        a: side("old --port {port}"),
        b: side("new --port {port}"),
        rule: Rule {
            look,
            alpha: 0.05,
            min_change: 0.02,
        },
        pairs_asked: (look == Look::Once).then_some(2 * turns),
        max_time_s: (look == Look::AfterEachPair).then_some(300.0),
        ended: Some(match look {
            Look::Once => PairsEnd::Complete,
            Look::AfterEachPair => PairsEnd::Decided,
        }),
        elapsed_s: 61.0,
    };
    let mut runs = Vec::new();
    for turn in 0..turns {
        for (place, side) in (0..TURN).zip(pair_order(SEED, turn)) {
            let sway = 1.0 + 0.01 * (turn as f64 * 2.4 + f64::from(place)).sin();
            let slower = if side == Side::A { 1.0 } else { 1.2 };
            runs.push(SideRun {
                turn,
                place,
                side,
                seed: SEED,
                status: Some(Status::Good),
                succeeded: 10,
                reasons: Vec::new(),
                result: Some("turns/001-1a/result.json".into()),
                figures: BTreeMap::from([
                    ("workflow.p50_ms".to_owned(), 20.0 * slower * sway),
                    ("workflow.p99_ms".to_owned(), 60.0 * sway.powi(9)),
                    ("ok.rate".to_owned(), 1.0),
                ]),
            });
        }
    }
    let names = [
        "workflow.p50_ms",
        "workflow.p99_ms",
        "ok.rate",
        "waited.max_s",
    ];
    let metrics = names.map(|name| name.parse().expect("a figure"));
    PairsResult::new(facts, &metrics, runs)
}

#[test]
fn a_gate_says_what_it_found_and_what_it_could_not() {
    let text = pairs_summary(&compared(8, Look::AfterEachPair), true, Style::Plain);
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    insta::assert_snapshot!(text);
}

#[test]
fn its_comment_has_a_row_for_each_figure() {
    insta::assert_snapshot!(pairs_markdown(&compared(8, Look::Once), false));
}

#[test]
fn nothing_is_still_said() {
    let none = compared(0, Look::AfterEachPair);
    let text = pairs_summary(&none, true, Style::Plain);
    assert!(
        text.starts_with("UNDECIDED  gate<&>: no figure is in both"),
        "{text}"
    );
    assert!(text.contains("nothing to judge"), "{text}");
    assert!(pairs_markdown(&none, true).starts_with("**undecided** "));
    assert!(pairs_chart(&none).expect("nothing to draw").is_none());
}

#[test]
fn its_chart_has_each_figure_and_its_control() {
    let chart = pairs_chart(&compared(8, Look::AfterEachPair));
    let chart = chart.expect("it can be drawn").expect("there is something");
    assert_eq!(chart.name, "pairs");
    for said in [
        "workflow.p50_ms",
        "regressed, 1.197x",
        "one side against itself",
        "gate&lt;&amp;&gt;",
    ] {
        assert!(chart.svg.contains(said), "{said}");
    }
    assert!(!chart.svg.contains("NaN") && !chart.svg.contains("inf"));
}
