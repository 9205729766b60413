use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, Tag, UnboundKey};

use super::{Failed, TAG_MAX};
use crate::algorithm::Algorithm;

/// A key scheduled by ring.
pub(crate) enum Scheduled {
    Aead(LessSafeKey),
}

impl Scheduled {
    pub(crate) fn new(algorithm: Algorithm, key: &[u8]) -> Option<Self> {
        let aead = match algorithm {
            Algorithm::Aes256Gcm => &AES_256_GCM,
        };
        let unbound = UnboundKey::new(aead, key).ok()?;
        Some(Self::Aead(LessSafeKey::new(unbound)))
    }

    pub(crate) fn seal(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: &mut [u8],
    ) -> Result<[u8; TAG_MAX], Failed> {
        match self {
            Self::Aead(key) => {
                let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| Failed)?;
                let tag = key
                    .seal_in_place_separate_tag(nonce, Aad::from(aad), text)
                    .map_err(|_| Failed)?;
                tag.as_ref().try_into().map_err(|_| Failed)
            }
        }
    }

    pub(crate) fn open(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: &mut [u8],
        tag: &[u8],
    ) -> Result<(), Failed> {
        match self {
            Self::Aead(key) => {
                let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| Failed)?;
                let tag = Tag::try_from(tag).map_err(|_| Failed)?;
                key.open_in_place_separate_tag(nonce, Aad::from(aad), tag, text, 0..)
                    .map(|_| ())
                    .map_err(|_| Failed)
            }
        }
    }
}
