use loadgen_measure::{PackedLatency, RunResult, Staircase, Step};
use loadgen_report::{Style, charts, summary};

use crate::fixture;

fn names(result: &RunResult) -> Vec<&'static str> {
    let charts = charts(result).unwrap();
    charts.into_iter().map(|chart| chart.name).collect()
}

#[test]
fn charts_exist_for_the_data_that_is_there() {
    let all = [
        "latency-by-quantile",
        "payload-by-round",
        "aead-by-round",
        "latency-over-time",
        "throughput-over-time",
        "time-by-round",
    ];
    assert_eq!(names(&fixture::good()), all);
    assert_eq!(names(&fixture::bad()), all);
    let limited = [&all[..], &["rate-limit-over-time"]].concat();
    assert_eq!(names(&fixture::throttled()), limited);
    assert_eq!(names(&fixture::empty()), [""; 0]);
    assert_eq!(names(&fixture::refused()), ["throughput-over-time"]);
}

#[test]
fn charts_carry_title_description_labels_and_units() {
    for chart in charts(&fixture::good()).unwrap() {
        let svg = &chart.svg;
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.contains("role=\"img\"") && svg.contains("<desc id=\"desc\">"));
        assert!(svg.contains(&format!("<title id=\"title\">{}</title>", chart.title)));
        assert!(svg.contains("<text "), "text stays text");
        assert!(
            !svg.contains("NaN") && !svg.contains("inf"),
            "{}",
            chart.name
        );
        let labels: &[&str] = match chart.name {
            "latency-by-quantile" => &["round 3 response", "round 0 service", "99.9 %", "1 ms"],
            "payload-by-round" => &[
                "wizard state received",
                "echo request body",
                "500",
                "mean size in bytes",
            ],
            "aead-by-round" => &[
                "wizard open p50",
                "wizard seal p99",
                "round (solid: p50, dashed: p99)",
                "5 us",
            ],
            "latency-over-time" => &["p50", "p99", "max", "second of the run"],
            "time-by-round" => &[
                "service p50",
                "service p99",
                "same replica",
                "time, logarithmic",
            ],
            _ => &["sent", "ok", "rounds per second"],
        };
        for label in labels {
            let shown = svg.lines().any(|line| line.trim() == *label);
            assert!(shown, "{label} in {}", chart.name);
        }
    }
}

#[test]
fn refusals_stand_beside_what_was_admitted_and_the_limit() {
    let charts = charts(&fixture::throttled()).unwrap();
    let chart = charts.last().expect("a chart");
    let labels = ["admitted", "refused", "limit of all", "attempts per second"];
    for label in labels {
        let shown = chart.svg.lines().any(|line| line.trim() == label);
        assert!(shown, "{label}");
    }
    let mut unnamed = fixture::throttled();
    unnamed.rate_limit = None;
    let charts = loadgen_report::charts(&unnamed).unwrap();
    let svg = &charts.last().expect("a chart").svg;
    assert!(svg.contains("refused") && !svg.contains("limit of all"));
}

#[test]
fn a_name_from_elsewhere_cannot_break_the_document() {
    let mut result = fixture::regular(1, 2, 3, true);
    result.scenario.name = "a<b>&\"c\" \u{1b}\u{0}\n]]>".into();
    for chart in charts(&result).unwrap() {
        assert!(!chart.svg.contains("a<b>") && !chart.svg.contains("&\""));
        let odd = |c: char| c.is_control() && c != '\n';
        assert!(!chart.svg.contains(odd), "{}", chart.name);
    }
}

#[test]
fn charts_are_reproducible() {
    assert_eq!(
        charts(&fixture::bad()).unwrap(),
        charts(&fixture::bad()).unwrap()
    );
}

#[test]
fn a_damaged_histogram_is_an_error_and_not_a_chart() {
    let mut result = fixture::good();
    result.seconds[0].rounds[0].histogram = PackedLatency::from_bytes(b"!");
    let error = charts(&result).unwrap_err().to_string();
    assert!(error.contains("damaged"), "{error}");
}

#[test]
fn unusual_shapes_stay_within_the_picture() {
    for (kinds, rounds, workflows, spread) in [
        (1, 1, 40, true),
        (1, 11, 40, true),
        (1, 30, 40, true),
        (1, 1, 1, true),
        (1, 4, 1, false),
        (1, 3, 40, false),
        (3, 4, 40, true),
    ] {
        let result = fixture::regular(kinds, rounds, workflows, spread);
        let all = charts(&result).unwrap();
        // Without a second round there is no retry, and no state is protected.
        let expected = if rounds > 1 { 6 } else { 4 };
        assert_eq!(all.len(), expected, "{rounds} rounds of {workflows}");
        for chart in all {
            assert!(!chart.svg.contains("NaN") && !chart.svg.contains("inf"));
            for (name, limit) in [("x", 960), ("y", 540)] {
                let positions = numbers(&chart.svg, name);
                assert!(!positions.is_empty());
                let inside = positions.iter().all(|at| (0..=limit).contains(at));
                assert!(inside, "{}: {name} {positions:?}", chart.name);
            }
        }
    }
}

fn named(result: &RunResult, name: &str) -> Option<String> {
    let charts = charts(result).unwrap();
    let chart = charts.into_iter().find(|chart| chart.name == name);
    chart.map(|chart| chart.svg)
}

#[test]
fn laws_are_drawn_for_a_single_kind_and_the_limit_in_reach_only() {
    let mut result = fixture::regular(1, 6, 40, true);
    let payload = |result: &RunResult| named(result, "payload-by-round").unwrap();
    let svg = payload(&result);
    assert!(svg.contains("law of states") && svg.contains("law of requests"));
    assert!(!svg.contains("body limit"), "nobody said one");
    for (limit, drawn) in [(2000, true), (4 << 20, false)] {
        result.payload.as_mut().unwrap().body_limit_bytes = Some(limit);
        assert_eq!(payload(&result).contains("body limit"), drawn, "{limit}");
    }
    let several = payload(&fixture::regular(2, 6, 40, true));
    assert!(
        !several.contains("law of"),
        "means of all kinds follow no law of one"
    );
}

#[test]
fn without_retries_there_is_no_time_by_round() {
    assert_eq!(
        named(&fixture::regular(2, 1, 40, true), "time-by-round"),
        None
    );
    let svg = named(&fixture::regular(1, 3, 40, true), "time-by-round").unwrap();
    assert!(!svg.contains("same replica"), "every retry changes replica");
    assert!(svg.contains("another replica"));
    assert!(!svg.contains("95 % high"), "too short for intervals");
    let svg = named(&fixture::long(), "time-by-round").unwrap();
    assert!(svg.contains("95 % high") && svg.contains("95 % low"));
}

#[test]
fn a_second_without_success_is_not_bridged() {
    let over_time = |result: &RunResult| -> String {
        let charts = charts(result).unwrap();
        let chart = charts.into_iter().find(|c| c.name == "latency-over-time");
        chart.unwrap().svg
    };
    let mut result = fixture::regular(1, 1, 500, true);
    // The solid line of the p50 and its key are the only ones of their colour and width.
    let solid = |svg: &str| {
        let lines = svg.lines().filter(|line| line.contains("<polyline"));
        lines
            .filter(|line| line.contains("#0072B2") && line.contains("stroke-width=\"2\""))
            .count()
    };
    assert_eq!(solid(&over_time(&result)), 2);
    result.seconds[2].rounds.clear();
    assert_eq!(solid(&over_time(&result)), 3);
}

/// The whole numbers in attributes of that name.
fn numbers(svg: &str, attribute: &str) -> Vec<i32> {
    let start = format!(" {attribute}=\"");
    svg.split(&start)
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
        .collect()
}

#[test]
fn charts_of_a_run_that_ended_in_its_warm_up_say_so() {
    let charts = charts(&fixture::warming()).unwrap();
    assert_eq!(charts.len(), 6);
    for chart in &charts {
        assert!(chart.title.ends_with(" (warm-up only)"), "{}", chart.title);
    }
    let label = "second of the run (warm-up: 0 to 5)";
    assert!(charts[3].svg.contains(label) && charts[4].svg.contains(label));
}

#[test]
fn steps_have_a_chart_and_a_sentence() {
    let step = |rate: f64, ok: f64, sustained| Step {
        phase: format!("{rate}/s"),
        offered_per_s: rate,
        ok_per_s: ok,
        sustained,
        p50_ns: Some(1_000_000),
        p99_ns: None,
    };
    let mut result = fixture::good();
    result.staircase = Some(Staircase {
        steps: vec![
            step(100.0, 100.0, true),
            step(200.0, 199.0, true),
            step(300.0, 240.0, false),
        ],
        sustained_per_s: Some(200.0),
        overloaded_per_s: Some(300.0),
        highest_throughput_per_s: 240.0,
    });
    let chart = charts(&result)
        .unwrap()
        .into_iter()
        .find(|chart| chart.name == "throughput-by-step")
        .unwrap();
    for label in ["ended well", "offered", "workflows offered per second"] {
        let shown = chart.svg.lines().any(|line| line.trim() == label);
        assert!(shown, "{label}");
    }
    assert!(chart.svg.contains("300 offered, 240 ended well"));
    let text = summary(&result, Style::Plain);
    assert!(
        text.contains("kept up with 200 workflows/s and fell behind at 300"),
        "{text}"
    );
    if let Some(staircase) = &mut result.staircase {
        staircase.overloaded_per_s = None;
        staircase.sustained_per_s = Some(300.0);
    }
    let text = summary(&result, Style::Plain);
    assert!(
        text.contains("kept up with every step, up to 300 workflows/s"),
        "{text}"
    );
}
