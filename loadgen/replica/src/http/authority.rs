/// The host and the port of `host[:port]`, as in a Host field or after the scheme of an origin
/// (RFC 3986, section 3.2, without user information). `None` when it is neither.
pub(crate) fn split(authority: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = match authority.rsplit_once(':') {
        // The last colon of an address in brackets belongs to the address.
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let port = match port {
        None => None,
        Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => Some(digits.parse().ok()?),
        Some(_) => return None,
    };
    is_host(host).then_some((host, port))
}

/// A name of letters, digits, dots, hyphens and underscores, or an IPv6 address in brackets.
fn is_host(host: &str) -> bool {
    match host.strip_prefix('[').and_then(|h| h.strip_suffix(']')) {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            let name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_');
            !host.is_empty() && host.bytes().all(name)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_part_from_their_ports() {
        assert_eq!(split("localhost"), Some(("localhost", None)));
        assert_eq!(split("127.0.0.1:80"), Some(("127.0.0.1", Some(80))));
        assert_eq!(split("[::1]"), Some(("[::1]", None)));
        assert_eq!(split("[::1]:9000"), Some(("[::1]", Some(9000))));
    }

    #[test]
    fn what_is_no_authority_has_no_parts() {
        for bad in [
            "",
            ":80",
            "localhost:",
            "localhost:99999",
            "localhost:+80",
            "localhost/",
            "user@localhost",
            "::1",
            "[localhost]",
            "a:b:80",
        ] {
            assert_eq!(split(bad), None, "{bad}");
        }
    }
}
