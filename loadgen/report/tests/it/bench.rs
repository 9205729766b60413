use std::path::Path;

use loadgen_measure::{BenchComparison, BenchPlace, Tool};
use loadgen_report::{Style, bench_markdown, bench_summary};

/// Two baselines of criterion, or two folders of instruction counts.
fn compared(a: (&str, &str), b: (&str, &str)) -> BenchComparison {
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("../measure/tests/bench");
    let (of_a, of_b) = (stored.join(a.0), stored.join(b.0));
    let place = |folder, baseline| BenchPlace { folder, baseline };
    let tool = Tool {
        name: "loadgen".into(),
        version: "0.1.0".into(),
    };
    BenchComparison::read(
        tool,
        place(&of_a, a.1),
        place(&of_b, b.1),
        a.0 != b.0,
        0.1,
        0.01,
    )
    .expect("they are committed")
}

fn times() -> BenchComparison {
    compared(("criterion", "first"), ("criterion", "new"))
}

#[test]
fn times_that_changed_are_shown_with_what_criterion_said() {
    let text = bench_summary(&times(), false, Style::Plain);
    assert!(
        text.lines().all(|line| line.chars().count() <= 100),
        "{text}"
    );
    insta::assert_snapshot!(text);
}

#[test]
fn counts_are_shown_under_their_long_names() {
    let counts = compared(("gungraun-a", "new"), ("gungraun-b", "new"));
    let text = bench_summary(&counts, true, Style::Plain);
    assert!(
        text.lines().all(|line| line.chars().count() <= 100),
        "{text}"
    );
    insta::assert_snapshot!(text);
}

#[test]
fn benchmarks_as_markdown() {
    insta::assert_snapshot!(bench_markdown(&times(), true));
}
