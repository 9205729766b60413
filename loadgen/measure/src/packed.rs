use std::io;
use std::sync::Arc;

use base64::Engine as _;
use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::spill::Spilled;
use crate::{HistogramError, Latency};

/// A distribution of times as HdrHistogram V2 bytes, compressed; in a file their standard base64.
/// While a run goes on they may stand in a temporary file of it, where an
/// [`Archive`](crate::Archive) put them. Copies share the bytes.
#[derive(Debug, Clone)]
pub struct PackedLatency(Place);

#[derive(Debug, Clone)]
enum Place {
    Memory(Arc<[u8]>),
    File(Spilled),
}

impl PackedLatency {
    /// Packs a distribution. Its exact minimum, maximum and sum are lost.
    #[must_use]
    pub fn of(latency: &Latency) -> Self {
        Self::from_bytes(&latency.to_bytes())
    }

    /// These bytes, which nobody looks at before [`PackedLatency::latency`].
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(Place::Memory(Arc::from(bytes)))
    }

    pub(crate) fn in_file(place: Spilled) -> Self {
        Self(Place::File(place))
    }

    /// The bytes.
    ///
    /// # Errors
    /// When the temporary file cannot be read.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.read_into(&mut bytes)?;
        Ok(bytes)
    }

    /// Puts the bytes in place of what was in `into`.
    pub(crate) fn read_into(&self, into: &mut Vec<u8>) -> io::Result<()> {
        match &self.0 {
            Place::Memory(bytes) => {
                into.clear();
                into.extend_from_slice(bytes);
                Ok(())
            }
            Place::File(place) => place.read_into(into),
        }
    }

    /// The distribution. Minimum, maximum and sum are those of its buckets.
    ///
    /// # Errors
    /// As [`Latency::from_bytes`], and when the temporary file cannot be read.
    pub fn latency(&self) -> Result<Latency, HistogramError> {
        match &self.0 {
            Place::Memory(bytes) => Latency::from_bytes(bytes),
            Place::File(_) => Latency::from_bytes(&self.to_bytes()?),
        }
    }

    /// Whether its bytes are in memory.
    #[cfg(test)]
    pub(crate) fn is_in_memory(&self) -> bool {
        matches!(self.0, Place::Memory(_))
    }
}

/// Wherever the bytes are. Ones that cannot be read are equal to none.
impl PartialEq for PackedLatency {
    fn eq(&self, other: &Self) -> bool {
        match (self.to_bytes(), other.to_bytes()) {
            (Ok(mine), Ok(theirs)) => mine == theirs,
            _ => false,
        }
    }
}

impl Serialize for PackedLatency {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Place::Memory(bytes) => serializer.collect_str(&Base64Display::new(bytes, &STANDARD)),
            Place::File(_) => {
                let bytes = self.to_bytes().map_err(S::Error::custom)?;
                serializer.collect_str(&Base64Display::new(&bytes, &STANDARD))
            }
        }
    }
}

impl<'de> Deserialize<'de> for PackedLatency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = STANDARD.decode(text).map_err(D::Error::custom)?;
        Ok(Self(Place::Memory(Arc::from(bytes))))
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
