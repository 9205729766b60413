use loadgen_history::Added;
use loadgen_measure::{Better, Metric, Status, Trend};

use crate::shelf::{Shelf, commit, on_day};

fn metric() -> Metric {
    "workflow.p50_ms".parse().unwrap()
}

#[test]
fn a_series_is_of_one_machine_and_scenario() {
    let shelf = Shelf::new();
    let mut history = shelf.history();
    for day in 0..6 {
        history
            .add(&on_day(day, u64::from(day + 1) * 1_000_000), None)
            .unwrap();
    }
    let mut other = on_day(6, 99_000_000);
    other.environment.fingerprint = "another".into();
    history.add(&other, None).unwrap();
    let mut other = on_day(7, 99_000_000);
    other.scenario.sha256 = "ff".into();
    history.add(&other, None).unwrap();
    let mut other = on_day(8, 99_000_000);
    other.targets = vec!["http://127.0.0.1:1/mcp".into()];
    history.add(&other, None).unwrap();
    let mut seed = on_day(9, 7_000_000);
    seed.seed += 1;
    seed.options.insert("seed".into(), seed.seed.into());
    history.add(&seed, None).unwrap();

    let groups = history.groups(None).unwrap();
    assert_eq!(groups.len(), 4);
    assert_eq!(
        groups[0].runs, 7,
        "the group of the newest run comes first; seeds may differ"
    );
    let series = history.series(&groups[0], &metric()).unwrap();
    let values: Vec<f64> = series.points.iter().map(|point| point.value).collect();
    assert_eq!(values, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    assert_eq!(history.groups(Some("wizard")).unwrap().len(), 4);
    assert_eq!(history.groups(Some("nothing")).unwrap().len(), 0);
}

#[test]
fn what_says_nothing_is_left_out_and_counted() {
    let shelf = Shelf::new();
    let mut history = shelf.history();
    history.add(&on_day(0, 1_000_000), None).unwrap();
    let mut invalid = on_day(1, 1_000_000);
    invalid.verdict.status = Status::Invalid;
    history.add(&invalid, None).unwrap();
    let mut failed = on_day(2, 1_000_000);
    failed.all.workflows.clear();
    history.add(&failed, None).unwrap();
    let group = &history.groups(None).unwrap()[0];
    let series = history.series(group, &metric()).unwrap();
    assert_eq!(
        (series.points.len(), series.unsound, series.without),
        (1, 1, 1)
    );
}

#[test]
fn time_is_that_of_commits_where_it_is_known() {
    let shelf = Shelf::new();
    let mut history = shelf.history();
    // Measured in this order, made the other way round: an old commit that is measured late.
    let day_s = |n: i64| 1_798_761_600 + 86_400 * n;
    for (run, made) in [(0, 20), (1, 10), (2, 15)] {
        let commit = commit(run, Some(day_s(made)));
        history
            .add(&on_day(20 + run, u64::from(run) * 1_000_000), Some(&commit))
            .unwrap();
    }
    history.add(&on_day(12, 9_000_000), None).unwrap();
    let group = &history.groups(None).unwrap()[0];
    let series = history.series(group, &metric()).unwrap();
    let values: Vec<f64> = series.points.iter().map(|point| point.value).collect();
    assert_eq!(values, [1.0, 9.0, 2.0, 0.0]);
}

#[test]
fn a_step_between_commits_is_found() {
    let shelf = Shelf::new();
    let mut history = shelf.history();
    for day in 0..40 {
        let level = if day < 25 { 10_000_000 } else { 12_000_000 };
        let sway = 100_000 * u64::from(day * 7 % 5);
        history
            .add(&on_day(day, level + sway), Some(&commit(day, None)))
            .unwrap();
    }
    let group = &history.groups(None).unwrap()[0];
    let series = history.series(group, &metric()).unwrap();
    let trend = Trend::of_figures(
        ("workflow.p50_ms", Better::Lower),
        "wizard",
        "m",
        series.points,
    );
    assert_eq!(trend.changes.len(), 1);
    assert_eq!(
        trend.points[trend.changes[0].index].commit,
        Some(commit(25, None).id)
    );
}

#[test]
fn a_count_is_kept_once_a_commit() {
    let shelf = Shelf::new();
    let mut history = shelf.history();
    let mut add = |n: u32, value: f64| {
        history.add_count(
            "seal",
            value,
            "m",
            &commit(n, Some(i64::from(n))),
            "2027-01-15T08:00:00Z",
        )
    };
    assert_eq!(add(2, 20.0).unwrap(), Added::New(1));
    assert_eq!(add(1, 10.0).unwrap(), Added::New(2));
    assert_eq!(add(2, 99.0).unwrap(), Added::Known(1));
    let values: Vec<f64> = history
        .counts("seal", "m")
        .unwrap()
        .iter()
        .map(|p| p.value)
        .collect();
    assert_eq!(values, [10.0, 20.0]);
    assert!(history.counts("seal", "another").unwrap().is_empty());
}
