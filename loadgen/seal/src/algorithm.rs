use std::fmt;
use std::str::FromStr;

/// What protects a token. The id travels in the token's first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Algorithm {
    /// Nothing, id 0: readable and forgeable, for demonstrations of attacks only. A sealer takes it
    /// only with [`Config::allow_insecure`](crate::Config::allow_insecure).
    None,
    /// AES-256-GCM (NIST SP 800-38D), id 1: the smallest encrypted token.
    Aes256Gcm,
    /// XAES-256-GCM (C2SP XAES-256-GCM), id 2: AES-256-GCM under a key derived from half of a
    /// 192-bit nonce. The default: no count of tokens to keep over a fleet.
    Xaes256Gcm,
    /// AES-256-GCM-SIV (RFC 8452), id 3: a repeated nonce shows no more than that two tokens are
    /// equal.
    Aes256GcmSiv,
    /// ChaCha20-Poly1305 (RFC 8439), id 4: for processors without AES units.
    ChaCha20Poly1305,
    /// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03), id 5: as XAES without AES units.
    XChaCha20Poly1305,
    /// AEGIS-128L with a 16-byte tag (draft-irtf-cfrg-aegis-aead), id 6: the speed ceiling.
    Aegis128L,
    /// HMAC-SHA256 (RFC 2104) cut to 16 bytes, id 7: integrity only, the state stays readable.
    HmacSha256,
    /// Keyed BLAKE3 cut to 16 bytes, id 8: integrity only, the state stays readable.
    Blake3,
}

/// What an algorithm keeps from the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Protection {
    /// Nothing: the client reads and changes the state.
    Nothing,
    /// The client reads the state and cannot change it.
    Integrity,
    /// The client neither reads nor changes the state.
    Secrecy,
}

/// One row of the table of algorithms.
struct Facts {
    id: u8,
    name: &'static str,
    nonce_bytes: usize,
    tag_bytes: usize,
    key_bytes: usize,
    /// Base-2 logarithm of the number of tokens per key, if there is a bound.
    seal_bound_log2: Option<u32>,
    protection: Protection,
}

impl Algorithm {
    /// Every algorithm, in the order of their ids.
    pub const ALL: &'static [Self] = &[
        Self::None,
        Self::Aes256Gcm,
        Self::Xaes256Gcm,
        Self::Aes256GcmSiv,
        Self::ChaCha20Poly1305,
        Self::XChaCha20Poly1305,
        Self::Aegis128L,
        Self::HmacSha256,
        Self::Blake3,
    ];

    /// The algorithm to use unless there is a reason for another.
    pub const DEFAULT: Self = Self::Xaes256Gcm;

    /// The id in the low four bits of a token's first byte.
    pub const fn id(self) -> u8 {
        self.facts().id
    }

    /// The algorithm with this id, if there is one.
    pub fn from_id(id: u8) -> Option<Self> {
        Self::ALL.iter().copied().find(|a| a.id() == id)
    }

    /// The name used in scenarios, flags and reports.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// Nonce length in bytes, 0 when there is none.
    pub const fn nonce_bytes(self) -> usize {
        self.facts().nonce_bytes
    }

    /// Tag length in bytes, 0 when there is none.
    pub const fn tag_bytes(self) -> usize {
        self.facts().tag_bytes
    }

    /// Length in bytes of the key that HKDF derives for this algorithm.
    pub const fn key_bytes(self) -> usize {
        self.facts().key_bytes
    }

    /// Bytes of a token before base64url beside claims and state: header, nonce and tag.
    pub const fn overhead_bytes(self) -> usize {
        6 + self.nonce_bytes() + self.tag_bytes()
    }

    /// What the algorithm keeps from the client.
    pub const fn protection(self) -> Protection {
        self.facts().protection
    }

    /// How many tokens one key may seal, counted over the whole fleet.
    ///
    /// Random nonces of b bits repeat among n tokens with a probability of about n^2 / 2^(b+1). With
    /// 96 bits 2^32 tokens keep it below 2^-32 (NIST SP 800-38D, section 8.3, for GCM; the same
    /// arithmetic for ChaCha20-Poly1305). Where a repeat shows no more than equality (GCM-SIV) 2^48
    /// tokens are allowed, at which one repeat is about as likely as not. AEGIS-128L has 128 bits:
    /// 2^48 tokens keep it below 2^-32. 192-bit nonces allow 2^80, and codes without a nonce set no
    /// bound: both are more than this counter holds, `u64::MAX`.
    pub const fn seal_bound(self) -> u64 {
        match self.facts().seal_bound_log2 {
            Some(log2 @ ..64) => 1 << log2,
            _ => u64::MAX,
        }
    }

    /// Base-2 logarithm of the same number, also where a counter does not hold it; `None` for an
    /// algorithm that sets no bound.
    pub const fn seal_bound_log2(self) -> Option<u32> {
        self.facts().seal_bound_log2
    }

    const fn facts(self) -> Facts {
        use Protection::{Integrity, Nothing, Secrecy};
        match self {
            Self::None => Facts::new(0, "none", 0, 0, 32, None, Nothing),
            Self::Aes256Gcm => Facts::new(1, "aes-256-gcm", 12, 16, 32, Some(32), Secrecy),
            Self::Xaes256Gcm => Facts::new(2, "xaes-256-gcm", 24, 16, 32, Some(80), Secrecy),
            Self::Aes256GcmSiv => Facts::new(3, "aes-256-gcm-siv", 12, 16, 32, Some(48), Secrecy),
            Self::ChaCha20Poly1305 => {
                Facts::new(4, "chacha20-poly1305", 12, 16, 32, Some(32), Secrecy)
            }
            Self::XChaCha20Poly1305 => {
                Facts::new(5, "xchacha20-poly1305", 24, 16, 32, Some(80), Secrecy)
            }
            Self::Aegis128L => Facts::new(6, "aegis-128l", 16, 16, 16, Some(48), Secrecy),
            Self::HmacSha256 => Facts::new(7, "hmac-sha256", 0, 16, 32, None, Integrity),
            Self::Blake3 => Facts::new(8, "blake3", 0, 16, 32, None, Integrity),
        }
    }
}

impl Facts {
    const fn new(
        id: u8,
        name: &'static str,
        nonce_bytes: usize,
        tag_bytes: usize,
        key_bytes: usize,
        seal_bound_log2: Option<u32>,
        protection: Protection,
    ) -> Self {
        Self {
            id,
            name,
            nonce_bytes,
            tag_bytes,
            key_bytes,
            seal_bound_log2,
            protection,
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no algorithm of this crate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown algorithm {0:?}: use one of {names}", names = list(Algorithm::ALL))]
pub struct UnknownAlgorithm(pub String);

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|a| a.name() == name)
            .ok_or_else(|| UnknownAlgorithm(name.to_owned()))
    }
}

/// The names of `all`, with commas, for messages.
pub(crate) fn list<T: fmt::Display>(all: &[T]) -> String {
    let names: Vec<String> = all.iter().map(ToString::to_string).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_lead_back_to_the_algorithm() {
        for (id, &algorithm) in (0..).zip(Algorithm::ALL) {
            assert_eq!(algorithm.name().parse(), Ok(algorithm));
            assert_eq!(
                (algorithm.id(), Algorithm::from_id(id)),
                (id, Some(algorithm))
            );
        }
        assert_eq!(Algorithm::from_id(9), None);
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let said = "rot13".parse::<Algorithm>().unwrap_err().to_string();
        assert!(
            said.contains("rot13") && said.contains("none, aes-256-gcm, xaes"),
            "{said}"
        );
    }

    #[test]
    fn overheads_are_those_of_the_documented_table() {
        let overheads: Vec<_> = Algorithm::ALL.iter().map(|a| a.overhead_bytes()).collect();
        assert_eq!(overheads, [6, 34, 46, 34, 34, 46, 38, 22, 22]);
    }

    #[test]
    fn short_nonces_bound_the_tokens_of_a_key() {
        assert_eq!(Algorithm::Aes256Gcm.seal_bound(), 1 << 32);
        assert_eq!(Algorithm::Xaes256Gcm.seal_bound(), u64::MAX);
        assert_eq!(Algorithm::Xaes256Gcm.seal_bound_log2(), Some(80));
        assert_eq!(Algorithm::HmacSha256.seal_bound_log2(), None);
    }
}
