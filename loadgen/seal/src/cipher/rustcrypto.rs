use aes_gcm::Aes256Gcm;
use aes_gcm::aead::{AeadInOut, KeyInit};
use aes_gcm_siv::Aes256GcmSiv;
use chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use super::{CipherFailed, TAG_MAX};
use crate::algorithm::Algorithm;

/// A key scheduled by the RustCrypto crates.
#[allow(clippy::large_enum_variant, reason = "as for Cipher")]
pub(crate) enum Scheduled {
    Aes256Gcm(Aes256Gcm),
    Aes256GcmSiv(Aes256GcmSiv),
    ChaCha20Poly1305(ChaCha20Poly1305),
    XChaCha20Poly1305(XChaCha20Poly1305),
    Mac(Hmac<Sha256>),
}

impl Scheduled {
    pub(crate) fn new(algorithm: Algorithm, key: &[u8]) -> Option<Self> {
        match algorithm {
            Algorithm::Aes256Gcm => Aes256Gcm::new_from_slice(key).ok().map(Self::Aes256Gcm),
            Algorithm::Aes256GcmSiv => Aes256GcmSiv::new_from_slice(key)
                .ok()
                .map(Self::Aes256GcmSiv),
            Algorithm::ChaCha20Poly1305 => ChaCha20Poly1305::new_from_slice(key)
                .ok()
                .map(Self::ChaCha20Poly1305),
            Algorithm::XChaCha20Poly1305 => XChaCha20Poly1305::new_from_slice(key)
                .ok()
                .map(Self::XChaCha20Poly1305),
            Algorithm::HmacSha256 => Hmac::new_from_slice(key).ok().map(Self::Mac),
            _ => None,
        }
    }

    pub(crate) fn seal(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: &mut [u8],
    ) -> Result<[u8; TAG_MAX], CipherFailed> {
        match self {
            Self::Aes256Gcm(key) => seal(key, nonce, aad, text),
            Self::Aes256GcmSiv(key) => seal(key, nonce, aad, text),
            Self::ChaCha20Poly1305(key) => seal(key, nonce, aad, text),
            Self::XChaCha20Poly1305(key) => seal(key, nonce, aad, text),
            Self::Mac(key) => Ok(mac(key, aad, text)),
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
            Self::Aes256Gcm(key) => open(key, nonce, aad, text, tag),
            Self::Aes256GcmSiv(key) => open(key, nonce, aad, text, tag),
            Self::ChaCha20Poly1305(key) => open(key, nonce, aad, text, tag),
            Self::XChaCha20Poly1305(key) => open(key, nonce, aad, text, tag),
            Self::Mac(key) => {
                let good = mac(key, aad, text).ct_eq(tag);
                if good.into() {
                    Ok(())
                } else {
                    Err(CipherFailed)
                }
            }
        }
    }
}

fn seal(
    key: &impl AeadInOut,
    nonce: &[u8],
    aad: &[u8],
    text: &mut [u8],
) -> Result<[u8; TAG_MAX], CipherFailed> {
    let nonce = nonce.try_into().map_err(|_| CipherFailed)?;
    let tag = key
        .encrypt_inout_detached(nonce, aad, text.into())
        .map_err(|_| CipherFailed)?;
    tag.as_slice().try_into().map_err(|_| CipherFailed)
}

fn open(
    key: &impl AeadInOut,
    nonce: &[u8],
    aad: &[u8],
    text: &mut [u8],
    tag: &[u8],
) -> Result<(), CipherFailed> {
    let nonce = nonce.try_into().map_err(|_| CipherFailed)?;
    let tag = tag.try_into().map_err(|_| CipherFailed)?;
    key.decrypt_inout_detached(nonce, aad, text.into(), tag)
        .map_err(|_| CipherFailed)
}

/// The first half of HMAC-SHA256 over `aad` and `text`.
fn mac(key: &Hmac<Sha256>, aad: &[u8], text: &[u8]) -> [u8; TAG_MAX] {
    let whole = key
        .clone()
        .chain_update(aad)
        .chain_update(text)
        .finalize()
        .into_bytes();
    let mut tag = [0; TAG_MAX];
    tag.copy_from_slice(&whole[..TAG_MAX]);
    tag
}
