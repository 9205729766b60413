use std::sync::{PoisonError, RwLock};

use crate::cipher::{Cipher, CipherFailed, TAG_MAX};
use crate::nonce;
use crate::tally::HELD;
use crate::time::UnixSeconds;
use crate::xaes::{HALF, Xaes};

/// How long one derived key mints, in seconds.
const LIFE_S: u64 = 60 * 60;

/// How many serial numbers one derived key mints for: its nonces are random in 96 bits, so 2^32
/// tokens, less those whose numbers other threads had reserved before the key was derived.
const TOKENS: u64 = (1 << 32) - HELD;

/// The derived key that XAES mints with. Its half of the nonce is drawn once in a while and the
/// other half for every token, so that sealing costs what AES-256-GCM costs; the token is plain
/// XAES all the same.
#[derive(Default)]
pub(crate) struct Minting(RwLock<Option<Current>>);

struct Current {
    half: [u8; HALF],
    cipher: Cipher,
    from: UnixSeconds,
    /// The serial number of the first token it may mint.
    first: u64,
}

impl Current {
    fn new(xaes: &Xaes, serial: u64, now: UnixSeconds) -> Result<Self, CipherFailed> {
        let mut half = [0; HALF];
        nonce::fill(&mut half);
        Ok(Self {
            half,
            cipher: xaes.derive(&half)?,
            from: now,
            first: serial,
        })
    }

    fn is_fresh(&self, serial: u64, now: UnixSeconds) -> bool {
        now.0.abs_diff(self.from.0) < LIFE_S && serial.saturating_sub(self.first) < TOKENS
    }

    fn seal(
        &self,
        nonce: &mut [u8],
        aad: &[u8],
        text: &mut [u8],
    ) -> Result<[u8; TAG_MAX], CipherFailed> {
        let (half, rest) = nonce.split_first_chunk_mut().ok_or(CipherFailed)?;
        *half = self.half;
        nonce::fill(rest);
        self.cipher.seal(rest, aad, text)
    }
}

impl Minting {
    /// Encrypts the token with this `serial` number and fills in its nonce.
    pub(crate) fn seal(
        &self,
        xaes: &Xaes,
        (serial, now): (u64, UnixSeconds),
        nonce: &mut [u8],
        aad: &[u8],
        text: &mut [u8],
    ) -> Result<[u8; TAG_MAX], CipherFailed> {
        let fresh = |current: &&Current| current.is_fresh(serial, now);
        let shared = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(current) = shared.as_ref().filter(fresh) {
            return current.seal(nonce, aad, text);
        }
        drop(shared);
        let mut own = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if !own.as_ref().is_some_and(|current| fresh(&current)) {
            *own = Some(Current::new(xaes, serial, now)?);
        }
        own.as_ref().ok_or(CipherFailed)?.seal(nonce, aad, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Algorithm;
    use crate::backend::Backend;

    fn half(minting: &Minting, xaes: &Xaes, serial: u64, now: u64) -> Vec<u8> {
        let mut nonce = [0; 2 * HALF];
        minting
            .seal(xaes, (serial, UnixSeconds(now)), &mut nonce, b"", &mut [])
            .unwrap();
        nonce[..HALF].to_vec()
    }

    #[test]
    fn a_derived_key_mints_for_an_hour_or_two_to_the_32_tokens() {
        for backend in Backend::available_for(Algorithm::Xaes256Gcm) {
            let xaes = Xaes::new(backend, &[7; 32]).unwrap();
            let minting = Minting::default();
            let first = half(&minting, &xaes, 0, 10_000);
            assert_eq!(half(&minting, &xaes, 1, 10_000 + LIFE_S - 1), first);
            let second = half(&minting, &xaes, 2, 10_000 + LIFE_S);
            assert_ne!(second, first);
            assert_eq!(half(&minting, &xaes, 1 + TOKENS, 10_000 + LIFE_S), second);
            assert_ne!(half(&minting, &xaes, 2 + TOKENS, 10_000 + LIFE_S), second);
        }
    }

    #[test]
    fn the_other_half_is_drawn_for_every_token() {
        for backend in Backend::available_for(Algorithm::Xaes256Gcm) {
            let xaes = Xaes::new(backend, &[7; 32]).unwrap();
            let minting = Minting::default();
            let nonces: std::collections::HashSet<[u8; 24]> = (0..100)
                .map(|serial| {
                    let mut nonce = [0; 24];
                    minting
                        .seal(&xaes, (serial, UnixSeconds(0)), &mut nonce, b"", &mut [])
                        .unwrap();
                    nonce
                })
                .collect();
            assert_eq!(nonces.len(), 100);
        }
    }
}
