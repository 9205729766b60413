use ring::aead::{AES_256_GCM, Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, Tag, UnboundKey};
use ring::hmac;
use subtle::ConstantTimeEq;

use super::{CipherFailed, TAG_MAX};
use crate::algorithm::Algorithm;

/// A key scheduled by ring.
#[allow(clippy::large_enum_variant, reason = "as for Cipher")]
pub(crate) enum Scheduled {
    Aead(LessSafeKey),
    Mac(hmac::Key),
}

impl Scheduled {
    pub(crate) fn new(algorithm: Algorithm, key: &[u8]) -> Option<Self> {
        let aead = match algorithm {
            Algorithm::Aes256Gcm => &AES_256_GCM,
            Algorithm::ChaCha20Poly1305 => &CHACHA20_POLY1305,
            Algorithm::HmacSha256 => {
                return Some(Self::Mac(hmac::Key::new(hmac::HMAC_SHA256, key)));
            }
            _ => return None,
        };
        let unbound = UnboundKey::new(aead, key).ok()?;
        Some(Self::Aead(LessSafeKey::new(unbound)))
    }

    pub(crate) fn seal(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: &mut [u8],
    ) -> Result<[u8; TAG_MAX], CipherFailed> {
        match self {
            Self::Aead(key) => {
                let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| CipherFailed)?;
                let tag = key
                    .seal_in_place_separate_tag(nonce, Aad::from(aad), text)
                    .map_err(|_| CipherFailed)?;
                tag.as_ref().try_into().map_err(|_| CipherFailed)
            }
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
            Self::Aead(key) => {
                let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| CipherFailed)?;
                let tag = Tag::try_from(tag).map_err(|_| CipherFailed)?;
                key.open_in_place_separate_tag(nonce, Aad::from(aad), tag, text, 0..)
                    .map(|_| ())
                    .map_err(|_| CipherFailed)
            }
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

/// The first half of HMAC-SHA256 over `aad` and `text`.
fn mac(key: &hmac::Key, aad: &[u8], text: &[u8]) -> [u8; TAG_MAX] {
    let mut context = hmac::Context::with_key(key);
    context.update(aad);
    context.update(text);
    let mut tag = [0; TAG_MAX];
    tag.copy_from_slice(&context.sign().as_ref()[..TAG_MAX]);
    tag
}
