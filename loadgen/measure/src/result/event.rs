use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::findings::{Finding, FindingCode};
use super::run::RunResult;

/// A key that is minted with or dropped.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KeyTurn {
    /// Its id.
    pub key: u8,
    /// From when on no state is refused for it, in seconds from the start of the load: when every
    /// replica accepted the key that is minted with; a state's lifetime after the last replica stopped
    /// minting with the key that is dropped. Null when that did not come.
    pub harmless_from_s: Option<f64>,
}

impl EventResult {
    /// The turn of a key that began before it was harmless; not of one that could not be done.
    pub fn harmful(&self) -> Option<KeyTurn> {
        let (turn, begun_s) = (self.key?, self.begun_s?);
        let early = turn.harmless_from_s.is_none_or(|from| begun_s < from);
        (early && self.errors.is_empty()).then_some(turn)
    }
}

/// Something that the scenario let happen to replicas during the load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EventResult {
    /// Its name in the scenario, or what happened to whom.
    pub name: String,
    /// What happened, as in `kill`.
    pub act: String,
    /// The replicas that it happened to, in its order.
    pub replicas: Vec<usize>,
    /// When it was planned, in seconds from the start of the load.
    pub at_s: f64,
    /// When it was begun, in the same seconds; null when the run ended before.
    pub begun_s: Option<f64>,
    /// When it had been done to the last replica; null when it never was.
    pub done_s: Option<f64>,
    /// When what it did was to end by itself; absent when it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_s: Option<f64>,
    /// The key that it mints with or drops; absent for other acts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<KeyTurn>,
    /// What a limit was changed to, in requests of a principal per second; absent of other acts, and
    /// when the limit was lifted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_per_s: Option<f64>,
    /// What could not be done; empty when all was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
}

/// Events that did not happen as they were planned.
pub(super) fn failed(result: &RunResult) -> impl Iterator<Item = Finding> {
    let over = !result.partial && !result.interrupted;
    result.events.iter().filter_map(move |event| {
        let sentence = match (event.errors.first(), event.done_s) {
            (Some(error), _) => format!("event {}: {error}", event.name),
            (None, None) if over => format!(
                "event {}: it had not been done when the run ended",
                event.name
            ),
            _ => return None,
        };
        let replicas = event.replicas.clone();
        Some(Finding::about(FindingCode::EventFailed, replicas, sentence))
    })
}

/// Keys that were turned in the wrong order, or too early.
pub(super) fn key_turns(result: &RunResult) -> Vec<Finding> {
    let refused: u64 = (result.matrix.cells.iter())
        .map(|cell| cell.state_rejected)
        .sum();
    let finding = |event: &EventResult| {
        let (turn, begun_s) = (event.harmful()?, event.begun_s?);
        let key = turn.key;
        let from = turn.harmless_from_s;
        let sentence = match (event.act.as_str(), from) {
            ("mint-key", Some(from)) => format!(
                "key {key} was minted with from {begun_s:.1} s on, but accepted by every replica \
                 only from {from:.1} s on"
            ),
            ("mint-key", None) => format!(
                "key {key} was minted with from {begun_s:.1} s on, and some replicas never accepted \
                 it"
            ),
            (_, Some(from)) => format!(
                "key {key} was dropped at {begun_s:.1} s, but states of it lived until {from:.1} s: \
                 a lifetime after the last replica stopped minting with it"
            ),
            (_, None) => format!(
                "key {key} was dropped at {begun_s:.1} s while a replica still minted with it"
            ),
        };
        let of = result.matrix.total();
        Some(Finding::about(
            FindingCode::KeyTurnedTooEarly,
            event.replicas.clone(),
            format!("{sentence}; {refused} of {of} returned states were refused in the run"),
        ))
    };
    result.events.iter().filter_map(finding).collect()
}
