use std::fmt;

use crate::algorithm::Algorithm;
use crate::backend::Backend;
use crate::cipher::CipherFailed;
use crate::schedule::Schedule;

/// A backend's cipher without the envelope: what benchmarks compare the envelope with and what
/// published vectors test. It chooses no nonce, knows no expiry and binds nothing, so it is not for
/// sealing state: use [`Sealer`](crate::Sealer).
pub struct RawCipher {
    algorithm: Algorithm,
    schedule: Schedule,
}

impl RawCipher {
    /// Schedules `key`, of [`Algorithm::key_bytes`] bytes, as it is. `None` when the build, the
    /// processor or the backend lacks the algorithm, or the key has another length.
    pub fn new(algorithm: Algorithm, backend: Backend, key: &[u8]) -> Option<Self> {
        let schedule = Schedule::new(backend, algorithm, key)?;
        Some(Self {
            algorithm,
            schedule,
        })
    }

    /// Encrypts `text` in place and writes the tag, of [`Algorithm::tag_bytes`] bytes, to `tag`.
    ///
    /// # Errors
    /// When nonce or tag have not the algorithm's length, or the backend refuses a length.
    pub fn seal(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: &mut [u8],
        tag: &mut [u8],
    ) -> Result<(), CipherFailed> {
        self.check(nonce, tag)?;
        let made = self.schedule.seal(nonce, aad, text)?;
        tag.copy_from_slice(&made[..tag.len()]);
        Ok(())
    }

    /// Decrypts `text` in place if `tag` matches; otherwise `text` holds nothing of use.
    ///
    /// # Errors
    /// When the tag does not match, or nonce or tag have not the algorithm's length.
    pub fn open(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: &mut [u8],
        tag: &[u8],
    ) -> Result<(), CipherFailed> {
        self.check(nonce, tag)?;
        self.schedule.open(nonce, aad, text, tag)
    }

    fn check(&self, nonce: &[u8], tag: &[u8]) -> Result<(), CipherFailed> {
        let right = (self.algorithm.nonce_bytes(), self.algorithm.tag_bytes());
        if (nonce.len(), tag.len()) == right {
            Ok(())
        } else {
            Err(CipherFailed)
        }
    }
}

impl fmt::Debug for RawCipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawCipher")
            .field("algorithm", &self.algorithm)
            .finish_non_exhaustive()
    }
}
