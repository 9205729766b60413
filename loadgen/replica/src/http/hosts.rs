use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use http::{Version, request};

use crate::http::authority;
use crate::http::fields::Field;
use crate::refusal::Refusal;

/// The names under which clients may call the replica. A page that was loaded from a foreign name
/// and then had that name point here (DNS rebinding) sends the foreign name, and is turned away.
///
/// The names of this machine's loopback interface always pass, on any port, since a port cannot be
/// rebound.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hosts {
    /// In lower case; addresses of version 6 in brackets.
    names: Vec<String>,
    any_address: bool,
}

/// Text that is no host name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no host name or address without a port")]
pub struct NotAHost(String);

impl Hosts {
    /// Adds the address that the server listens on. One that stands for every address of the
    /// machine adds every address: an address needs no look-up, so nothing can be rebound.
    #[must_use]
    pub fn listening_on(mut self, address: IpAddr) -> Self {
        if address.is_unspecified() {
            self.any_address = true;
        } else {
            self.names.push(match address {
                IpAddr::V4(address) => address.to_string(),
                IpAddr::V6(address) => format!("[{address}]"),
            });
        }
        self
    }

    /// Adds a name.
    ///
    /// # Errors
    /// When it is no name and no address, or has a port.
    pub fn and(mut self, name: &str) -> Result<Self, NotAHost> {
        match authority::split(name) {
            Some((host, None)) => self.names.push(host.to_ascii_lowercase()),
            _ => return Err(NotAHost(name.to_owned())),
        }
        Ok(self)
    }

    /// Judges what the request says it was sent to: the Host field, and the authority of its target,
    /// which HTTP/2 has instead (RFC 9113, section 8.3.1).
    pub(crate) fn check(&self, head: &request::Parts, host: Field<'_>) -> Result<(), Refusal> {
        let target = head.uri.authority();
        if target.is_some_and(|target| !self.allow(target.as_str())) {
            return Err(Refusal::Host);
        }
        match host.text() {
            Some(host) if self.allow(host) => Ok(()),
            Some(_) => Err(Refusal::Host),
            // RFC 9112, section 3.2: without a Host, or with two, it is no request of HTTP/1.1.
            None if host != Field::Missing => Err(Refusal::NoHost),
            None if head.version == Version::HTTP_11 => Err(Refusal::NoHost),
            None => Ok(()),
        }
    }

    fn allow(&self, authority: &str) -> bool {
        if is_usual(authority) {
            return true;
        }
        authority::split(authority).is_some_and(|(host, _)| {
            is_loopback(host)
                || self
                    .names
                    .iter()
                    .any(|name| host.eq_ignore_ascii_case(name))
                || (self.any_address && address(host).is_some())
        })
    }
}

/// Whether this is the machine itself on some port, as most clients spell it. Each request passes
/// here, and this is quicker than to take the text apart.
fn is_usual(authority: &str) -> bool {
    ["127.0.0.1:", "localhost:"]
        .iter()
        .filter_map(|start| authority.strip_prefix(start))
        .any(|port| port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok())
}

/// Whether this host is the machine itself.
pub(crate) fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || address(host).is_some_and(|a| a.is_loopback())
}

fn address(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[').and_then(|h| h.strip_suffix(']')) {
        Some(inner) => inner.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => host.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
    }
}

#[cfg(test)]
mod tests {
    use http::header::HOST;

    use super::*;
    use crate::http::fields::Fields;

    fn head(target: &str, hosts: &[&str], version: Version) -> request::Parts {
        let mut request = http::Request::post(target).version(version);
        for host in hosts {
            request = request.header(HOST, *host);
        }
        request.body(()).unwrap().into_parts().0
    }

    fn check(hosts: &Hosts, head: &request::Parts) -> Result<(), Refusal> {
        hosts.check(head, Fields::of(&head.headers).host)
    }

    fn allowed(hosts: &Hosts, host: &str) -> bool {
        check(hosts, &head("/mcp", &[host], Version::HTTP_11)) == Ok(())
    }

    #[test]
    fn loopback_names_always_pass_and_others_only_by_name() {
        let none = Hosts::default();
        for own in [
            "localhost",
            "LocalHost:8080",
            "127.0.0.1:1",
            "127.4.0.9",
            "[::1]:9000",
        ] {
            assert!(allowed(&none, own), "{own}");
        }
        let some = Hosts::default()
            .listening_on([10, 0, 0, 5].into())
            .listening_on(Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, 7).into())
            .and("Load.Example")
            .unwrap();
        for host in ["10.0.0.5:80", "[fd00::7]", "load.example:9"] {
            assert!(!allowed(&none, host), "{host}");
            assert!(allowed(&some, host), "{host}");
        }
        for foreign in [
            "example.org",
            "10.0.0.6",
            "localhost.example.org",
            "127.0.0.1.example.org",
            "x.load.example",
            "",
            "localhost:x",
        ] {
            assert!(!allowed(&some, foreign), "{foreign}");
        }
    }

    #[test]
    fn a_replica_that_listens_everywhere_is_called_by_any_address_and_no_name() {
        let all = Hosts::default().listening_on(Ipv4Addr::UNSPECIFIED.into());
        assert!(allowed(&all, "10.9.8.7:80") && allowed(&all, "[fd00::1]"));
        assert!(!allowed(&all, "example.org") && !allowed(&all, "10.9.8.7.example.org"));
    }

    #[test]
    fn the_targets_authority_counts_too() {
        let check = |target, hosts: &[&str], version| {
            check(&Hosts::default(), &head(target, hosts, version))
        };
        let (old, new) = (Version::HTTP_11, Version::HTTP_2);
        assert_eq!(check("http://localhost/mcp", &[], new), Ok(()));
        assert_eq!(
            check("http://example.org/mcp", &[], new),
            Err(Refusal::Host)
        );
        assert_eq!(
            check("http://example.org/mcp", &["localhost"], old),
            Err(Refusal::Host)
        );
        assert_eq!(
            check("http://localhost/mcp", &["example.org"], new),
            Err(Refusal::Host)
        );
    }

    #[test]
    fn http_1_1_needs_one_host() {
        let check =
            |hosts: &[&str], version| check(&Hosts::default(), &head("/mcp", hosts, version));
        assert_eq!(check(&[], Version::HTTP_11), Err(Refusal::NoHost));
        assert_eq!(check(&[], Version::HTTP_10), Ok(()));
        let twice = &["localhost", "localhost"];
        assert_eq!(check(twice, Version::HTTP_11), Err(Refusal::NoHost));
        assert_eq!(check(twice, Version::HTTP_10), Err(Refusal::NoHost));
    }

    #[test]
    fn a_name_with_a_port_or_a_scheme_is_no_host() {
        for bad in ["", "a:80", "http://a", "a/b", "a b", "*"] {
            assert!(Hosts::default().and(bad).is_err(), "{bad}");
        }
    }
}
