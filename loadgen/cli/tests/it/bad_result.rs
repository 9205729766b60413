//! `loadgen report` on what is no result.

use serde_json::json;

use crate::program::Desk;

#[test]
fn a_missing_result_is_named() {
    let desk = Desk::new();
    let said = desk.refused(["report", "nowhere"], 2);
    assert!(said.contains("cannot read nowhere: "), "{said}");
    std::fs::create_dir(desk.path("empty")).expect("a writable folder");
    let said = desk.refused(["report", "empty"], 2);
    assert!(said.contains("cannot read empty/result.json: "), "{said}");
}

#[test]
fn what_is_no_json_is_refused() {
    let desk = Desk::new();
    for text in ["", "hello", "{\"schema_version\": 1", "[]"] {
        desk.file("result.json", text);
        let said = desk.refused(["report", "result.json"], 2);
        assert!(said.contains("result.json: not a result file: "), "{said}");
    }
}

#[test]
fn another_version_is_refused() {
    let desk = Desk::new();
    desk.file("result.json", &json!({"schema_version": 999}).to_string());
    assert_eq!(
        desk.refused(["report", "."], 2),
        "loadgen: ./result.json: schema_version is 999, this program reads version 1\n"
    );
}

#[test]
fn a_missing_field_is_named() {
    let desk = Desk::new();
    desk.file("result.json", &json!({"schema_version": 1}).to_string());
    let said = desk.refused(["report", "result.json"], 2);
    assert!(said.contains("missing field `tool`"), "{said}");
}
