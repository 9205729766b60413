use crate::algorithm::Algorithm;
use crate::claims::Claims;
use crate::encoding;
use crate::envelope::Header;
use crate::key::KeyId;

/// What the clear part and the length of a token say. Nothing of it is authenticated: anybody can
/// write such a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unverified {
    /// The format, 1 for tokens of this crate.
    pub format: u8,
    /// The algorithm's id.
    pub algorithm_id: u8,
    /// The algorithm, `None` when this crate has none of that id.
    pub algorithm: Option<Algorithm>,
    /// The key that is said to have sealed the token.
    pub key: KeyId,
    /// When the token is said to expire, in seconds since 1970.
    pub expiry_s: u32,
    /// Length of the text in characters.
    pub token_len: usize,
    /// Length of the bytes before base64url.
    pub raw_bytes: usize,
    /// Length of the state; `None` when the algorithm is not known or the token too short for it.
    pub state_bytes: Option<usize>,
}

/// A text that cannot be a token of this crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAToken {
    /// Not canonical base64url without padding.
    #[error("not canonical unpadded base64url")]
    Encoding,
    /// Shorter than the clear part.
    #[error("shorter than the {chars} characters of the clear part", chars = Header::CHARS)]
    Short,
}

impl Unverified {
    /// Reads what can be read of `token` without a key.
    ///
    /// # Errors
    /// When it is no canonical base64url or shorter than the clear part.
    pub fn read(token: &[u8]) -> Result<Self, NotAToken> {
        let mut raw = vec![0; encoding::decode_room(token.len())];
        let raw_bytes = encoding::decode(token, &mut raw).ok_or(NotAToken::Encoding)?;
        let header = Header::decode(token).ok_or(NotAToken::Short)?;
        let (format, algorithm_id) = (header.first >> 4, header.first & 15);
        let algorithm = Algorithm::from_id(algorithm_id);
        let state_bytes =
            algorithm.and_then(|a| raw_bytes.checked_sub(a.overhead_bytes() + Claims::BYTES));
        Ok(Self {
            format,
            algorithm_id,
            algorithm,
            key: header.key,
            expiry_s: header.expiry_s,
            token_len: token.len(),
            raw_bytes,
            state_bytes,
        })
    }
}
