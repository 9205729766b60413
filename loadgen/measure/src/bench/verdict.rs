use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Judgement;

/// What the tool that measured said itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolVerdict {
    /// The tool.
    pub tool: String,
    /// Its word, in ours; absent where it found no change, which it does not call equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judgement: Option<Judgement>,
    /// What it goes by.
    pub sentence: String,
}
