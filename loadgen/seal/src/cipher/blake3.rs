use blake3::Hasher;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::{CipherFailed, TAG_MAX};
use crate::algorithm::Algorithm;

/// A key of the blake3 crate, which has no schedule.
pub(crate) struct Scheduled(Zeroizing<[u8; blake3::KEY_LEN]>);

impl Scheduled {
    pub(crate) fn new(algorithm: Algorithm, key: &[u8]) -> Option<Self> {
        match algorithm {
            Algorithm::Blake3 => key.try_into().ok().map(|key| Self(Zeroizing::new(key))),
            _ => None,
        }
    }

    pub(crate) fn seal(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: &mut [u8],
    ) -> Result<[u8; TAG_MAX], CipherFailed> {
        if nonce.is_empty() {
            Ok(self.mac(aad, text))
        } else {
            Err(CipherFailed)
        }
    }

    pub(crate) fn open(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: &mut [u8],
        tag: &[u8],
    ) -> Result<(), CipherFailed> {
        let good = self.mac(aad, text).ct_eq(tag);
        if nonce.is_empty() && bool::from(good) {
            Ok(())
        } else {
            Err(CipherFailed)
        }
    }

    /// The first half of keyed BLAKE3 over `aad` and `text`.
    fn mac(&self, aad: &[u8], text: &[u8]) -> [u8; TAG_MAX] {
        let mut tag = [0; TAG_MAX];
        let whole = Hasher::new_keyed(&self.0)
            .update(aad)
            .update(text)
            .finalize();
        tag.copy_from_slice(&whole.as_bytes()[..TAG_MAX]);
        tag
    }
}
