use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Latency;
use crate::by_outcome::merge_optional;

/// What a request that cannot be sent yet waits for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SlotLimit {
    /// A connection: as many as the scenario allows are open and busy.
    Connections,
    /// A stream: every open HTTP/2 connection carries as many as the server allows at one time, and
    /// no further connection is allowed.
    Streams,
}

impl SlotLimit {
    /// Every limit, in the order of [`SlotLimit::index`].
    pub const ALL: [Self; 2] = [Self::Connections, Self::Streams];

    /// Position in [`SlotLimit::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// What happened between a request and its connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct WireTally {
    waits: [Option<Box<Latency>>; SlotLimit::ALL.len()],
    pub(crate) resent: u64,
    pub(crate) moved: u64,
    /// Attempts that were sent with a trace context, and its bytes in their bodies and header fields.
    pub(crate) traced: [u64; 3],
}

impl WireTally {
    pub(crate) fn wait(&mut self, limit: SlotLimit, time: Duration) {
        self.waits[limit.index()]
            .get_or_insert_default()
            .record(time);
    }

    pub(crate) fn waits(&self, limit: SlotLimit) -> Option<&Latency> {
        self.waits[limit.index()].as_deref()
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.waits.iter_mut().zip(&other.waits) {
            merge_optional(mine, theirs.as_deref());
        }
        self.resent += other.resent;
        self.moved += other.moved;
        for (mine, theirs) in self.traced.iter_mut().zip(other.traced) {
            *mine += theirs;
        }
    }
}
