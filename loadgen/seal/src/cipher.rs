use crate::algorithm::Algorithm;
use crate::backend::Backend;

#[cfg(feature = "aegis")]
mod aegis;
#[cfg(feature = "aws-lc-rs")]
mod aws_lc_rs;
#[cfg(feature = "blake3")]
mod blake3;
#[cfg(feature = "graviola")]
mod graviola;
mod plain;
#[cfg(feature = "ring")]
mod ring;
#[cfg(feature = "rustcrypto")]
mod rustcrypto;

/// Bytes of the longest tag.
pub(crate) const TAG_MAX: usize = 16;

/// The one failure of a cipher: the tag does not match, or an input has a length it cannot have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the cipher refused its input")]
pub struct CipherFailed;

/// A key scheduled once in one backend. Stored inline, so that scheduling one allocates nothing on
/// the Rust heap; one branch per token, none per block.
///
/// XAES-256-GCM is not here: it is AES-256-GCM under keys that [`crate::xaes`] derives.
#[allow(
    clippy::large_enum_variant,
    reason = "a boxed key would cost an allocation where a derived one is scheduled while opening"
)]
pub(crate) enum Cipher {
    #[cfg(feature = "aws-lc-rs")]
    AwsLcRs(aws_lc_rs::Scheduled),
    #[cfg(feature = "ring")]
    Ring(ring::Scheduled),
    #[cfg(feature = "rustcrypto")]
    RustCrypto(rustcrypto::Scheduled),
    #[cfg(feature = "graviola")]
    Graviola(graviola::Scheduled),
    #[cfg(feature = "blake3")]
    Blake3(blake3::Scheduled),
    #[cfg(feature = "aegis")]
    Aegis(aegis::Scheduled),
    Plain(plain::Scheduled),
}

/// Calls the same function of whichever backend the key is scheduled in.
macro_rules! each {
    ($cipher:expr, $key:ident => $call:expr) => {
        match $cipher {
            #[cfg(feature = "aws-lc-rs")]
            Cipher::AwsLcRs($key) => $call,
            #[cfg(feature = "ring")]
            Cipher::Ring($key) => $call,
            #[cfg(feature = "rustcrypto")]
            Cipher::RustCrypto($key) => $call,
            #[cfg(feature = "graviola")]
            Cipher::Graviola($key) => $call,
            #[cfg(feature = "blake3")]
            Cipher::Blake3($key) => $call,
            #[cfg(feature = "aegis")]
            Cipher::Aegis($key) => $call,
            Cipher::Plain($key) => $call,
        }
    };
}

impl Cipher {
    /// Schedules `key`. `None` when the build or the backend lacks the algorithm, or the key has
    /// not the algorithm's length. The backend has been found available by the caller.
    pub(crate) fn new(backend: Backend, algorithm: Algorithm, key: &[u8]) -> Option<Self> {
        if key.len() != algorithm.key_bytes() {
            return None;
        }
        match backend {
            #[cfg(feature = "aws-lc-rs")]
            Backend::AwsLcRs => aws_lc_rs::Scheduled::new(algorithm, key).map(Self::AwsLcRs),
            #[cfg(feature = "ring")]
            Backend::Ring => ring::Scheduled::new(algorithm, key).map(Self::Ring),
            #[cfg(feature = "rustcrypto")]
            Backend::RustCrypto => rustcrypto::Scheduled::new(algorithm, key).map(Self::RustCrypto),
            #[cfg(feature = "graviola")]
            Backend::Graviola => graviola::Scheduled::new(algorithm, key).map(Self::Graviola),
            #[cfg(feature = "blake3")]
            Backend::Blake3 => blake3::Scheduled::new(algorithm, key).map(Self::Blake3),
            #[cfg(feature = "aegis")]
            Backend::Aegis => aegis::Scheduled::new(algorithm, key).map(Self::Aegis),
            Backend::Plain => plain::Scheduled::new(algorithm).map(Self::Plain),
            #[allow(unreachable_patterns, reason = "reached when a feature is off")]
            _ => None,
        }
    }

    /// Encrypts `text` in place and returns the tag, zeros behind a shorter one.
    pub(crate) fn seal(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: &mut [u8],
    ) -> Result<[u8; TAG_MAX], CipherFailed> {
        each!(self, key => key.seal(nonce, aad, text))
    }

    /// Decrypts `text` in place if `tag` matches; otherwise `text` holds nothing of use.
    pub(crate) fn open(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: &mut [u8],
        tag: &[u8],
    ) -> Result<(), CipherFailed> {
        each!(self, key => key.open(nonce, aad, text, tag))
    }
}
