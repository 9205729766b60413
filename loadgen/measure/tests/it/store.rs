use std::fs;

use loadgen_measure::{Recorder, RunResult, save_atomically};

use crate::fixture::{facts, json, shape, wizards};

fn result() -> RunResult {
    let mut recorder = Recorder::new(&shape());
    wizards(&mut recorder, 30, |_, _| false);
    RunResult::new(facts(30), &recorder)
}

#[test]
fn a_result_survives_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.json");
    let result = result();
    result.save(&path).unwrap();
    assert_eq!(RunResult::load(&path).unwrap(), result);
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(names.len(), 1, "no temporary file is left");
    let figures = result.all.ok().unwrap().response.as_ref().unwrap();
    let latency = figures.latency().unwrap();
    assert_eq!(latency.count(), figures.count);
    assert_eq!(latency.max_ns(), Some(figures.max_ns));
    assert_eq!(latency.quantile_ns(0.99), Some(figures.p99_ns));
    let bytes = result.all.rounds[0].request.as_ref().unwrap();
    assert_eq!(bytes.sizes().unwrap().max_bytes(), Some(bytes.max_bytes));
}

#[test]
fn a_failed_write_leaves_the_old_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no/such/folder/result.json");
    let error = save_atomically(&missing, b"x").unwrap_err().to_string();
    assert!(error.contains("no/such/folder/result.json"), "{error}");

    // A folder in the way of the rename.
    let path = folder.path().join("result.json");
    fs::create_dir(&path).unwrap();
    fs::write(path.join("kept"), "old").unwrap();
    save_atomically(&path, b"new").unwrap_err();
    assert_eq!(fs::read_to_string(path.join("kept")).unwrap(), "old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_wrong_file_is_refused_by_name_and_field() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd.json");
    let load = |text: &str| {
        fs::write(&path, text).unwrap();
        RunResult::load(&path).unwrap_err().to_string()
    };
    let good: serde_json::Value = serde_json::from_str(&json(&result())).unwrap();
    let changed = |change: fn(&mut serde_json::Value)| {
        let mut json = good.clone();
        change(&mut json);
        json.to_string()
    };
    let wrong_type = load(&changed(|json| json["load"]["planned"] = "many".into()));
    assert!(wrong_type.contains("odd.json") && wrong_type.contains("load.planned"));
    let missing = load(&changed(|json| {
        json.as_object_mut().unwrap().remove("matrix");
    }));
    assert!(missing.contains("missing field `matrix`"), "{missing}");
    let version = load(&changed(|json| json["schema_version"] = 2.into()));
    assert!(version.contains("schema_version is 2"), "{version}");
    let other_version = load("{\"schema_version\": 99}");
    assert!(other_version.contains("schema_version is 99"));
    for text in [
        "",
        "[]",
        "{}",
        "{\"schema_version\": \"one\"}",
        "\u{feff}{}",
    ] {
        assert!(load(text).contains("odd.json"), "{text:?}");
    }
    let gone = RunResult::load(&folder.path().join("gone.json")).unwrap_err();
    assert!(gone.to_string().contains("gone.json"));
}

#[test]
fn a_damaged_histogram_is_noticed() {
    let result = result();
    let mut figures = result.all.ok().unwrap().response.clone().unwrap();
    figures.count += 1;
    let error = figures.latency().unwrap_err().to_string();
    assert!(error.contains("30") && error.contains("31"), "{error}");
}
