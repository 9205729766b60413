use std::time::Duration;

use serde::Deserialize;

/// The longest time that a fault can be asked for, in milliseconds: an hour.
pub(crate) const MAX_MS: u64 = 3_600_000;

/// A time written as whole milliseconds, at most [`MAX_MS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u64")]
pub(crate) struct Millis(Duration);

impl Millis {
    pub(crate) const fn get(self) -> Duration {
        self.0
    }
}

impl TryFrom<u64> for Millis {
    type Error = String;

    fn try_from(ms: u64) -> Result<Self, String> {
        if ms <= MAX_MS {
            Ok(Self(Duration::from_millis(ms)))
        } else {
            Err(format!("milliseconds must be at most {MAX_MS}"))
        }
    }
}
