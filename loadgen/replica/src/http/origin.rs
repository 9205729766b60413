use http::header::ORIGIN;

use crate::http::fields::{Field, Fields};
use crate::http::{authority, hosts};

/// The origins whose browser pages may call the replica: pages that this machine serves to itself,
/// on any port, and those that were named. A request without an origin comes from no page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origins(Vec<String>);

/// Text that is no origin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no origin: scheme://host or scheme://host:port")]
pub struct NotAnOrigin(String);

impl Origins {
    /// Adds one, spelt as browsers send it (RFC 6454, section 6.1): no path, no default port.
    ///
    /// # Errors
    /// When it is no origin with a scheme and a host.
    pub fn and(mut self, origin: &str) -> Result<Self, NotAnOrigin> {
        let scheme = |s: &str| {
            s.starts_with(|c: char| c.is_ascii_alphabetic())
                && s.bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
        };
        match origin.split_once("://") {
            Some((s, rest)) if scheme(s) && authority::split(rest).is_some() => {
                self.0.push(origin.to_owned());
                Ok(self)
            }
            _ => Err(NotAnOrigin(origin.to_owned())),
        }
    }

    /// Whether every origin of the request may call.
    pub(crate) fn allow_all_of(&self, fields: &Fields<'_>) -> bool {
        let all = || fields.all.get_all(ORIGIN).iter();
        fields.origin == Field::Missing || all().all(|origin| self.allow(origin.as_bytes()))
    }

    fn allow(&self, origin: &[u8]) -> bool {
        std::str::from_utf8(origin).is_ok_and(|origin| {
            is_local(origin) || self.0.iter().any(|o| o.eq_ignore_ascii_case(origin))
        })
    }
}

/// `null` and anything that is no http(s) origin are foreign.
fn is_local(origin: &str) -> bool {
    origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"))
        .and_then(authority::split)
        .is_some_and(|(host, _)| hosts::is_loopback(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(origin: &str) -> bool {
        Origins::default().allow(origin.as_bytes())
    }

    #[test]
    fn loopback_origins_are_local_on_any_port() {
        for origin in [
            "http://localhost",
            "http://LOCALHOST:3000",
            "https://127.0.0.1:8443",
            "http://[::1]",
            "http://[::1]:9000",
        ] {
            assert!(allowed(origin), "{origin}");
        }
    }

    #[test]
    fn everything_else_is_foreign() {
        for origin in [
            "null",
            "",
            "http://example.org",
            "http://localhost.example.org",
            "http://127.0.0.1.example.org",
            "http://example.org:127.0.0.1",
            "http://localhost:",
            "http://localhost:99999",
            "http://localhost/",
            "http://user@localhost",
            "file://localhost",
            "localhost",
        ] {
            assert!(!allowed(origin), "{origin}");
        }
        assert!(!Origins::default().allow(b"http://localhost\xff"));
    }

    #[test]
    fn a_named_origin_may_call_and_its_neighbours_may_not() {
        let origins = Origins::default().and("https://App.example:8443").unwrap();
        assert!(origins.allow(b"https://app.example:8443"));
        for other in [
            "https://app.example",
            "http://app.example:8443",
            "https://x.app.example:8443",
            "https://app.example:8443/",
        ] {
            assert!(!origins.allow(other.as_bytes()), "{other}");
        }
        for bad in [
            "",
            "null",
            "*",
            "app.example",
            "https://",
            "https://a/b",
            "1s://a",
        ] {
            assert!(Origins::default().and(bad).is_err(), "{bad}");
        }
    }
}
