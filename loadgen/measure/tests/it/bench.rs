//! Stored results of benchmarks side by side. The files are from real runs of `benches`: criterion 0.8
//! with two baselines, gungraun 0.20 (without the parts of its profiles) once without limits and once with
//! one that everything exceeds.

use std::fs;
use std::path::{Path, PathBuf};

use loadgen_measure::{
    BenchComparison, BenchError, BenchPlace, Judgement, Tool, Unit, bench_comparison_schema,
};
use serde_json::{Value, json};

fn stored(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/bench")
        .join(name)
}

fn read(a: (&Path, &str), b: (&Path, &str)) -> Result<BenchComparison, BenchError> {
    let tool = Tool {
        name: "loadgen".into(),
        version: "0.1.0".into(),
    };
    let place = |(folder, baseline)| BenchPlace { folder, baseline };
    BenchComparison::read(tool, place(a), place(b), a.0 != b.0, 0.1, 0.01)
}

fn times(folder: &Path) -> BenchComparison {
    read((folder, "first"), (folder, "new")).expect("both are there")
}

/// A copy of a stored result in a folder of its own.
fn copy(name: &str) -> tempfile::TempDir {
    fn all(from: &Path, to: &Path) {
        fs::create_dir_all(to).expect("a writable folder");
        for entry in fs::read_dir(from).expect("a folder") {
            let entry = entry.expect("an entry");
            let to = to.join(entry.file_name());
            if entry.path().is_dir() {
                all(&entry.path(), &to);
            } else {
                fs::copy(entry.path(), to).expect("a file");
            }
        }
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    all(&stored(name), folder.path());
    folder
}

/// Changes a stored file.
fn change(file: &Path, change: impl Fn(&mut Value)) {
    let text = fs::read_to_string(file).expect("it is there");
    let mut json = serde_json::from_str(&text).expect("it is JSON");
    change(&mut json);
    fs::write(file, json.to_string()).expect("it can be written");
}

#[test]
fn times_are_judged_and_criterions_word_stands_beside() {
    let comparison = times(&stored("criterion"));
    assert_eq!(comparison.judgement, Judgement::Regressed);
    assert_eq!(comparison.judged_times, 2);
    let [request, sse] = &comparison.benches[..] else {
        panic!("two benchmarks: {comparison:?}");
    };
    assert_eq!(request.name, "wire/request/256");
    assert_eq!(
        (request.unit, request.change.judgement),
        (Unit::Ns, Some(Judgement::Regressed))
    );
    assert!((request.change.ratio.unwrap_or_default() - 1.386).abs() < 0.001);
    let own = request.tool_verdict.as_ref().expect("it is stored");
    assert_eq!(own.sentence, "mean +38.5 % (+35.3 to +41.0 %)");
    assert_eq!(own.judgement, Some(Judgement::Regressed));
    // What is beyond criterion's noise need not matter to us.
    assert_eq!(
        (sse.name.as_str(), sse.change.judgement),
        ("wire/sse/256", Some(Judgement::Equal))
    );
    let own = sse.tool_verdict.as_ref().expect("it is stored");
    assert_eq!(own.judgement, Some(Judgement::Improved));
}

#[test]
fn criterions_word_on_another_pair_is_not_shown() {
    let folder = stored("criterion");
    let back = read((&folder, "new"), (&folder, "first")).expect("both are there");
    assert_eq!(back.judgement, Judgement::Improved);
    assert!(
        back.benches
            .iter()
            .all(|bench| bench.tool_verdict.is_none())
    );
    let changed = copy("criterion");
    let file = changed.path().join("wire/sse/256/change/estimates.json");
    change(&file, |json| json["mean"]["point_estimate"] = json!(0.5));
    assert_eq!(times(changed.path()).benches[1].tool_verdict, None);
}

#[test]
fn without_samples_criterions_own_interval_judges() {
    let folder = copy("criterion");
    for baseline in ["first", "new"] {
        let sample = format!("wire/request/256/{baseline}/sample.json");
        fs::remove_file(folder.path().join(sample)).expect("it was there");
    }
    let comparison = times(folder.path());
    let request = &comparison.benches[0];
    assert_eq!(request.change.judgement, Some(Judgement::Regressed));
    assert!((request.change.ratio.unwrap_or_default() - 1.385).abs() < 0.001);
}

#[test]
fn few_samples_and_no_estimates_are_not_judged() {
    let folder = copy("criterion");
    let place = folder.path().join("wire/request/256/new");
    fs::remove_file(place.join("estimates.json")).expect("it was there");
    change(&place.join("sample.json"), |json| {
        for list in ["iters", "times"] {
            json[list].as_array_mut().expect("a list").truncate(5);
        }
    });
    let comparison = times(folder.path());
    assert_eq!(comparison.judged_times, 1);
    let request = &comparison.benches[0].change;
    assert!(
        request.ratio.is_some() && request.judgement.is_none(),
        "{request:?}"
    );
}

#[test]
fn what_one_side_lacks_is_shown_without_a_judgement() {
    let folder = copy("criterion");
    fs::remove_dir_all(folder.path().join("wire/sse/256/first")).expect("it was there");
    let comparison = times(folder.path());
    let sse = &comparison.benches[1].change;
    assert!(
        sse.a.is_none() && sse.b.is_some() && sse.judgement.is_none(),
        "{sse:?}"
    );
}

#[test]
fn instructions_are_judged_by_themselves() {
    let (a, b) = (stored("gungraun-a"), copy("gungraun-b"));
    let compared = || read((&a, "new"), (b.path(), "new")).expect("both are there");
    let same = compared();
    assert_eq!(same.judgement, Judgement::Equal);
    let names: Vec<&str> = same
        .benches
        .iter()
        .map(|bench| bench.name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "instructions::envelope::digest_exact",
            "instructions::envelope::seal_into gcm_64"
        ]
    );
    assert_eq!(
        (same.benches[0].change.a, same.benches[0].unit),
        (Some(35813.0), Unit::Instructions)
    );
    let own = same.benches[0]
        .tool_verdict
        .as_ref()
        .expect("a limit was exceeded");
    assert_eq!(own.sentence, "Ir is 35813, beyond its limit of 1000");
    let file = b.path().join("envelope/digest_exact/summary.json");
    let more = |count: u64| {
        change(&file, |json| {
            let total = &mut json["profiles"][0]["data"]["total"];
            total["metrics"]["Ir"]["values"]["new"] = count.into();
            total["regressions"] = json!([]);
        });
    };
    more(36_500);
    let comparison = compared();
    assert_eq!(comparison.judgement, Judgement::Regressed);
    assert_eq!(comparison.benches[0].tool_verdict, None);
    more(35_900);
    assert_eq!(compared().judgement, Judgement::Equal);
    more(30_000);
    assert_eq!(compared().judgement, Judgement::Improved);
}

#[test]
fn what_cannot_be_read_is_named() {
    let good = stored("criterion");
    let told = |folder: &Path, baseline| {
        let result = read((&good, "new"), (folder, baseline));
        result.expect_err("it is bad").to_string()
    };
    let empty = tempfile::tempdir().expect("a temporary folder");
    let said = told(empty.path(), "new");
    assert!(
        said.contains("no baseline `new` of criterion, and no summary.json"),
        "{said}"
    );
    let said = told(&empty.path().join("nowhere"), "new");
    assert!(said.starts_with("cannot read "), "{said}");
    let said = told(&stored("criterion/wire"), "other");
    assert!(said.contains("no baseline `other`"), "{said}");
    let sample = |content: &str| {
        let folder = copy("criterion");
        let file = folder.path().join("wire/sse/256/new/sample.json");
        fs::write(file, content).expect("it can be written");
        told(folder.path(), "new")
    };
    for (content, words) in [
        ("", "sample.json: not as criterion writes it: .: EOF"),
        ("{\"iters\":[1", "EOF"),
        ("{\"iters\":[1.0]}", "missing field `times`"),
        (
            "{\"iters\":[],\"times\":[]}",
            "it has 0 counts of iterations and 0 times",
        ),
        (
            "{\"iters\":[1.0,2.0],\"times\":[5.0]}",
            "it has 2 counts of iterations and 1 times",
        ),
        (
            "{\"iters\":[1.0,0.0],\"times\":[5.0,0.0]}",
            "sample 2 took 0 ns for 0 iterations",
        ),
        (
            "{\"iters\":[1.0],\"times\":[null]}",
            "times[0]: invalid type: null",
        ),
        ("{\"iters\":[1.0],\"times\":[5.0]} x", "trailing characters"),
    ] {
        let said = sample(content);
        assert!(said.contains(words), "{words}: {said}");
    }
    let folder = copy("gungraun-b");
    let file = folder.path().join("envelope/digest_exact/summary.json");
    change(&file, |json| {
        json["profiles"][0]["data"]["total"]["metrics"]["Ir"]["values"] = json!({"old": 3});
    });
    let said = told(folder.path(), "new");
    assert!(
        said.contains("no instructions (metrics.Ir.values.new)"),
        "{said}"
    );
}

/// To update the file: `UPDATE_SCHEMA=1 cargo test -p loadgen-measure schema`.
#[test]
fn the_committed_schema_of_bench_comparisons_is_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/bench-compare-v1.schema.json");
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        fs::write(&file, bench_comparison_schema()).expect("it can be written");
    }
    let text = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        text == bench_comparison_schema(),
        "schema/bench-compare-v1.schema.json is out of date"
    );
    let schema: Value = serde_json::from_str(&text).expect("it is JSON");
    let validator = jsonschema::validator_for(&schema).expect("it is a schema");
    let comparison = times(&stored("criterion"));
    let json: Value = serde_json::from_str(&comparison.to_json()).expect("its own JSON");
    let problems: Vec<String> = validator
        .iter_errors(&json)
        .map(|e| e.to_string())
        .collect();
    assert_eq!(problems, [""; 0]);
}
