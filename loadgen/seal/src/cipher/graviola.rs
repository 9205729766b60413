use graviola::aead::{AesGcm, ChaCha20Poly1305, XChaCha20Poly1305};

use super::{CipherFailed, TAG_MAX};
use crate::algorithm::Algorithm;

/// A key scheduled by graviola, which needs the processor that `is_cpu_supported` asks for.
#[allow(clippy::large_enum_variant, reason = "as for Cipher")]
pub(crate) enum Scheduled {
    Aes256Gcm(AesGcm),
    ChaCha20Poly1305(ChaCha20Poly1305),
    XChaCha20Poly1305(XChaCha20Poly1305),
}

impl Scheduled {
    pub(crate) fn new(algorithm: Algorithm, key: &[u8]) -> Option<Self> {
        match algorithm {
            Algorithm::Aes256Gcm => Some(Self::Aes256Gcm(AesGcm::new(key))),
            Algorithm::ChaCha20Poly1305 => {
                let key = key.try_into().ok()?;
                Some(Self::ChaCha20Poly1305(ChaCha20Poly1305::new(key)))
            }
            Algorithm::XChaCha20Poly1305 => {
                let key = key.try_into().ok()?;
                Some(Self::XChaCha20Poly1305(XChaCha20Poly1305::new(key)))
            }
            _ => None,
        }
    }

    pub(crate) fn seal(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: &mut [u8],
    ) -> Result<[u8; TAG_MAX], CipherFailed> {
        let mut tag = [0; TAG_MAX];
        match self {
            Self::Aes256Gcm(key) => key.encrypt(fixed(nonce)?, aad, text, &mut tag),
            Self::ChaCha20Poly1305(key) => key.encrypt(fixed(nonce)?, aad, text, &mut tag),
            Self::XChaCha20Poly1305(key) => key.encrypt(fixed(nonce)?, aad, text, &mut tag),
        }
        Ok(tag)
    }

    pub(crate) fn open(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: &mut [u8],
        tag: &[u8],
    ) -> Result<(), CipherFailed> {
        match self {
            Self::Aes256Gcm(key) => key.decrypt(fixed(nonce)?, aad, text, tag),
            Self::ChaCha20Poly1305(key) => key.decrypt(fixed(nonce)?, aad, text, tag),
            Self::XChaCha20Poly1305(key) => key.decrypt(fixed(nonce)?, aad, text, tag),
        }
        .map_err(|_| CipherFailed)
    }
}

fn fixed<const N: usize>(bytes: &[u8]) -> Result<&[u8; N], CipherFailed> {
    bytes.try_into().map_err(|_| CipherFailed)
}
