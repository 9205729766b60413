use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RefusedBody;

/// Requests of one kind that were refused as too large (HTTP 413).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BodyRefusals {
    /// How many.
    pub count: u64,
    /// The earliest round that was refused.
    pub first_round: u16,
    /// The smallest body that was refused, in bytes.
    pub smallest_bytes: u64,
}

impl BodyRefusals {
    pub(crate) fn of(body: &RefusedBody) -> Self {
        Self {
            count: 1,
            first_round: body.round,
            smallest_bytes: body.bytes,
        }
    }

    pub(crate) fn together(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let (Some(a), Some(b)) = (one, other) else {
            return one.or(other);
        };
        Some(Self {
            count: a.count + b.count,
            first_round: a.first_round.min(b.first_round),
            smallest_bytes: a.smallest_bytes.min(b.smallest_bytes),
        })
    }
}
