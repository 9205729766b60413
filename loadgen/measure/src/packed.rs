use std::sync::Arc;

use base64::Engine as _;
use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{HistogramError, Latency};

/// A distribution of times as HdrHistogram V2 bytes, compressed; in a file their standard base64.
/// Copies share the bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedLatency(Arc<[u8]>);

impl PackedLatency {
    /// Packs a distribution. Its exact minimum, maximum and sum are lost.
    #[must_use]
    pub fn of(latency: &Latency) -> Self {
        Self::from_bytes(&latency.to_bytes())
    }

    /// These bytes, which nobody looks at before [`PackedLatency::latency`].
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(Arc::from(bytes))
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The distribution. Minimum, maximum and sum are those of its buckets.
    ///
    /// # Errors
    /// As [`Latency::from_bytes`].
    pub fn latency(&self) -> Result<Latency, HistogramError> {
        Latency::from_bytes(&self.0)
    }
}

impl Serialize for PackedLatency {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&Base64Display::new(&self.0, &STANDARD))
    }
}

impl<'de> Deserialize<'de> for PackedLatency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = STANDARD.decode(text).map_err(D::Error::custom)?;
        Ok(Self(Arc::from(bytes)))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn it_is_written_as_the_base64_of_the_distribution_and_read_back() {
        let mut latency = Latency::new();
        latency.record(Duration::from_micros(750));
        let packed = PackedLatency::of(&latency);
        let text = serde_json::to_string(&packed).unwrap();
        assert_eq!(text, format!("\"{}\"", latency.to_base64()));
        assert_eq!(
            serde_json::from_str::<PackedLatency>(&text).unwrap(),
            packed
        );
        assert_eq!(packed.latency().unwrap().count(), 1);
        assert!(serde_json::from_str::<PackedLatency>("\"!\"").is_err());
    }
}
