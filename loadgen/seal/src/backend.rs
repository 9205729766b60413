use std::fmt;
use std::str::FromStr;

use crate::algorithm::{Algorithm, list};

#[cfg(feature = "aws-lc-rs")]
mod aws_lc_rs;
#[cfg(feature = "ring")]
mod ring;

/// Bytes of the longest tag.
pub(crate) const TAG_MAX: usize = 16;

/// Who computes the algorithm. Backends of one algorithm make and accept the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Backend {
    /// The `aws-lc-rs` crate.
    AwsLcRs,
    /// The `ring` crate.
    Ring,
}

impl Backend {
    /// Every backend this crate can be built with.
    pub const ALL: &'static [Self] = &[Self::AwsLcRs, Self::Ring];

    /// The name used in scenarios, flags and reports; also the cargo feature.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AwsLcRs => "aws-lc-rs",
            Self::Ring => "ring",
        }
    }

    /// Whether this build holds the backend and this processor can run it.
    pub fn is_available(self) -> bool {
        match self {
            Self::AwsLcRs => cfg!(feature = "aws-lc-rs"),
            Self::Ring => cfg!(feature = "ring"),
        }
    }

    /// Whether the backend computes `algorithm`.
    pub const fn supports(self, algorithm: Algorithm) -> bool {
        match (self, algorithm) {
            (Self::AwsLcRs | Self::Ring, Algorithm::Aes256Gcm) => true,
        }
    }

    /// The backends of this build that compute `algorithm` on this processor.
    pub fn available_for(algorithm: Algorithm) -> Vec<Self> {
        Self::ALL
            .iter()
            .copied()
            .filter(|b| b.is_available() && b.supports(algorithm))
            .collect()
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no backend of this crate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown backend {0:?}: use one of {names}", names = list(Backend::ALL))]
pub struct UnknownBackend(pub String);

impl FromStr for Backend {
    type Err = UnknownBackend;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|b| b.name() == name)
            .ok_or_else(|| UnknownBackend(name.to_owned()))
    }
}

/// The one failure of a cipher: the tag does not match, or the input is outside its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Failed;

/// A key scheduled once in one backend. Stored inline, so that scheduling one allocates nothing
/// on the Rust heap; one branch per token, none per block.
#[allow(
    clippy::large_enum_variant,
    reason = "a boxed key would cost an allocation where a derived one is scheduled while opening"
)]
pub(crate) enum Cipher {
    #[cfg(feature = "aws-lc-rs")]
    AwsLcRs(aws_lc_rs::Scheduled),
    #[cfg(feature = "ring")]
    Ring(ring::Scheduled),
}

impl Cipher {
    /// Schedules `key`, which is `algorithm.key_bytes()` long. `None` when this build or this
    /// backend lacks the algorithm.
    pub(crate) fn new(backend: Backend, algorithm: Algorithm, key: &[u8]) -> Option<Self> {
        match backend {
            #[cfg(feature = "aws-lc-rs")]
            Backend::AwsLcRs => aws_lc_rs::Scheduled::new(algorithm, key).map(Self::AwsLcRs),
            #[cfg(feature = "ring")]
            Backend::Ring => ring::Scheduled::new(algorithm, key).map(Self::Ring),
            #[allow(unreachable_patterns, reason = "reached when a feature is off")]
            _ => None,
        }
    }

    /// Encrypts `text` in place and returns the tag.
    pub(crate) fn seal(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: &mut [u8],
    ) -> Result<[u8; TAG_MAX], Failed> {
        match self {
            #[cfg(feature = "aws-lc-rs")]
            Self::AwsLcRs(key) => key.seal(nonce, aad, text),
            #[cfg(feature = "ring")]
            Self::Ring(key) => key.seal(nonce, aad, text),
        }
    }

    /// Decrypts `text` in place if `tag` matches; otherwise `text` holds nothing of use.
    pub(crate) fn open(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: &mut [u8],
        tag: &[u8],
    ) -> Result<(), Failed> {
        match self {
            #[cfg(feature = "aws-lc-rs")]
            Self::AwsLcRs(key) => key.open(nonce, aad, text, tag),
            #[cfg(feature = "ring")]
            Self::Ring(key) => key.open(nonce, aad, text, tag),
        }
    }
}
