use std::io;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use crate::plan::{HttpPlan, HttpVersion, Trust};
use crate::target::Target;

/// How connections to the `https://` ones among these targets are secured; `None` without one.
///
/// # Errors
/// When no roots are found, or a given certificate cannot be one.
pub(crate) fn tls(plan: &HttpPlan, targets: &[Target]) -> io::Result<Option<Arc<ClientConfig>>> {
    if targets.iter().all(|target| target.server_name.is_none()) {
        return Ok(None);
    }
    // Named, since with two of them built in the library would not choose.
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    let mut config = match &plan.trust {
        Trust::System => builder.with_root_certificates(system_roots()?),
        Trust::Only(given) => builder.with_root_certificates(only(given)?),
        Trust::Anyone => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Anyone(provider))),
    }
    .with_no_client_auth();
    config.alpn_protocols = vec![match plan.version {
        HttpVersion::Http1 => b"http/1.1".to_vec(),
        HttpVersion::Http2 => b"h2".to_vec(),
    }];
    Ok(Some(Arc::new(config)))
}

fn system_roots() -> io::Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    // Stores of systems hold certificates that this library cannot read.
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        return Err(io::Error::other(
            "this machine has no certificates to check an https:// target with; install \
             ca-certificates, or give `ca` in [http]",
        ));
    }
    Ok(roots)
}

fn only(given: &[CertificateDer<'static>]) -> io::Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    for certificate in given {
        roots
            .add(certificate.clone())
            .map_err(|e| io::Error::other(format!("a certificate of `ca` in [http]: {e}")))?;
    }
    Ok(roots)
}

/// Believes any certificate, but still that whoever showed it holds its key.
#[derive(Debug)]
struct Anyone(Arc<CryptoProvider>);

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(
            message,
            cert,
            dss,
            &self.0.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(
            message,
            cert,
            dss,
            &self.0.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
