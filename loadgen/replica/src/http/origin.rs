/// Whether a browser page of this origin may talk to the replica: only pages that this machine
/// serves to itself, on any port. `null` and anything that is no http(s) origin are foreign.
pub(crate) fn is_local(origin: &[u8]) -> bool {
    let Ok(origin) = std::str::from_utf8(origin) else {
        return false;
    };
    let rest = origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"));
    let Some(authority) = rest else {
        return false;
    };
    let (host, port) = match authority.rsplit_once(':') {
        // The last colon of an address in brackets belongs to the address.
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let port_ok = port.is_none_or(|p| !p.is_empty() && p.parse::<u16>().is_ok());
    let host_ok = host.eq_ignore_ascii_case("localhost") || host == "127.0.0.1" || host == "[::1]";
    host_ok && port_ok
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_origins_are_local_on_any_port() {
        for origin in [
            "http://localhost",
            "http://LOCALHOST:3000",
            "https://127.0.0.1:8443",
            "http://[::1]",
            "http://[::1]:9000",
        ] {
            assert!(is_local(origin.as_bytes()), "{origin}");
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
            assert!(!is_local(origin.as_bytes()), "{origin}");
        }
        assert!(!is_local(b"http://localhost\xff"));
    }
}
