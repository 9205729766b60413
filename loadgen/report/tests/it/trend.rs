use loadgen_measure::{Better, Trend, TrendPoint};
use loadgen_report::{Style, trend_chart, trend_summary};

fn points(count: u32, level: impl Fn(u32) -> f64) -> Vec<TrendPoint> {
    let point = |n: u32| TrendPoint {
        id: i64::from(n) + 1,
        commit: (n > 0).then(|| {
            format!(
                "{:08x}{}{}",
                n * 40_503 + 77,
                "0".repeat(32),
                ["", "-dirty"][n as usize % 2]
            )
        }),
        at: format!("2027-{:02}-{:02}T08:00:00Z", 1 + n / 28, 1 + n % 28),
        value: level(n) + 0.01 * f64::from(n * 7 % 5),
    };
    (0..count).map(point).collect()
}

fn stepped() -> Trend {
    let level = |n| if n < 22 { 2.0 } else { 2.3 };
    let points = points(40, level);
    Trend::of_figures(
        ("workflow.p50_ms", Better::Lower),
        "wiz<ard>",
        "Example 3000; 2 cores",
        points,
    )
}

#[test]
fn a_trend_says_where_it_changes() {
    insta::assert_snapshot!(trend_summary(&stepped(), Style::Plain));
}

#[test]
fn a_jump_of_counts_is_held_against_its_past() {
    let level = |n: u32| if n < 30 { 1000.0 } else { 1001.0 };
    let trend = Trend::of_counts("seal", "Example 3000", points(35, level));
    let text = trend_summary(&trend, Style::Plain);
    assert!(
        text.contains("at 00128abf00 (count 31): regressed, +0.1 %, more than the"),
        "{text}"
    );
    let chart = trend_chart(&trend).unwrap().unwrap();
    assert!(!chart.svg.contains("level"), "counts have no levels");
}

#[test]
fn a_flat_trend_says_so_and_no_values_have_no_chart() {
    let flat = Trend::of_figures(("ok.rate", Better::Higher), "s", "m", points(12, |_| 1.0));
    let text = trend_summary(&flat, Style::Plain);
    assert!(text.contains("none that these values show"), "{text}");
    let none = Trend::of_figures(("ok.rate", Better::Higher), "s", "m", Vec::new());
    assert!(trend_chart(&none).unwrap().is_none());
    assert!(trend_summary(&none, Style::Plain).contains("0 values"));
}

#[test]
fn the_chart_marks_the_change_and_draws_both_levels() {
    let chart = trend_chart(&stepped()).unwrap().unwrap();
    let svg = &chart.svg;
    assert_eq!(chart.name, "trend");
    assert!(
        svg.contains("<title id=\"title\">wiz&lt;ard&gt;: workflow.p50_ms from commit to commit")
    );
    assert!(svg.contains("changes at"), "in the description");
    for label in ["measured", "level", "measurement, in the order of time"] {
        assert!(svg.contains(label), "{label}");
    }
    assert!(svg.contains("+15.0 %"), "beside the mark");
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}
