use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// What could not be done; empty when all was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
}
