use std::path::PathBuf;

use loadgen_measure::{Recorder, RunResult, result_schema};

use crate::fixture::{facts, json, shape, wizards};

fn committed() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("schema/result-v1.schema.json")
}

/// To update the file: `UPDATE_SCHEMA=1 cargo test -p loadgen-measure schema`.
#[test]
fn the_committed_schema_is_current() {
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(committed(), result_schema()).unwrap();
    }
    let text = std::fs::read_to_string(committed()).unwrap();
    assert!(
        text == result_schema(),
        "schema/result-v1.schema.json is out of date; update it with \
         `UPDATE_SCHEMA=1 cargo test -p loadgen-measure schema`"
    );
}

fn problems(json: &serde_json::Value) -> Vec<String> {
    let text = std::fs::read_to_string(committed()).unwrap();
    let schema: serde_json::Value = serde_json::from_str(&text).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    validator
        .iter_errors(json)
        .map(|error| error.to_string())
        .collect()
}

#[test]
fn results_are_valid_and_broken_ones_are_not() {
    let mut recorder = Recorder::new(&shape());
    let empty = RunResult::new(facts(0), &recorder);
    wizards(&mut recorder, 30, |minted_by, opened_by| {
        minted_by > opened_by
    });
    let full = RunResult::new(facts(30), &recorder);
    for result in [empty, full] {
        let mut json: serde_json::Value = serde_json::from_str(&json(&result)).unwrap();
        assert_eq!(problems(&json), [""; 0]);
        json["load"]["planned"] = "many".into();
        assert_eq!(problems(&json).len(), 1);
    }
}
