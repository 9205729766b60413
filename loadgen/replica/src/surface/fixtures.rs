//! What the official conformance suite looks up by name; see `scripts/peers/CONFORMANCE.md`.

pub(super) mod ask;
pub(super) mod capability;
pub(super) mod change;
pub(super) mod content;
pub(super) mod logging;
pub(super) mod progress;
pub(super) mod prompts;
pub(super) mod resources;
pub(super) mod rounds;
pub(super) mod schema;

use serde_json::{Value, json};

/// A PNG picture of one pixel, in base64.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgSDsDAAGcATPhsmC5AAAAAElFTkSuQmCC";
/// A WAV sound of eight silent samples, in base64.
const WAV: &str = "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==";

/// How a tool without arguments is listed.
fn plain(description: &str) -> Value {
    json!({ "description": description, "inputSchema": { "type": "object" } })
}
