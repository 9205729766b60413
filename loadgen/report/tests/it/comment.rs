use loadgen_measure::{FailureExample, Outcome, RunResult};
use loadgen_report::{Named, Style, comment, side_by_side};

use crate::fixture;

fn of(result: &RunResult) -> String {
    comment(&[Named { name: "x", result }])
}

#[test]
fn the_verdict_stands_first_and_the_rest_is_folded() {
    let text = of(&fixture::good());
    assert!(
        text.starts_with("**GOOD** quickstart: 1000 of 1000"),
        "{text}"
    );
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("no {what}"));
    assert!(at("| figure | value |") < at("**Thresholds**"));
    assert!(at("| ok.rate |") < at("<details>"));
    assert!(at("<details><summary>Kind wizard") > at("**Thresholds**"));
    assert_eq!(
        text.matches("<details>").count(),
        text.matches("</details>").count()
    );
    let bad = of(&fixture::bad());
    assert!(bad.starts_with("**INVALID RUN**") || bad.starts_with("**THRESHOLD MISSED**"));
}

#[test]
fn every_result_has_a_comment_that_a_forge_takes() {
    for result in [
        fixture::empty(),
        fixture::refused(),
        fixture::warming(),
        fixture::throttled(),
        fixture::regular(8, 30, 400, true),
        fixture::least(&fixture::bad()),
    ] {
        let text = of(&result);
        assert!(text.len() < 65_536);
        assert!(!text.contains("NaN"));
    }
    let many = of(&fixture::regular(40, 30, 1200, true));
    assert!(many.len() < 65_536 && many.contains("had no room here"));
}

#[test]
fn what_a_server_says_forms_nothing_and_calls_nobody() {
    let mut result = fixture::bad();
    result.scenario.name = "a|b</summary>".into();
    result.scenario.text = "# ````\n</details>\n".into();
    result.failures = vec![FailureExample {
        outcome: Outcome::ToolError,
        replica: 0,
        text: "@everyone <img src=x> ![x](http://x) | `y` #1".into(),
        count: 9,
    }];
    let text = of(&result);
    assert!(!text.contains("@everyone") && !text.contains("<img") && !text.contains("![x]"));
    assert!(
        text.contains("`````text"),
        "the fence is longer than what it holds"
    );
    assert!(text.starts_with("**") && text.contains("a\\|b&lt;/summary&gt;"));
}

#[test]
fn several_have_a_column_each() {
    let (good, bad) = (fixture::good(), fixture::bad());
    let named = [
        Named {
            name: "one",
            result: &good,
        },
        Named {
            name: "two",
            result: &bad,
        },
    ];
    let text = comment(&named);
    assert!(text.starts_with("- A: one\n- B: two\n"));
    assert!(text.contains("| figure | A | B |"));
    let text = side_by_side(&named, Style::Plain);
    assert!(text.contains("GOOD  A, quickstart"), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("  round     time"))
    );
}
