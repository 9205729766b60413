//! The table of faults tells of every one and of nothing else.

use std::collections::BTreeSet;

use loadgen_replica::{Command, Fault};
use serde_json::json;

use crate::faults::try_tell;
use crate::running::Running;

const DOCS: &str = include_str!("../../../../../docs/faults.md");

/// The names in the first column of the tables under this heading.
fn documented(heading: &str) -> BTreeSet<&'static str> {
    let (_, section) = DOCS
        .split_once(&format!("\n## {heading}\n"))
        .unwrap_or_else(|| panic!("no heading {heading}"));
    let section = section.split("\n## ").next().unwrap();
    section
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .filter_map(|line| line.split('`').next())
        .collect()
}

/// The names that an error about a name offers.
fn offered(error: &str) -> BTreeSet<&str> {
    let (_, names) = error.split_once("there are ").unwrap();
    names.split(", ").collect()
}

#[tokio::test]
async fn every_key_is_documented_and_exists() {
    let replica = Running::start().await;
    let error = try_tell(&replica, &json!({ "set": { "zzzzzz": 1 } })).unwrap_err();
    assert_eq!(documented("Faults"), offered(&error));
}

#[test]
fn every_command_is_documented_and_exists() {
    let error = Command::parse(r#"{"zzzzzz":1}"#).unwrap_err().to_string();
    assert_eq!(documented("Commands"), offered(&error));
}

#[test]
fn whatever_is_counted_has_a_name_of_the_language() {
    let mut known = documented("Faults");
    known.insert("freeze_ms");
    for fault in Fault::ALL {
        assert!(known.contains(fault.name()), "{fault:?}");
    }
}

#[tokio::test]
async fn the_examples_work() {
    let replica = Running::start().await;
    let examples: Vec<&str> = DOCS
        .split("```json\n")
        .skip(1)
        .flat_map(|block| block.split("```").next().unwrap().lines())
        .collect();
    assert!(examples.len() >= 3);
    for example in examples {
        let command = Command::parse(example).unwrap_or_else(|e| panic!("{example}: {e}"));
        let obeyed = replica.replica.obey(command);
        assert!(obeyed.is_ok(), "{example}: {obeyed:?}");
    }
}
