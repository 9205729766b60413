use loadgen_measure::{PrincipalResult, PrincipalsResult, TraceContextResult};
use loadgen_report::{Style, summary};

use crate::fixture;

#[test]
fn a_good_run() {
    insta::assert_snapshot!(summary(&fixture::good(), Style::Plain));
}

#[test]
fn a_run_that_is_long_enough_for_intervals() {
    let text = summary(&fixture::long(), Style::Plain);
    let start = text.find("Kind wizard").expect("a table of the kind");
    let all = text
        .find("All kinds together")
        .expect("a table of all kinds");
    assert!(
        !text[start..].contains("95 %"),
        "kept for all kinds together"
    );
    insta::assert_snapshot!(text[all..start].split("\n\n").next().unwrap_or_default());
}

#[test]
fn a_bad_run() {
    insta::assert_snapshot!(summary(&fixture::bad(), Style::Plain));
}

#[test]
fn a_throttled_run() {
    let text = summary(&fixture::throttled(), Style::Plain);
    let start = text.find("Rate limits").expect("a section about them");
    let section = text[start..].split("\n\n").next();
    insta::assert_snapshot!(section.unwrap_or_default());
    let finding = text.lines().find(|line| line.contains("by a rate limit"));
    insta::assert_snapshot!(
        "the_finding_of_a_throttled_run",
        finding.unwrap_or_default().trim_end()
    );
    let start = text.find("Limit and admitted").expect("and one of rates");
    let section = text[start..].split("\n\n").next();
    insta::assert_snapshot!("the_rates_of_a_throttled_run", section.unwrap_or_default());
    let good = summary(&fixture::good(), Style::Plain);
    assert!(!good.contains("Limit and admitted"), "there is no limit");
    assert!(!good.contains("Rate limits"), "nothing was refused");
}

#[test]
fn states_that_were_sent_back_several_times() {
    let text = summary(&fixture::replayed(), Style::Plain);
    let start = text.find("States sent back").expect("a section about them");
    insta::assert_snapshot!(text[start..].split("\n\n").next().unwrap_or_default());
    let good = summary(&fixture::good(), Style::Plain);
    assert!(!good.contains("States sent back"), "none was");
}

#[test]
fn an_empty_run() {
    insta::assert_snapshot!(summary(&fixture::empty(), Style::Plain));
}

#[test]
fn a_refused_run() {
    insta::assert_snapshot!(summary(&fixture::refused(), Style::Plain));
}

#[test]
fn no_line_is_too_wide_and_nothing_is_printed_that_is_no_figure() {
    for result in [
        fixture::good(),
        fixture::bad(),
        fixture::empty(),
        fixture::refused(),
        fixture::long(),
        fixture::warming(),
        fixture::throttled(),
    ] {
        let text = summary(&result, Style::Plain);
        for line in text.lines() {
            assert!(line.chars().count() <= 100, "{line}");
            assert!(!line.contains("NaN") && !line.contains("inf "), "{line}");
        }
        assert!(!text.contains('\u{1b}'), "plain text has no escape codes");
    }
}

#[test]
fn colours_change_nothing_but_the_looks() {
    let result = fixture::bad();
    let coloured = summary(&result, Style::Coloured);
    assert!(coloured.contains("\u{1b}["));
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain += before;
        rest = after.split_once('m').unwrap().1;
    }
    plain += rest;
    assert_eq!(plain, summary(&result, Style::Plain));
}

#[test]
fn the_first_lines_say_what_is_wrong() {
    let text = summary(&fixture::bad(), Style::Plain);
    let first: Vec<&str> = text.lines().take(12).collect();
    for (line, start) in [
        (0, "THRESHOLD MISSED"),
        (1, "  - ok.rate is "),
        (
            2,
            "  ! key or audience not shared between replicas: 0, 1 and 2",
        ),
        (4, "  ! replica 1 died during the run: signal: 9 (SIGKILL)"),
    ] {
        assert!(first[line].starts_with(start), "{}", first[line]);
    }
    let verdict: String = first[..7].join("\n");
    assert!(text.trim_end().ends_with(&verdict), "and so do the last");
}

#[test]
fn what_failed_rounds_were_told_is_counted_shortened_and_harmless() {
    let mut result = fixture::bad();
    let text = summary(&result, Style::Coloured);
    let line = |words: &str| text.lines().find(|line| line.contains(words)).unwrap();
    let count = |outcome| -> u64 {
        let failures = result.failures.iter().filter(|f| f.outcome == outcome);
        failures.map(|f| f.count).sum()
    };
    let rejected = line("x replicas 0 1 2, state rejected: HTTP 400");
    let count = count(loadgen_measure::Outcome::StateRejected);
    assert!(
        rejected.starts_with(&format!("    {count} x ")),
        "{rejected}"
    );
    let long = line("HTTP 413");
    assert!(
        long.chars().count() <= 98 && !long.contains('\u{1b}'),
        "{long}"
    );
    assert!(line(" x other, see").contains("`failures`"));
    result.failures.truncate(5);
    assert!(!summary(&result, Style::Plain).contains(" x other"));
}

#[test]
fn a_run_without_success_has_no_figure_of_success() {
    let text = summary(&fixture::refused(), Style::Plain);
    let rows: Vec<&str> = text
        .lines()
        .filter(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words.contains(&"response") && words.contains(&"0") || words.first() == Some(&"service")
        })
        .collect();
    assert_eq!(rows.len(), 9, "three tables of three rows: {rows:?}");
    for row in rows {
        assert!(row.ends_with("0  n/a  n/a  n/a    n/a  n/a"), "{row}");
    }
    assert!(text.contains("sent late by p50 n/a, p99 n/a, max n/a"));
    assert!(text.contains("established 0; connect p50 n/a"));
}

#[test]
fn the_matrix_counts_accepted_and_rejected_states_in_each_cell() {
    let result = fixture::bad();
    let text = summary(&result, Style::Plain);
    let row = |minted_by: usize| {
        let start = format!("  by {minted_by} ");
        text.lines().find(|line| line.starts_with(&start)).unwrap()
    };
    for minted_by in 0..3 {
        let cells = (0..3).map(|opened_by| result.matrix.cell(minted_by, opened_by).unwrap());
        for cell in cells {
            let counts = format!("{} / {} / {}", cell.ok, cell.state_rejected, cell.other);
            assert!(row(minted_by).contains(&counts), "{counts}");
            assert_eq!(cell.ok > 0, cell.minted_by == cell.opened_by);
        }
    }
}

#[test]
fn a_run_that_ended_in_its_warm_up_says_so_and_shows_its_phases() {
    let text = summary(&fixture::warming(), Style::Plain);
    assert!(text.contains("! warm-up only: the run ended"), "{text}");
    let start = text.find("Phases: ").expect("a table of the phases");
    insta::assert_snapshot!(text[start..].split("\n\n").next().unwrap_or_default());
}

#[test]
fn principals_and_trace_context_have_a_section_where_there_are_any() {
    let one = |started, ok, throttled| PrincipalResult {
        started,
        ok,
        throttled,
        refused: 2 * throttled,
        waited_s: 0.5 * throttled as f64,
    };
    let mut result = fixture::good();
    let without = summary(&result, Style::Plain);
    assert!(!without.contains("Principals") && !without.contains("Trace context"));
    result.principals = Some(PrincipalsResult {
        count: 1002,
        each: vec![one(9, 9, 0), one(8, 2, 6), one(9, 9, 0)],
        others: Some(one(7, 0, 7)),
    });
    result.trace_context = Some(TraceContextResult {
        attempts: 100,
        body_bytes: 7200,
        header_bytes: 6600,
    });
    let text = summary(&result, Style::Plain);
    let start = text.find("Principals").expect("a section about them");
    let sections: Vec<&str> = text[start..].split("\n\n").take(2).collect();
    insta::assert_snapshot!(sections.join("\n\n"));
    assert!(text.lines().all(|line| line.chars().count() <= 100));
}
