use std::collections::BTreeMap;

use loadgen_measure::{
    BackendsFacts, BackendsResult, Contender, Environment, Figure, ScenarioRecord, Status, Tool,
    TurnRun,
};
use loadgen_report::{Style, backends_chart, backends_summary};

/// Times the first one's, in what the server says and in whole rounds.
const FACTORS: [(&str, f64, f64); 4] = [
    ("aws-lc-rs", 1.0, 1.0),
    ("ring", 0.8, 1.0),
    ("rustcrypto", 2.5, 1.3),
    ("graviola", 1.0, 1.0),
];

fn compared(turns: u64) -> BackendsResult {
    let facts = BackendsFacts {
        tool: Tool {
            name: "loadgen".into(),
            version: "0.1.0".into(),
        },
        scenario: ScenarioRecord {
            name: "aead<cost>".into(),
            text: String::new(),
            sha256: "00".repeat(32),
        },
        options: BTreeMap::new(),
        environment: Environment {
            fingerprint: "Example 3000; 2 cores; x86_64; 8 GiB; Linux 6.12".into(),
            ..Environment::default()
        },
        started_at: "2027-01-15T08:00:00Z".into(),
        contenders: FACTORS
            .iter()
            .map(|(backend, ..)| Contender {
                algorithm: "xaes-256-gcm".into(),
                backend: (*backend).to_owned(),
                failed: None,
            })
            .collect(),
        turns_asked: Some(turns),
        interrupted: false,
        partial: false,
    };
    let mut runs = Vec::new();
    for turn in 0..turns {
        for (contender, (_, server, round)) in FACTORS.iter().enumerate() {
            // Goes up and down, out of step between contenders.
            let sway = (turn as f64 * 2.4 + contender as f64 * 2.0).sin();
            let server_ns = 4000.0 * server * (1.0 + 0.02 * sway);
            let round_ns = 300_000.0 * round * (1.0 + 0.05 * sway);
            runs.push(TurnRun {
                turn,
                contender,
                seed: turn,
                status: Status::Good,
                reasons: Vec::new(),
                result: "turns/1/result.json".into(),
                figures: BTreeMap::from([
                    (Figure::OpenP50, 0.4 * server_ns),
                    (Figure::SealP50, 0.6 * server_ns),
                    (Figure::OpenAndSealP50, server_ns),
                    (Figure::ServiceP50, round_ns),
                    (Figure::ServiceP99, 3.0 * round_ns),
                    (Figure::CpuPerWorkflow, 2.0 * round_ns),
                ]),
            });
        }
    }
    BackendsResult::new(facts, runs)
}

#[test]
fn a_comparison_says_what_it_can_and_what_it_cannot() {
    let text = backends_summary(&compared(12), Style::Plain);
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    insta::assert_snapshot!(text);
}

#[test]
fn too_few_turns_have_no_order() {
    let text = backends_summary(&compared(2), Style::Plain);
    assert!(text.contains("nothing is ranked"), "{text}");
    assert!(text.contains("service p50: not ranked"), "{text}");
    assert!(!text.contains(", then "), "{text}");
}

#[test]
fn the_chart_has_a_dot_and_an_interval_for_each() {
    let chart = backends_chart(&compared(12)).expect("it can be drawn");
    let chart = chart.expect("there is something to draw");
    let svg = &chart.svg;
    assert_eq!(chart.name, "backends");
    assert!(
        svg.contains("<title id=\"title\">aead&lt;cost&gt;: backends against the base</title>")
    );
    assert!(svg.contains("<desc id=\"desc\">ring: open + seal p50"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    let shown = |text: &str| svg.lines().filter(|line| line.trim() == text).count();
    for name in ["ring", "rustcrypto", "graviola"] {
        assert_eq!(shown(name), 1, "{name}");
    }
    assert_eq!(shown("aws-lc-rs"), 0, "the base is the line at 1");
    assert_eq!(svg.matches("<circle").count(), 3);
    // An interval is a line with two caps: nine of them.
    assert!(svg.matches("stroke-width=\"2\"").count() >= 27);
}

#[test]
fn one_alone_has_no_chart() {
    let mut alone = compared(8);
    alone.runs.retain(|run| run.contender == 0);
    let alone = BackendsResult::new(alone.facts, alone.runs);
    assert!(backends_chart(&alone).expect("nothing to draw").is_none());
    let text = backends_summary(&alone, Style::Plain);
    assert!(text.contains("only aws-lc-rs ran"), "{text}");
}
