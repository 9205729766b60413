//! XAES-256-GCM (C2SP, <https://c2sp.org/XAES-256-GCM>): AES-256-GCM with the last 12 bytes of a
//! 24-byte nonce, under a key that two AES blocks derive from the first 12. That derivation is
//! NIST SP 800-108r1 in counter mode over CMAC with AES-256; the cipher underneath is the backend's.

use aes::Aes256;
use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};
use zeroize::{Zeroize, Zeroizing};

use crate::algorithm::Algorithm;
use crate::backend::Backend;
use crate::cipher::{Cipher, CipherFailed, TAG_MAX};

/// Bytes of the half of a nonce that derives a key, and of the other half.
pub(crate) const HALF: usize = 12;

/// A key of XAES, ready to derive keys from.
pub(crate) struct Xaes {
    aes: Aes256,
    /// The first CMAC subkey (NIST SP 800-38B, section 6.1).
    subkey: Zeroizing<u128>,
    backend: Backend,
}

impl Xaes {
    /// `None` when the key is not 32 bytes or the backend lacks AES-256-GCM.
    pub(crate) fn new(backend: Backend, key: &[u8]) -> Option<Self> {
        let aes = Aes256::new_from_slice(key).ok()?;
        let mut zero = Array::from([0; 16]);
        aes.encrypt_block(&mut zero);
        let l = u128::from_be_bytes(zero.into());
        // Doubling in GF(2^128), with the reduction polynomial x^128 + x^7 + x^2 + x + 1.
        let subkey = Zeroizing::new((l << 1) ^ ((l >> 127) * 0b1000_0111));
        Some(Self {
            aes,
            subkey,
            backend,
        })
    }

    /// The cipher for nonces that begin with `half`.
    pub(crate) fn derive(&self, half: &[u8; HALF]) -> Result<Cipher, CipherFailed> {
        let block = |counter| {
            // A 16-bit counter, the label 'X', a zero byte, the context.
            let mut block = [0, counter, b'X', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            block[4..].copy_from_slice(half);
            Array::from((u128::from_be_bytes(block) ^ *self.subkey).to_be_bytes())
        };
        // Both in one call, which takes little longer than one of them.
        let mut blocks = [block(1), block(2)];
        self.aes.encrypt_blocks(&mut blocks);
        let mut key = Zeroizing::new([0; 32]);
        for (out, block) in key.chunks_exact_mut(16).zip(&mut blocks) {
            out.copy_from_slice(block);
            block.as_mut_slice().zeroize();
        }
        Cipher::new(self.backend, Algorithm::Aes256Gcm, &*key).ok_or(CipherFailed)
    }

    /// Encrypts under a whole nonce, deriving the key for this one call.
    pub(crate) fn seal(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: &mut [u8],
    ) -> Result<[u8; TAG_MAX], CipherFailed> {
        let (half, rest) = split(nonce)?;
        self.derive(half)?.seal(rest, aad, text)
    }

    /// Decrypts under a whole nonce, deriving the key for this one call.
    pub(crate) fn open(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: &mut [u8],
        tag: &[u8],
    ) -> Result<(), CipherFailed> {
        let (half, rest) = split(nonce)?;
        self.derive(half)?.open(rest, aad, text, tag)
    }
}

/// The half of a nonce that derives a key, and the rest.
pub(crate) fn split(nonce: &[u8]) -> Result<(&[u8; HALF], &[u8]), CipherFailed> {
    nonce.split_first_chunk().ok_or(CipherFailed)
}
