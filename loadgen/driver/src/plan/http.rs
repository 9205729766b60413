use std::fmt;
use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use toml::Spanned;

use super::check::Check;
use crate::content::bytes;
use crate::scenario::{HttpTable, ScenarioError};

/// Largest file of certificates, in bytes.
const MAX_CA_BYTES: u64 = 16 << 20;

/// How requests travel.
#[derive(Debug, Clone)]
pub struct HttpPlan {
    /// The version of HTTP.
    pub version: HttpVersion,
    /// Whether connections are used for more than one request.
    pub reuse: bool,
    /// How long a connection may carry nothing and still be used; `None`: for ever.
    pub idle_timeout: Option<Duration>,
    /// Whether a request is sent again, once, when its kept-alive connection was closed before
    /// anything was received.
    pub resend_stale: bool,
    /// The local addresses that connections come from, in turn; empty: what the system chooses.
    pub sources: Vec<IpAddr>,
    /// Which certificates of servers are believed.
    pub trust: Trust,
}

/// The version of HTTP that is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpVersion {
    /// HTTP/1.1: one request at a time on a connection.
    Http1,
    /// HTTP/2: as many at one time as the server allows.
    Http2,
}

/// Which certificates of servers are believed.
#[derive(Debug, Clone)]
pub enum Trust {
    /// Those that the system's roots vouch for.
    System,
    /// Those that one of these vouches for.
    Only(Vec<CertificateDer<'static>>),
    /// Any: whoever answers is believed.
    Anyone,
}

impl Default for HttpPlan {
    fn default() -> Self {
        Self {
            version: HttpVersion::Http1,
            reuse: true,
            idle_timeout: None,
            resend_stale: false,
            sources: Vec::new(),
            trust: Trust::System,
        }
    }
}

impl fmt::Display for HttpPlan {
    /// What it means, in one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.version {
            HttpVersion::Http1 => "HTTP/1.1",
            HttpVersion::Http2 => "HTTP/2",
        })?;
        match (self.reuse, self.idle_timeout) {
            (false, _) => f.write_str(", a connection for each request")?,
            (true, None) => f.write_str(", connections kept alive")?,
            (true, Some(limit)) => {
                write!(
                    f,
                    ", connections kept alive unless idle for {} s",
                    limit.as_secs_f64()
                )?;
            }
        }
        if self.resend_stale {
            f.write_str(", sent again once after a stale connection")?;
        }
        if !self.sources.is_empty() {
            let sources: Vec<String> = self.sources.iter().map(IpAddr::to_string).collect();
            write!(f, ", from {}", sources.join(", "))?;
        }
        match &self.trust {
            Trust::System => Ok(()),
            Trust::Only(roots) if roots.len() == 1 => f.write_str(", trusting 1 given certificate"),
            Trust::Only(roots) => write!(f, ", trusting {} given certificates", roots.len()),
            Trust::Anyone => f.write_str(", certificates NOT checked"),
        }
    }
}

impl Check<'_> {
    pub(super) fn http(&self, table: Option<&HttpTable>) -> Result<HttpPlan, ScenarioError> {
        let Some(table) = table else {
            return Ok(HttpPlan::default());
        };
        let reuse = table.reuse.unwrap_or(true);
        Ok(HttpPlan {
            version: self.version(&table.version)?,
            reuse,
            idle_timeout: table
                .idle_timeout_s
                .as_ref()
                .map(|limit| self.kept(reuse, limit, "idle_timeout_s"))
                .transpose()?
                .map(|limit| self.time("idle_timeout_s", limit, false))
                .transpose()?,
            resend_stale: match &table.resend_stale {
                Some(resend) if *resend.get_ref() => {
                    *self.kept(reuse, resend, "resend_stale")?.get_ref()
                }
                _ => false,
            },
            sources: self.sources(&table.source)?,
            trust: self.trust(table)?,
        })
    }

    fn sources(
        &self,
        given: &Option<Spanned<Vec<Spanned<String>>>>,
    ) -> Result<Vec<IpAddr>, ScenarioError> {
        let Some(given) = given else {
            return Ok(Vec::new());
        };
        if given.get_ref().is_empty() {
            return Err(self.wrong(
                given,
                "source must name at least one address; leave it out for any",
            ));
        }
        let address = |text: &Spanned<String>| {
            text.get_ref().parse().map_err(|_| {
                self.wrong(
                    text,
                    "source must be IP addresses of this machine, as in \"127.0.0.2\"",
                )
            })
        };
        given.get_ref().iter().map(address).collect()
    }

    fn version(&self, given: &Option<Spanned<String>>) -> Result<HttpVersion, ScenarioError> {
        let Some(given) = given else {
            return Ok(HttpVersion::Http1);
        };
        match given.get_ref().as_str() {
            "1.1" => Ok(HttpVersion::Http1),
            "2" => Ok(HttpVersion::Http2),
            _ => Err(self.wrong(given, "version must be \"1.1\" or \"2\"")),
        }
    }

    /// A value that means something only while connections are kept.
    fn kept<'v, T>(
        &self,
        reuse: bool,
        value: &'v Spanned<T>,
        key: &str,
    ) -> Result<&'v Spanned<T>, ScenarioError> {
        if reuse {
            return Ok(value);
        }
        let message = format!("{key} is for kept connections; take it out or `reuse = false`");
        Err(self.wrong(value, &message))
    }

    fn trust(&self, table: &HttpTable) -> Result<Trust, ScenarioError> {
        let insecure = table.insecure.as_ref().filter(|given| *given.get_ref());
        let Some(ca) = &table.ca else {
            return Ok(match insecure {
                Some(_) => Trust::Anyone,
                None => Trust::System,
            });
        };
        if let Some(insecure) = insecure {
            let message = "with insecure no certificate is looked at; take it or `ca` out";
            return Err(self.wrong(insecure, message));
        }
        let folder = Path::new(self.source.file()).parent();
        let path = folder.unwrap_or(Path::new("")).join(ca.get_ref());
        match certificates(&path) {
            Ok(roots) => Ok(Trust::Only(roots)),
            Err(why) => Err(self.wrong(ca, &format!("ca: {}: {why}", path.display()))),
        }
    }
}

/// The certificates of a PEM file; at least one, and all of them usable.
fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let pem = bytes(path, MAX_CA_BYTES)?;
    let found: Vec<_> = CertificateDer::pem_slice_iter(&pem)
        .collect::<Result<_, _>>()
        .map_err(|error| format!("it is no PEM file: {error}"))?;
    if found.is_empty() {
        return Err("it holds no CERTIFICATE section; give a PEM file".to_owned());
    }
    let mut roots = RootCertStore::empty();
    for (number, certificate) in (1..).zip(&found) {
        roots
            .add(certificate.clone())
            .map_err(|error| format!("its CERTIFICATE section {number} is of no use: {error}"))?;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use crate::scenario::{Scenario, Source};

    fn http(file: &str, lines: &str) -> Result<HttpPlan, String> {
        let text = format!(
            "[load]\nrate_per_s = 1\nduration_s = 1\n[[workflow]]\ntool = \"t\"\n[http]\n{lines}\n"
        );
        let source = Source::new(file, text);
        let scenario = Scenario::parse(&source).map_err(|e| e.to_string())?;
        let plan = Plan::new(&scenario, &source).map_err(|e| e.to_string())?;
        Ok(plan.http)
    }

    #[test]
    fn absent_keys_mean_kept_connections_of_http_1_1() {
        let plan = http("x.toml", "").unwrap();
        assert_eq!(plan.to_string(), "HTTP/1.1, connections kept alive");
        assert!(matches!(plan.trust, Trust::System));
    }

    #[test]
    fn every_key_shows_in_the_plan() {
        let plan = http(
            "x.toml",
            "version = \"2\"\nidle_timeout_s = 4.5\nresend_stale = true\ninsecure = true\nsource = \
             [\"127.0.0.2\", \"::1\"]",
        )
        .unwrap();
        assert_eq!(
            plan.to_string(),
            "HTTP/2, connections kept alive unless idle for 4.5 s, sent again once after a stale \
             connection, from 127.0.0.2, ::1, certificates NOT checked"
        );
        let plan = http("x.toml", "version = \"1.1\"\nreuse = false").unwrap();
        assert_eq!(plan.to_string(), "HTTP/1.1, a connection for each request");
        assert_eq!((plan.idle_timeout, plan.resend_stale), (None, false));
    }

    #[test]
    fn values_that_cannot_be_are_refused_with_place_and_rule() {
        for (lines, want) in [
            (
                "version = \"3\"",
                "x.toml:7:11: version must be \"1.1\" or \"2\"",
            ),
            (
                "idle_timeout_s = 0",
                "x.toml:7:18: idle_timeout_s must be above 0",
            ),
            (
                "reuse = false\nidle_timeout_s = 1",
                "x.toml:8:18: idle_timeout_s is for kept connections",
            ),
            (
                "reuse = false\nresend_stale = true",
                "x.toml:8:16: resend_stale is for kept connections",
            ),
            (
                "insecure = true\nca = \"a.pem\"",
                "x.toml:7:12: with insecure no certificate is looked at",
            ),
            (
                "ca = \"nowhere.pem\"",
                "x.toml:7:6: ca: nowhere.pem: No such file",
            ),
            (
                "source = [\"localhost\"]",
                "x.toml:7:11: source must be IP addresses of this machine",
            ),
            ("source = []", "x.toml:7:10: source must name at least one"),
            ("reuze = true", "the nearest valid key is `reuse`"),
        ] {
            let error = http("x.toml", lines).unwrap_err();
            assert!(error.contains(want), "{lines}: {error}");
            assert!(!error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn ca_is_a_pem_file_beside_the_scenario() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.toml");
        let file = file.to_str().unwrap();
        let names = ["localhost".to_owned()];
        let made = rcgen::generate_simple_self_signed(names).unwrap();
        std::fs::write(folder.path().join("ca.pem"), made.cert.pem()).unwrap();
        let plan = http(file, "ca = \"ca.pem\"").unwrap();
        assert!(matches!(plan.trust, Trust::Only(roots) if roots == [made.cert.der().clone()]));

        let key = made.signing_key.serialize_pem();
        std::fs::write(folder.path().join("ca.pem"), key).unwrap();
        let error = http(file, "ca = \"ca.pem\"").unwrap_err();
        assert!(
            error.contains("ca.pem: it holds no CERTIFICATE section"),
            "{error}"
        );
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        let good_then_broken = made.cert.pem() + broken;
        std::fs::write(folder.path().join("ca.pem"), good_then_broken).unwrap();
        let error = http(file, "ca = \"ca.pem\"").unwrap_err();
        assert!(
            error.contains("ca.pem: its CERTIFICATE section 2 is"),
            "{error}"
        );

        let error = http(file, "ca = \"/dev/zero\"").unwrap_err();
        assert!(error.contains("/dev/zero: it has more than"), "{error}");
    }
}
