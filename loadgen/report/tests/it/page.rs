use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use loadgen_measure::{FailureExample, LatencyFigures, Outcome, RunResult};
use loadgen_report::{Drawings, Named, page};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::fixture;

fn drawn(results: &[Named<'_>]) -> String {
    page(results, &Drawings::of(results).unwrap()).unwrap()
}

fn of(result: &RunResult) -> String {
    drawn(&[Named { name: "x", result }])
}

/// Every result that differs in what it has.
fn all() -> Vec<RunResult> {
    let mut partial = fixture::bad();
    partial.partial = true;
    vec![
        fixture::good(),
        fixture::bad(),
        fixture::long(),
        fixture::empty(),
        fixture::refused(),
        fixture::warming(),
        fixture::throttled(),
        fixture::replayed(),
        fixture::regular(8, 30, 400, true),
        fixture::least(&fixture::good()),
        fixture::least(&fixture::bad()),
        fixture::least(&fixture::empty()),
        partial,
    ]
}

/// What stands between two texts, each time.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Vec<&'a str> {
    let parts = text.split(start).skip(1);
    parts.map(|part| part.split(end).next().unwrap()).collect()
}

#[test]
fn every_result_has_a_page_that_is_whole_and_loads_nothing() {
    for result in all() {
        let page = of(&result);
        assert!(page.len() < 1_000_000, "{} bytes", page.len());
        assert!(page.starts_with("<!DOCTYPE html><html lang=\"en\">") && page.ends_with("</html>"));
        let markup: String = without(
            &without(&page, "<script", "</script>"),
            "<style",
            "</style>",
        );
        for figure in ["NaN", ">inf", ">-inf", "None", "Some("] {
            assert!(!markup.contains(figure), "{figure}");
        }
        assert!(!markup.contains(" src=") && !markup.contains(" style="));
        for target in between(&markup, "href=\"", "\"") {
            assert!(target == "data:," || target.starts_with('#'), "{target}");
        }
        let ids = between(&markup, " id=\"", "\"");
        let known: HashSet<&str> = ids.iter().copied().collect();
        assert_eq!(known.len(), ids.len(), "an id stands twice");
        let named = between(&markup, "aria-labelledby=\"", "\"").into_iter();
        let linked = between(&markup, "href=\"#", "\"").into_iter();
        for id in named.flat_map(str::split_whitespace).chain(linked) {
            assert!(known.contains(id), "{id}");
        }
        let tables = markup.matches("<table>").count();
        assert!(tables > 2);
        assert_eq!(markup.matches("<caption>").count(), tables);
        assert_eq!(markup.matches("<h1>").count(), 1);
        let live = markup.matches("class=\"live\"").count();
        assert_eq!(markup.matches("<svg ").count(), live);
        assert_eq!(
            page.matches("<script type=\"application/json\">").count(),
            live
        );
    }
}

/// The text without what stands from each start to the next end.
fn without(text: &str, start: &str, end: &str) -> String {
    let mut parts = text.split(start);
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |all, part| all + part.split_once(end).unwrap().1)
}

#[test]
fn the_policy_allows_the_script_and_the_style_that_are_there_and_no_others() {
    let page = of(&fixture::good());
    let policy = between(
        &page,
        "http-equiv=\"Content-Security-Policy\" content=\"",
        "\"",
    )[0];
    let policy = policy.replace("&#39;", "'");
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    assert!(!policy.contains("unsafe") && !policy.contains("http"));
    for (element, what) in [("script", "script-src"), ("style", "style-src")] {
        let texts = between(&page, &format!("<{element}>"), &format!("</{element}>"));
        assert_eq!(texts.len(), 1, "{element}");
        let hash = STANDARD.encode(Sha256::digest(texts[0]));
        assert!(
            policy.contains(&format!("{what} 'sha256-{hash}'")),
            "{what}"
        );
    }
}

#[test]
fn what_servers_and_scenarios_say_stays_text() {
    let evil = "</script></style></title></pre>--><script>alert(1)</script><img src=x onerror=alert(1)>\"'&amp;";
    let mut result = fixture::bad();
    result.scenario.name = format!("a{evil}");
    result.scenario.text = format!("# {evil}\n");
    result.targets = vec![evil.into()];
    result.options = [(format!("o{evil}"), Value::from(evil))].into();
    result.failures.push(FailureExample {
        outcome: Outcome::ToolError,
        replica: 0,
        text: evil.into(),
        count: 1_000_000,
    });
    for kind in result.kinds.iter_mut().chain([&mut result.all]) {
        kind.name += evil;
    }
    for replica in &mut result.replicas {
        replica.facts.url += evil;
    }
    if let Some(died) = &mut result.replicas[1].facts.died {
        died.stderr_tail += evil;
    }
    for finding in &mut result.findings {
        finding.sentence += evil;
    }
    result.generator.bound_reason += evil;
    result.environment.fingerprint += evil;
    result.environment.cpu_model = Some(evil.into());
    result.clock.started_at += evil;
    for threshold in &mut result.thresholds {
        threshold.name += evil;
    }
    let names = [evil, evil];
    let several = names.map(|name| Named {
        name,
        result: &result,
    });
    for page in [of(&result), drawn(&several)] {
        assert!(page.contains("alert(1)"), "it is shown");
        assert!(!page.contains("<script>alert") && !page.contains("<img"));
        let charts = page.matches("<figure").count();
        assert!(charts > 3);
        assert_eq!(page.matches("<script").count(), charts + 1);
        assert_eq!(page.matches("</script>").count(), charts + 1);
        for json in between(&page, "application/json\">", "</script>") {
            assert!(!json.contains(['<', '>', '&']));
            serde_json::from_str::<Value>(json).unwrap();
        }
    }
}

/// The cells of the n-th table of a section.
fn table(page: &str, heading: &str, n: usize) -> Vec<Vec<String>> {
    let sections = between(page, "<section ", "</section>");
    let section = sections
        .into_iter()
        .find(|section| between(section, "<h2 ", "</h2>")[0].contains(heading));
    let table = between(section.unwrap(), "<table>", "</table>")[n];
    let rows = between(table, "<tr>", "</tr>").into_iter();
    rows.map(|row| {
        let cells = row.split("</td>").flat_map(|cell| cell.split("</th>"));
        let text = |cell: &str| cell.rsplit('>').next().unwrap().to_owned();
        let mut cells: Vec<String> = cells.map(text).collect();
        cells.pop();
        cells
    })
    .collect()
}

fn ns(text: &str) -> f64 {
    let (number, unit) = text.split_once(' ').unwrap();
    let size = match unit {
        "ns" => 1.0,
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        other => panic!("{other}"),
    };
    number.parse::<f64>().unwrap() * size
}

#[test]
fn tables_and_charts_say_what_the_result_says() {
    let result = fixture::bad();
    let page = of(&result);
    let rows = table(&page, "All kinds together", 0);
    let mut compared = 0;
    let mut same = |row: &[String], figures: &LatencyFigures| {
        assert_eq!(row[2], figures.count.to_string());
        let is = [
            figures.p50_ns,
            figures.p90_ns,
            figures.p99_ns,
            figures.p999_ns,
            figures.max_ns,
        ];
        for (shown, is) in row[3..].iter().zip(is) {
            let (shown, is) = (ns(shown), is as f64);
            assert!((shown - is).abs() <= 0.005 * is + 0.5, "{shown} {is}");
            compared += 1;
        }
    };
    for round in &result.all.rounds {
        let at = rows
            .iter()
            .position(|row| row[0] == round.round.to_string());
        let at = at.unwrap();
        let ok = round.ok().unwrap();
        same(&rows[at], ok.response.as_ref().unwrap());
        same(&rows[at + 1], ok.service.as_ref().unwrap());
    }
    assert_eq!(compared, 40);
    let chart = page.split("id=\"throughput-over-time\"").nth(1).unwrap();
    let json = between(chart, "application/json\">", "</script>")[0];
    let chart: Value = serde_json::from_str(json).unwrap();
    let sent: Vec<u64> = result.seconds.iter().map(|second| second.sent).collect();
    assert_eq!(chart["lines"][0]["label"], "sent");
    assert_eq!(chart["lines"][0]["y"], Value::from(sent));
    let seconds = table(&page, "Charts", 4);
    assert_eq!(seconds.len(), result.seconds.len() + 1);
    for (row, second) in seconds[1..].iter().zip(&result.seconds) {
        let is = [second.second, second.sent, second.ok, second.failed];
        assert_eq!(row[..], is.map(|count| count.to_string()));
    }
    let thresholds = table(&page, "Thresholds", 0);
    assert_eq!(thresholds[1][0], result.thresholds[0].name);
    assert_eq!(thresholds[1][1], result.thresholds[0].value_text());
}

#[test]
fn a_page_says_how_to_repeat_the_run() {
    let mut result = fixture::good();
    result.scenario.text = "name = \"quickstart\" # as it was\n".into();
    result.options = [
        ("seed".to_owned(), Value::from(42)),
        ("insecure".to_owned(), Value::from(true)),
        (
            "target".to_owned(),
            Value::from(vec!["http://a/mcp", "http://b/mcp"]),
        ),
    ]
    .into();
    let page = of(&result);
    let line = "loadgen run quickstart.toml --seed 42 --insecure --target http://a/mcp --target http://b/mcp";
    assert!(page.contains(line));
    assert!(page.contains(&result.scenario.sha256));
    assert!(page.contains("name = &quot;quickstart&quot; # as it was"));
    assert!(page.contains(&result.environment.fingerprint));
}

#[test]
fn several_results_stand_side_by_side() {
    let (good, mut bad) = (fixture::good(), fixture::bad());
    let both = |a: &RunResult, b: &RunResult| {
        drawn(&[
            Named {
                name: "first",
                result: a,
            },
            Named {
                name: "second",
                result: b,
            },
        ])
    };
    let page = both(&good, &bad);
    assert!(!page.contains("different scenarios"));
    let letters = table(&page, "Results", 0);
    assert_eq!((&*letters[1][1], &*letters[2][1]), ("first", "second"));
    let headline = table(&page, "Headline", 0);
    assert_eq!(headline[0], ["figure", "A", "B"]);
    assert_eq!(headline[1], ["verdict", "good", "threshold missed"]);
    let times = table(&page, "All kinds together", 0);
    assert_eq!(times[0], ["round", "time", "figure", "A", "B"]);
    let p50 = |result: &RunResult| {
        let round = result.all.rounds[1].ok().unwrap();
        round.service.as_ref().unwrap().p50_ns as f64
    };
    let row = times
        .iter()
        .find(|row| row[..3] == ["1", "service", "p50"])
        .unwrap();
    for (shown, is) in row[3..].iter().zip([p50(&good), p50(&bad)]) {
        assert!((ns(shown) - is).abs() <= 0.005 * is);
    }
    assert!(page.contains("\"A p50\"") && page.contains("\"B p50\""));
    bad.scenario.sha256 = "11".repeat(32);
    assert!(both(&good, &bad).contains("different scenarios"));
    let none = fixture::empty();
    let page = both(&none, &none);
    assert!(!page.contains("<figure"), "there is nothing to draw");
}

#[test]
fn a_run_of_a_day_has_a_page_too() {
    let mut result = fixture::good();
    let first = result.seconds[0].clone();
    result.seconds = (0..86_400)
        .map(|second| loadgen_measure::SecondResult {
            second,
            sent: 100 + second % 77,
            failed: second % 3,
            refused: second % 5,
            rounds: match second % 48 {
                0 => first.rounds.clone(),
                _ => Vec::new(),
            },
            ..first.clone()
        })
        .collect();
    let named = || Named {
        name: "x",
        result: &result,
    };
    for results in [vec![named()], vec![named(); 6]] {
        let page = drawn(&results);
        assert!(page.len() < 1_000_000, "{} bytes", page.len());
        assert!(results.len() > 1 || page.contains("a point is 144 s"));
    }
}
