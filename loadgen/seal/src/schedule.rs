use crate::algorithm::Algorithm;
use crate::backend::Backend;
use crate::cipher::{Cipher, CipherFailed, TAG_MAX};
use crate::xaes::Xaes;

/// A key scheduled for one algorithm in one backend.
#[allow(
    clippy::large_enum_variant,
    reason = "few, made once, and both variants are large"
)]
pub(crate) enum Schedule {
    /// The backend's cipher takes the nonce as it is.
    Direct(Cipher),
    /// The nonce derives the key of the backend's cipher.
    Xaes(Xaes),
}

impl Schedule {
    /// `None` when the build, the processor or the backend lacks the algorithm, or the key has
    /// another length than the algorithm's.
    pub(crate) fn new(backend: Backend, algorithm: Algorithm, key: &[u8]) -> Option<Self> {
        if !backend.supports(algorithm) || !backend.is_available() {
            return None;
        }
        match algorithm {
            Algorithm::Xaes256Gcm => Xaes::new(backend, key).map(Self::Xaes),
            _ => Cipher::new(backend, algorithm, key).map(Self::Direct),
        }
    }

    pub(crate) fn seal(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: &mut [u8],
    ) -> Result<[u8; TAG_MAX], CipherFailed> {
        match self {
            Self::Direct(cipher) => cipher.seal(nonce, aad, text),
            Self::Xaes(xaes) => xaes.seal(nonce, aad, text),
        }
    }

    pub(crate) fn open(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: &mut [u8],
        tag: &[u8],
    ) -> Result<(), CipherFailed> {
        match self {
            Self::Direct(cipher) => cipher.open(nonce, aad, text, tag),
            Self::Xaes(xaes) => xaes.open(nonce, aad, text, tag),
        }
    }
}
