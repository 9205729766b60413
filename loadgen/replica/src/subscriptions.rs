//! `subscriptions/listen`: who listens on this replica, and what they are told.
//!
//! A replica tells only of what happened on itself: nothing is shared in a fleet.

mod change;
mod filter;
mod listen;

use loadgen_protocol::names::meta;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, broadcast, watch};

pub(crate) use change::Change;
pub(crate) use filter::Filter;

/// How many may listen at the same time: each holds its request, a connection and up to 16
/// notifications that wait for it.
pub(crate) const LISTENERS_MAX: usize = 1024;
/// The longest request to listen, in bytes: it stays in memory as long as somebody listens.
pub(crate) const REQUEST_MAX_BYTES: usize = 16 << 10;
/// How many changes are kept for those who have not been told yet. Whoever falls further behind is
/// told of everything at once.
const CHANGES_KEPT: usize = 64;

/// The listeners of one replica.
pub(crate) struct Subscriptions {
    changes: broadcast::Sender<Change>,
    ended: watch::Sender<bool>,
    seats: Semaphore,
}

impl Subscriptions {
    pub(crate) fn new() -> Self {
        Self {
            changes: broadcast::Sender::new(CHANGES_KEPT),
            ended: watch::Sender::new(false),
            seats: Semaphore::new(LISTENERS_MAX),
        }
    }

    /// Tells everybody who wants to know.
    pub(crate) fn announce(&self, change: Change) {
        // There may be nobody.
        let _ = self.changes.send(change);
    }

    /// Ends every subscription, and any that begins from now on: the replica stops.
    pub(crate) fn end(&self) {
        self.ended.send_replace(true);
    }
}

/// The result that ends the subscription which `id` asked for.
pub(crate) fn closed(id: &RawValue, about: &RawValue) -> Box<RawValue> {
    let mut about: Value = serde_json::from_str(about.get()).expect("written by this replica");
    about[meta::SUBSCRIPTION_ID] = serde_json::from_str(id.get()).expect("an id is JSON");
    to_raw_value(&json!({ "resultType": "complete", "_meta": about }))
        .expect("a JSON value serialises")
}
