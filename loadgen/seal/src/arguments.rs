use crate::canonical_json::{CanonicalError, canonical};
use crate::sha256;

/// A digest of a request's arguments, for a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArgumentsDigest([u8; Self::BYTES]);

impl ArgumentsDigest {
    /// Bytes of a digest.
    pub const BYTES: usize = 32;

    /// The digest of a request that has no arguments, which differs from that of empty ones.
    pub fn none() -> Self {
        Self::hash(0, b"")
    }

    /// The digest of the arguments exactly as received: another spelling of the same value (a
    /// space, another order of keys, `1.0` for `1`) is another digest.
    pub fn exact(raw: &[u8]) -> Self {
        Self::hash(1, raw)
    }

    /// The digest of the arguments' canonical JSON text: members sorted by the bytes of their names,
    /// integers exact, other numbers by their shortest text, no white space. Spellings of one value
    /// have one digest.
    ///
    /// # Errors
    /// When `raw` is no JSON or has no canonical form (a name given twice, a number beyond doubles,
    /// an unpaired surrogate, too deep). Then no token may be minted for the request.
    pub fn canonical(raw: &[u8]) -> Result<Self, CanonicalError> {
        canonical(raw).map(|text| Self::hash(2, &text))
    }

    /// The digest itself.
    pub const fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }

    /// SHA-256 over a byte for the mode and the text, so that the modes never meet.
    fn hash(mode: u8, text: &[u8]) -> Self {
        Self(sha256::of(&[&[mode], text]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_and_empty_arguments_differ() {
        assert_ne!(ArgumentsDigest::none(), ArgumentsDigest::exact(b""));
        assert_ne!(ArgumentsDigest::exact(b"{}"), ArgumentsDigest::exact(b""));
    }

    #[test]
    fn the_two_modes_never_meet() {
        let canonical = ArgumentsDigest::canonical(b"{}").unwrap();
        assert_ne!(canonical, ArgumentsDigest::exact(b"{}"));
        assert_eq!(canonical, ArgumentsDigest::canonical(b" { } ").unwrap());
    }

    #[test]
    fn exact_bytes_keep_long_integers_apart() {
        let a = ArgumentsDigest::exact(br#"{"amount":123456789012345678901}"#);
        let b = ArgumentsDigest::exact(br#"{"amount":123456789012345678902}"#);
        assert_ne!(a, b);
    }
}
