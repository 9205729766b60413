use loadgen_report::{Style, summary};

use crate::fixture;

#[test]
fn a_good_run() {
    insta::assert_snapshot!(summary(&fixture::good(), Style::Plain));
}

#[test]
fn a_bad_run() {
    insta::assert_snapshot!(summary(&fixture::bad(), Style::Plain));
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
