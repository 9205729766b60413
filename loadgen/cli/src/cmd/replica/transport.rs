use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use loadgen_replica::{Tls, TlsProvider, Transport};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::input;

/// How the replica speaks to its clients.
#[derive(Debug, clap::Args)]
pub(crate) struct TransportArgs {
    /// Serve HTTPS with this PEM certificate chain, the replica's own certificate first; needs
    /// --tls-key.
    #[arg(long, value_name = "PATH", requires = "tls_key")]
    tls_cert: Option<PathBuf>,

    /// The PEM private key of --tls-cert.
    #[arg(long, value_name = "PATH", requires = "tls_cert")]
    tls_key: Option<PathBuf>,

    /// Which cryptography library computes TLS: aws-lc-rs or ring [default: aws-lc-rs].
    #[arg(long, value_name = "NAME", requires = "tls_cert")]
    tls_provider: Option<TlsProvider>,

    /// Serve with this many threads, 1 to 256, each with a runtime of its own; a connection stays with
    /// one.
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads)]
    threads: NonZeroUsize,
}

impl TransportArgs {
    /// Reads the certificate and the key, if any.
    ///
    /// # Errors
    /// When they cannot be read or used.
    pub(crate) fn transport(&self) -> anyhow::Result<Transport> {
        let tls = match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => Some(self.tls(certificate, key)?),
            _ => None,
        };
        Ok(Transport {
            tls,
            threads: self.threads,
            ..Transport::default()
        })
    }

    fn tls(&self, certificate: &Path, key: &Path) -> anyhow::Result<Tls> {
        let read = |option: &str, path: &Path| {
            input::bytes(path).with_context(|| format!("cannot read {option} {}", path.display()))
        };
        let chain_pem = read("--tls-cert", certificate)?;
        let key_pem = read("--tls-key", key)?;
        Tls::new(&chain_pem, &key_pem, self.tls_provider.unwrap_or_default()).with_context(|| {
            let (certificate, key) = (certificate.display(), key.display());
            format!("--tls-cert {certificate}, --tls-key {key}")
        })
    }
}

/// Lets the process have as many files open as the system permits it: each connection is one.
pub(crate) fn allow_files() {
    let limit = getrlimit(Resource::Nofile);
    // Where that is refused the replica has room for fewer connections, and the others wait.
    let _ = setrlimit(
        Resource::Nofile,
        Rlimit {
            current: limit.maximum,
            maximum: limit.maximum,
        },
    );
}

/// More threads than this are a mistake rather than a wish.
const THREADS_MAX: usize = 256;

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    match text.parse::<NonZeroUsize>() {
        Ok(threads) if threads.get() <= THREADS_MAX => Ok(threads),
        _ => Err(format!("a number from 1 to {THREADS_MAX} is needed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_at_least_one_and_not_absurdly_many() {
        assert_eq!(threads("1").map(NonZeroUsize::get), Ok(1));
        assert_eq!(threads("256").map(NonZeroUsize::get), Ok(256));
        for bad in ["0", "257", "-1", "two", ""] {
            assert!(threads(bad).is_err(), "{bad}");
        }
    }
}
