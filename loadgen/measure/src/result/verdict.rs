use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The judgement on a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// The judgement, for machines.
    pub status: Status,
    /// Why, one sentence each; empty when good.
    pub reasons: Vec<String>,
}

/// Judgements. When several apply, the first of interrupted, invalid, threshold missed is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Every threshold was kept.
    Good,
    /// A threshold was missed, or nothing ended well.
    ThresholdMissed,
    /// The load generator was the bottleneck, an event did not happen, or the result contradicts
    /// itself.
    Invalid,
    /// An interrupt ended it early.
    Interrupted,
}

impl Status {
    /// The exit code of the program for it.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Good => 0,
            Self::ThresholdMissed => 3,
            Self::Invalid => 5,
            Self::Interrupted => 130,
        }
    }
}
