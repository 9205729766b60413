use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use loadgen_measure::{HlogError, PackedLatency, Recorder, RunResult};

use base64::Engine as _;

use crate::fixture::{facts, shape, wizards};

fn hlog(result: &RunResult) -> Result<String, HlogError> {
    let mut text = Vec::new();
    result.write_hlog(&mut text)?;
    Ok(String::from_utf8(text).unwrap())
}

#[test]
fn the_log_holds_every_success_under_its_round() {
    let mut recorder = Recorder::new(&shape());
    wizards(&mut recorder, 90, |_, _| false);
    let result = RunResult::new(facts(90), &recorder);
    let text = hlog(&result).unwrap();
    assert!(text.starts_with("#[Histogram log format version 1.3]\n"));
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for entry in IntervalLogIterator::new(text.as_bytes()) {
        match entry.unwrap() {
            LogEntry::Interval(interval) => {
                let bytes = base64::engine::general_purpose::STANDARD
                    .decode(interval.encoded_histogram())
                    .unwrap();
                let histogram: Histogram<u64> =
                    Deserializer::new().deserialize(&mut &bytes[..]).unwrap();
                assert_eq!(interval.duration().as_secs(), 1);
                assert!(interval.max() < 10.0, "milliseconds");
                // Three decimals are written.
                let max = histogram.max() as f64 / 1e6;
                assert!((interval.max() - max).abs() <= 0.000_501, "{max}");
                *counts
                    .entry(interval.tag().unwrap().as_str().to_owned())
                    .or_default() += histogram.len();
            }
            LogEntry::StartTime(start) | LogEntry::BaseTime(start) => {
                assert_eq!(start.as_secs(), 1_800_000_000);
            }
        }
    }
    let expected = ["round0", "round1", "round2"].map(|tag| (tag.to_owned(), 90));
    assert_eq!(counts, BTreeMap::from(expected));
}

#[test]
fn a_damaged_second_is_named() {
    let mut recorder = Recorder::new(&shape());
    wizards(&mut recorder, 30, |_, _| false);
    let mut result = RunResult::new(facts(30), &recorder);
    result.seconds[1].rounds[2].histogram = PackedLatency::from_bytes(b"nonsense");
    let error = hlog(&result).unwrap_err().to_string();
    assert!(error.contains("seconds[1], round 2"), "{error}");
}

#[test]
fn a_name_with_line_breaks_stays_in_its_comment() {
    let mut result = RunResult::new(facts(0), &Recorder::new(&shape()));
    result.scenario.name = "a\nb\r\nc".into();
    let text = hlog(&result).unwrap();
    assert!(text.contains("#[Scenario: a b  c]\n"), "{text}");
    assert!(text.lines().all(|line| line.starts_with('#')
        || line.starts_with('"')
        || line.starts_with(|c: char| c.is_ascii_digit())));
}
