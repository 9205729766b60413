use aegis::aegis128l::{Aegis128L, Key};
use zeroize::Zeroizing;

use super::{CipherFailed, TAG_MAX};
use crate::algorithm::Algorithm;

/// A key of the aegis crate, which schedules key and nonce together.
pub(crate) struct Scheduled(Zeroizing<Key>);

impl Scheduled {
    pub(crate) fn new(algorithm: Algorithm, key: &[u8]) -> Option<Self> {
        match algorithm {
            Algorithm::Aegis128L => key.try_into().ok().map(|key| Self(Zeroizing::new(key))),
            _ => None,
        }
    }

    pub(crate) fn seal(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: &mut [u8],
    ) -> Result<[u8; TAG_MAX], CipherFailed> {
        Ok(self.state(nonce)?.encrypt_in_place(text, aad))
    }

    pub(crate) fn open(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: &mut [u8],
        tag: &[u8],
    ) -> Result<(), CipherFailed> {
        let tag = tag.try_into().map_err(|_| CipherFailed)?;
        self.state(nonce)?
            .decrypt_in_place(text, tag, aad)
            .map_err(|_| CipherFailed)
    }

    fn state(&self, nonce: &[u8]) -> Result<Aegis128L<TAG_MAX>, CipherFailed> {
        let nonce = nonce.try_into().map_err(|_| CipherFailed)?;
        Ok(Aegis128L::new(&self.0, nonce))
    }
}
