use std::fmt;
use std::str::FromStr;

/// What protects a token. The id travels in the token's first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Algorithm {
    /// AES-256-GCM (NIST SP 800-38D), id 1: the smallest encrypted token; a random 96-bit nonce,
    /// so at most 2^32 tokens per key over the whole fleet.
    Aes256Gcm,
}

impl Algorithm {
    /// Every algorithm this crate knows, in the order of their ids.
    pub const ALL: &'static [Self] = &[Self::Aes256Gcm];

    /// The id in the low four bits of a token's first byte.
    pub const fn id(self) -> u8 {
        match self {
            Self::Aes256Gcm => 1,
        }
    }

    /// The algorithm with this id, if there is one.
    pub fn from_id(id: u8) -> Option<Self> {
        Self::ALL.iter().copied().find(|a| a.id() == id)
    }

    /// The name used in scenarios, flags and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aes256Gcm => "aes-256-gcm",
        }
    }

    /// Nonce length in bytes, 0 when there is none.
    pub const fn nonce_bytes(self) -> usize {
        match self {
            Self::Aes256Gcm => 12,
        }
    }

    /// Tag length in bytes.
    pub const fn tag_bytes(self) -> usize {
        match self {
            Self::Aes256Gcm => 16,
        }
    }

    /// Length in bytes of the key that HKDF derives for this algorithm.
    pub const fn key_bytes(self) -> usize {
        match self {
            Self::Aes256Gcm => 32,
        }
    }

    /// How many tokens one key may seal, counted over the whole fleet.
    ///
    /// AES-256-GCM with random 96-bit nonces: 2^32 (NIST SP 800-38D, section 8.3).
    pub const fn seal_bound(self) -> u64 {
        match self {
            Self::Aes256Gcm => 1 << 32,
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no algorithm of this crate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown algorithm {0:?}: use one of {names}", names = list(Algorithm::ALL))]
pub struct UnknownAlgorithm(pub String);

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|a| a.name() == name)
            .ok_or_else(|| UnknownAlgorithm(name.to_owned()))
    }
}

/// The names of `all`, with commas, for messages.
pub(crate) fn list<T: fmt::Display>(all: &[T]) -> String {
    let names: Vec<String> = all.iter().map(ToString::to_string).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_lead_back_to_the_algorithm() {
        for &algorithm in Algorithm::ALL {
            assert_eq!(algorithm.name().parse(), Ok(algorithm));
            assert_eq!(Algorithm::from_id(algorithm.id()), Some(algorithm));
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let said = "rot13".parse::<Algorithm>().unwrap_err().to_string();
        assert!(
            said.contains("rot13") && said.contains("aes-256-gcm"),
            "{said}"
        );
    }
}
