use std::path::Path;

use loadgen_measure::{RunComparison, RunResult, Tool};
use loadgen_report::{Style, comparison_markdown, comparison_summary};

/// Two runs of one scenario; B's states have become larger and its second round slower.
fn compared() -> RunComparison {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../measure/tests/golden");
    let load = |name: &str| RunResult::load(&golden.join(name)).expect("it is committed");
    let (a, mut b) = (load("result-v1-a.json"), load("result-v1-b.json"));
    let round = &mut b.all.rounds[1];
    let sizes = round.state_received.as_mut().expect("it brings a state");
    sizes.mean_bytes *= 1.5;
    let ok = round.outcomes.values_mut().next().expect("it ended well");
    let response = ok.response.as_mut().expect("it was answered");
    response.p50_ns *= 20;
    let intervals = response.intervals_95.as_mut().expect("22 s carry one");
    intervals.p50_ns = intervals.p50_ns.map(|(low, high)| (20 * low, 20 * high));
    b.environment.fingerprint = "another <machine> | 64 cores".into();
    let tool = Tool {
        name: "loadgen".into(),
        version: "0.1.0".into(),
    };
    RunComparison::new(tool, ("results/a", &a), ("results/b", &b), 0.1)
}

#[test]
fn what_changed_is_shown() {
    let text = comparison_summary(&compared(), false, Style::Plain);
    assert!(
        text.lines().all(|line| line.chars().count() <= 100),
        "{text}"
    );
    insta::assert_snapshot!(text);
}

#[test]
fn everything_is_shown() {
    insta::assert_snapshot!(comparison_summary(&compared(), true, Style::Plain));
}

#[test]
fn markdown_keeps_foreign_text_in_its_cells() {
    let text = comparison_markdown(&compared(), false);
    assert!(
        text.contains("another \\<machine\\> \\| 64 cores"),
        "{text}"
    );
    insta::assert_snapshot!(text);
}

#[test]
fn colours_do_not_change_the_text() {
    let coloured = comparison_summary(&compared(), true, Style::Coloured);
    assert!(coloured.contains("\u{1b}["));
    let mut plain = String::new();
    let mut inside = false;
    for c in coloured.chars() {
        match c {
            '\u{1b}' => inside = true,
            'm' if inside => inside = false,
            c if !inside => plain.push(c),
            _ => {}
        }
    }
    assert_eq!(plain, comparison_summary(&compared(), true, Style::Plain));
}
