use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rate_limit::jain;
use crate::principal::{PrincipalTally, Principals};

/// What became of the workflows of each principal. Who they are stands nowhere: a principal is its
/// place in the scenario's list of tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PrincipalsResult {
    /// Tokens in the list.
    pub count: u64,
    /// The first 1000 of them, in the order of the list. Since a workflow's principal has nothing to
    /// do with that order, they are a fair sample of more.
    pub each: Vec<PrincipalResult>,
    /// All others together; absent when there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<PrincipalResult>,
}

/// Counts of one principal, warm-up included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PrincipalResult {
    /// Workflows that were taken up.
    pub started: u64,
    /// Workflows that ended well.
    pub ok: u64,
    /// Workflows that ended because a rate limit refused them.
    pub throttled: u64,
    /// Attempts that a rate limit refused.
    pub refused: u64,
    /// Seconds that its rounds waited for another attempt or were held back, all together.
    pub waited_s: f64,
}

impl PrincipalsResult {
    pub(crate) fn of(principals: &Principals) -> Self {
        Self {
            count: principals.count as u64,
            each: principals.each().iter().map(PrincipalResult::of).collect(),
            others: principals.others().map(PrincipalResult::of),
        }
    }

    /// How evenly workflows ended well over the principals of the list, 1 to 1/n; `None` with fewer than
    /// two, and when nothing ended well.
    pub fn fairness(&self) -> Option<f64> {
        let ok: Vec<u64> = self.each.iter().map(|principal| principal.ok).collect();
        jain(&ok)
    }
}

impl PrincipalResult {
    fn of(tally: &PrincipalTally) -> Self {
        Self {
            started: tally.started,
            ok: tally.ok,
            throttled: tally.throttled,
            refused: tally.refused,
            waited_s: tally.waited_ns as f64 / 1e9,
        }
    }
}
