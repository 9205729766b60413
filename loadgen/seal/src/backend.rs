use std::fmt;
use std::str::FromStr;

use crate::algorithm::{Algorithm, list};

/// Who computes the algorithm. Backends of one algorithm make and accept the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Backend {
    /// The `aws-lc-rs` crate: C and assembly of AWS-LC.
    AwsLcRs,
    /// The `ring` crate: C and assembly of BoringSSL.
    Ring,
    /// The RustCrypto crates: Rust with processor intrinsics.
    RustCrypto,
    /// The `graviola` crate: formally verified assembly, for recent processors only.
    Graviola,
    /// The `blake3` crate.
    Blake3,
    /// The `aegis` crate.
    Aegis,
    /// No cryptography, for [`Algorithm::None`].
    Plain,
}

impl Backend {
    /// Every backend this crate can be built with.
    pub const ALL: &'static [Self] = &[
        Self::AwsLcRs,
        Self::Ring,
        Self::RustCrypto,
        Self::Graviola,
        Self::Blake3,
        Self::Aegis,
        Self::Plain,
    ];

    /// The name used in scenarios, flags and reports; also the cargo feature, but for `plain`,
    /// which is always there.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AwsLcRs => "aws-lc-rs",
            Self::Ring => "ring",
            Self::RustCrypto => "rustcrypto",
            Self::Graviola => "graviola",
            Self::Blake3 => "blake3",
            Self::Aegis => "aegis",
            Self::Plain => "plain",
        }
    }

    /// Whether this build holds the backend and this processor can run it.
    pub fn is_available(self) -> bool {
        match self {
            Self::AwsLcRs => cfg!(feature = "aws-lc-rs"),
            Self::Ring => cfg!(feature = "ring"),
            Self::RustCrypto => cfg!(feature = "rustcrypto"),
            #[cfg(feature = "graviola")]
            Self::Graviola => graviola::util::is_cpu_supported(),
            #[cfg(not(feature = "graviola"))]
            Self::Graviola => false,
            Self::Blake3 => cfg!(feature = "blake3"),
            Self::Aegis => cfg!(feature = "aegis"),
            Self::Plain => true,
        }
    }

    /// Whether the backend computes `algorithm`.
    pub const fn supports(self, algorithm: Algorithm) -> bool {
        use Algorithm as A;
        match self {
            Self::AwsLcRs => matches!(
                algorithm,
                A::Aes256Gcm
                    | A::Xaes256Gcm
                    | A::Aes256GcmSiv
                    | A::ChaCha20Poly1305
                    | A::HmacSha256
            ),
            Self::Ring => matches!(
                algorithm,
                A::Aes256Gcm | A::Xaes256Gcm | A::ChaCha20Poly1305 | A::HmacSha256
            ),
            Self::RustCrypto => matches!(
                algorithm,
                A::Aes256Gcm
                    | A::Xaes256Gcm
                    | A::Aes256GcmSiv
                    | A::ChaCha20Poly1305
                    | A::XChaCha20Poly1305
                    | A::HmacSha256
            ),
            Self::Graviola => matches!(
                algorithm,
                A::Aes256Gcm | A::Xaes256Gcm | A::ChaCha20Poly1305 | A::XChaCha20Poly1305
            ),
            Self::Blake3 => matches!(algorithm, A::Blake3),
            Self::Aegis => matches!(algorithm, A::Aegis128L),
            Self::Plain => matches!(algorithm, A::None),
        }
    }

    /// The backends of this build that compute `algorithm` on this processor.
    pub fn available_for(algorithm: Algorithm) -> Vec<Self> {
        Self::ALL
            .iter()
            .copied()
            .filter(|b| b.is_available() && b.supports(algorithm))
            .collect()
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no backend of this crate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown backend {0:?}: use one of {names}", names = list(Backend::ALL))]
pub struct UnknownBackend(pub String);

impl FromStr for Backend {
    type Err = UnknownBackend;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|b| b.name() == name)
            .ok_or_else(|| UnknownBackend(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_the_backend() {
        for &backend in Backend::ALL {
            assert_eq!(backend.name().parse(), Ok(backend));
        }
        let said = "openssh".parse::<Backend>().unwrap_err().to_string();
        assert!(
            said.contains("openssh") && said.contains("aws-lc-rs, ring"),
            "{said}"
        );
    }

    #[test]
    fn every_algorithm_has_a_backend() {
        for &algorithm in Algorithm::ALL {
            assert!(
                Backend::ALL.iter().any(|b| b.supports(algorithm)),
                "{algorithm}"
            );
        }
    }
}
