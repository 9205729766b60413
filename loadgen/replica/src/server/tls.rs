use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::{CryptoProvider, aws_lc_rs, ring};
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use thiserror::Error;
use tokio_rustls::TlsAcceptor;

/// A certificate and its key, ready to serve HTTPS: TLS 1.2 and 1.3, HTTP/2 and HTTP/1.1 by ALPN.
#[derive(Clone)]
pub struct Tls {
    acceptor: TlsAcceptor,
}

/// The library that computes TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TlsProvider {
    /// AWS-LC, by aws-lc-rs.
    #[default]
    AwsLcRs,
    /// ring.
    Ring,
}

/// Why a certificate or key cannot be used.
#[derive(Debug, Error)]
pub enum TlsError {
    /// A certificate that is no PEM.
    #[error("the certificate file is no PEM: {0}")]
    CertificatePem(pem::Error),
    /// No certificate in the file.
    #[error("the certificate file holds no CERTIFICATE section")]
    NoCertificate,
    /// A key that is no PEM.
    #[error("the key file is no PEM: {0}")]
    KeyPem(pem::Error),
    /// No key in the file.
    #[error(
        "the key file holds no PRIVATE KEY, RSA PRIVATE KEY or EC PRIVATE KEY section (an encrypted \
         key must be decrypted first)"
    )]
    NoKey,
    /// The two do not belong together, or are of a kind that the provider lacks.
    #[error("certificate and key cannot be used with {provider}: {reason}")]
    Unusable {
        /// Who was to use them.
        provider: TlsProvider,
        /// What is wrong.
        reason: rustls::Error,
    },
}

impl Tls {
    /// Takes a PEM certificate chain, the server's own certificate first, and its PEM key.
    ///
    /// # Errors
    /// When either cannot be read, or they do not belong together.
    pub fn new(chain_pem: &[u8], key_pem: &[u8], provider: TlsProvider) -> Result<Self, TlsError> {
        let chain = CertificateDer::pem_slice_iter(chain_pem)
            .collect::<Result<Vec<_>, _>>()
            .map_err(TlsError::CertificatePem)?;
        if chain.is_empty() {
            return Err(TlsError::NoCertificate);
        }
        let key = PrivateKeyDer::from_pem_slice(key_pem).map_err(|e| match e {
            pem::Error::NoItemsFound => TlsError::NoKey,
            other => TlsError::KeyPem(other),
        })?;
        let unusable = |reason| TlsError::Unusable { provider, reason };
        // Given by name: with two providers built in, the process has no default.
        let mut config = ServerConfig::builder_with_provider(Arc::new(provider.provider()))
            .with_safe_default_protocol_versions()
            .map_err(unusable)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(unusable)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self {
            acceptor: TlsAcceptor::from(Arc::new(config)),
        })
    }

    pub(crate) fn acceptor(&self) -> &TlsAcceptor {
        &self.acceptor
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}

impl TlsProvider {
    /// Every provider.
    pub const ALL: [Self; 2] = [Self::AwsLcRs, Self::Ring];

    /// Its name on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AwsLcRs => "aws-lc-rs",
            Self::Ring => "ring",
        }
    }

    fn provider(self) -> CryptoProvider {
        match self {
            Self::AwsLcRs => aws_lc_rs::default_provider(),
            Self::Ring => ring::default_provider(),
        }
    }
}

impl fmt::Display for TlsProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for TlsProvider {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|p| p.name() == name)
            .ok_or_else(|| format!("no TLS provider {name:?}; there are aws-lc-rs and ring"))
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertifiedKey, generate_simple_self_signed};

    use super::*;

    fn pair() -> (String, String) {
        let names = ["localhost".to_owned()];
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
        (cert.pem(), signing_key.serialize_pem())
    }

    fn refused(chain: &str, key: &str) -> TlsError {
        Tls::new(chain.as_bytes(), key.as_bytes(), TlsProvider::Ring).unwrap_err()
    }

    #[test]
    fn a_pair_is_usable_with_either_provider() {
        let (chain, key) = pair();
        for provider in TlsProvider::ALL {
            assert!(Tls::new(chain.as_bytes(), key.as_bytes(), provider).is_ok());
            assert_eq!(provider.name().parse(), Ok(provider));
        }
        assert!("openssl".parse::<TlsProvider>().is_err());
    }

    #[test]
    fn each_fault_names_the_file_that_has_it() {
        let ((chain, key), (_, other)) = (pair(), pair());
        assert!(matches!(refused("", &key), TlsError::NoCertificate));
        assert!(matches!(refused(&key, &key), TlsError::NoCertificate));
        assert!(matches!(refused(&chain, ""), TlsError::NoKey));
        assert!(matches!(refused(&chain, &chain), TlsError::NoKey));
        let cut = &chain[..chain.len() / 2];
        assert!(matches!(refused(cut, &key), TlsError::CertificatePem(_)));
        let cut = &key[..key.len() / 2];
        assert!(matches!(refused(&chain, cut), TlsError::KeyPem(_)));
        assert!(matches!(refused(&chain, &other), TlsError::Unusable { .. }));
        let garbage = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        assert!(matches!(refused(garbage, &key), TlsError::Unusable { .. }));
    }
}
