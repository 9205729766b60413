use std::sync::Arc;

use crate::algorithm::Algorithm;
use crate::backend::Backend;
use crate::cipher::{CipherFailed, TAG_MAX};
use crate::counters::KeyCount;
use crate::derived::DerivedKeys;
use crate::key::{Key, KeyId};
use crate::minting::Minting;
use crate::nonce;
use crate::schedule::Schedule;
use crate::tally::Tally;
use crate::time::UnixSeconds;

/// A key scheduled for a sealer's algorithm, with its counts.
pub(crate) struct Slot {
    pub(crate) id: KeyId,
    pub(crate) schedule: Schedule,
    minting: Minting,
    /// Shared, so that the counts outlive a retired key.
    pub(crate) tally: Arc<Tally>,
}

impl Slot {
    /// Schedules `key`, which may seal `budget` tokens.
    pub(crate) fn new(
        backend: Backend,
        algorithm: Algorithm,
        key: &Key,
        budget: u64,
    ) -> Option<Self> {
        Some(Self {
            id: key.id(),
            schedule: Schedule::new(backend, algorithm, &key.derive(algorithm))?,
            minting: Minting::default(),
            tally: Arc::new(Tally::new(budget)),
        })
    }

    /// Encrypts a token's text in place and fills in its nonce.
    pub(crate) fn seal(
        &self,
        (serial, now): (u64, UnixSeconds),
        nonce: &mut [u8],
        aad: &[u8],
        text: &mut [u8],
    ) -> Result<[u8; TAG_MAX], CipherFailed> {
        match &self.schedule {
            Schedule::Direct(cipher) => {
                if !nonce.is_empty() {
                    nonce::fill(nonce);
                }
                cipher.seal(nonce, aad, text)
            }
            Schedule::Xaes(xaes) => self.minting.seal(xaes, (serial, now), nonce, aad, text),
        }
    }

    /// Decrypts a token's text in place.
    pub(crate) fn open(
        &self,
        derived: &DerivedKeys,
        nonce: &[u8],
        aad: &[u8],
        text: &mut [u8],
        tag: &[u8],
    ) -> Result<(), CipherFailed> {
        match &self.schedule {
            Schedule::Direct(cipher) => cipher.open(nonce, aad, text, tag),
            Schedule::Xaes(xaes) => derived.open((self.id, xaes), nonce, aad, text, tag),
        }
    }

    pub(crate) fn counts(&self) -> KeyCount {
        self.tally.counts(self.id)
    }
}
