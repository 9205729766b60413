//! The layout of a token before base64url:
//!
//! ```text
//! [0] format << 4 | algorithm   [1] key id   [2..6] expiry, u32 seconds since 1970, big endian
//! nonce   ciphertext (claims, state)   tag
//! ```
//!
//! The associated data are those six bytes and the 32 bytes of the binding, which is authenticated
//! and never sent.

use crate::algorithm::Algorithm;
use crate::binding::Binding;
use crate::claims::Claims;
use crate::encoding;
use crate::key::KeyId;

/// The only format so far.
const FORMAT: u8 = 1;

/// Bytes of associated data.
pub(crate) const AAD_BYTES: usize = Header::BYTES + Binding::BYTES;

/// The clear part of a token, not yet authenticated when it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) first: u8,
    pub(crate) key: KeyId,
    pub(crate) expiry_s: u32,
}

impl Header {
    pub(crate) const BYTES: usize = 6;
    /// Six bytes are exactly eight characters, so a header can be read without the rest.
    pub(crate) const CHARS: usize = 8;

    /// Format and algorithm in one byte.
    pub(crate) const fn first_byte(algorithm: Algorithm) -> u8 {
        FORMAT << 4 | algorithm.id()
    }

    pub(crate) fn to_bytes(self) -> [u8; Self::BYTES] {
        let [a, b, c, d] = self.expiry_s.to_be_bytes();
        [self.first, self.key.0, a, b, c, d]
    }

    pub(crate) fn from_bytes([first, key, a, b, c, d]: [u8; Self::BYTES]) -> Self {
        Self {
            first,
            key: KeyId(key),
            expiry_s: u32::from_be_bytes([a, b, c, d]),
        }
    }

    /// Reads the header from the first characters of a token.
    pub(crate) fn decode(token: &[u8]) -> Option<Self> {
        encoding::decode_eight(token.first_chunk::<{ Self::CHARS }>()?).map(Self::from_bytes)
    }

    pub(crate) fn aad(self, binding: &Binding) -> [u8; AAD_BYTES] {
        let mut aad = [0; AAD_BYTES];
        aad[..Self::BYTES].copy_from_slice(&self.to_bytes());
        aad[Self::BYTES..].copy_from_slice(binding.as_bytes());
        aad
    }
}

/// Bytes of a token before base64url, apart from the state.
pub(crate) const fn overhead_bytes(algorithm: Algorithm) -> usize {
    algorithm.overhead_bytes() + Claims::BYTES
}

/// Characters of the token of a state of `state_bytes` bytes.
pub(crate) const fn token_len(algorithm: Algorithm, state_bytes: usize) -> Option<usize> {
    // A slice is at most isize::MAX bytes long, so neither sum nor text length overflows below half
    // of that; anything longer cannot be sealed anyway.
    if state_bytes > usize::MAX / 4 {
        return None;
    }
    Some(encoding::encoded_len(
        overhead_bytes(algorithm) + state_bytes,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_reads_back_from_its_eight_characters() {
        let header = Header {
            first: Header::first_byte(Algorithm::Aes256Gcm),
            key: KeyId(0xFE),
            expiry_s: 0x0102_0304,
        };
        assert_eq!(header.to_bytes(), [0x11, 0xFE, 1, 2, 3, 4]);
        let text = encoding::to_string(&header.to_bytes());
        assert_eq!(text.len(), Header::CHARS);
        assert_eq!(Header::decode(text.as_bytes()), Some(header));
        assert_eq!(Header::decode(b"short"), None);
    }
}
