//! Addresses of servers.

use std::fmt;
use std::net::SocketAddr;

use http::Uri;
use hyper::http;
use rustls::pki_types::ServerName;

/// Why a target's address cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("target `{url}`: {message}")]
pub struct TargetError {
    url: String,
    message: String,
}

/// A server: its address as given, and where it resolved to.
#[derive(Debug, Clone)]
pub struct Target {
    url: String,
    pub(crate) authority: String,
    pub(crate) path: http::uri::PathAndQuery,
    pub(crate) addresses: Vec<SocketAddr>,
    /// Whom the certificate must name; `None` for plain HTTP.
    pub(crate) server_name: Option<ServerName<'static>>,
}

impl Target {
    /// Reads and resolves an `http://` or `https://` address.
    ///
    /// # Errors
    /// When it is no such address, or its host name does not resolve.
    pub async fn resolve(url: &str) -> Result<Self, TargetError> {
        let wrong = |message: String| TargetError {
            url: url.to_owned(),
            message,
        };
        let uri: Uri = url.parse().map_err(|e| {
            wrong(format!(
                "not an address: {e}; write for example http://127.0.0.1:8080/mcp"
            ))
        })?;
        let (secured, usual_port) = match uri.scheme_str() {
            Some("http") => (false, 80),
            Some("https") => (true, 443),
            _ => {
                return Err(wrong(
                    "must begin with http:// or https://, for example http://127.0.0.1:8080/mcp"
                        .to_owned(),
                ));
            }
        };
        let authority = uri
            .authority()
            .ok_or_else(|| wrong("has no host".to_owned()))?;
        if authority.as_str().contains('@') {
            return Err(wrong("must not hold a user name or password".to_owned()));
        }
        let host = authority
            .host()
            .trim_start_matches('[')
            .trim_end_matches(']');
        let port = match authority.as_str().rsplit_once(':') {
            Some((_, port)) if !port.is_empty() && !port.ends_with(']') => port
                .parse()
                .ok()
                .filter(|port| *port > 0)
                .ok_or_else(|| wrong(format!("port `{port}` is not 1 to 65535")))?,
            _ => usual_port,
        };
        let server_name = secured
            .then(|| ServerName::try_from(host.to_owned()))
            .transpose()
            .map_err(|_| wrong(format!("host `{host}` cannot stand in a certificate")))?;
        let addresses: Vec<SocketAddr> = tokio::net::lookup_host((host, port))
            .await
            .map_err(|e| wrong(format!("host `{host}` does not resolve: {e}")))?
            .collect();
        if addresses.is_empty() {
            return Err(wrong(format!("host `{host}` resolves to no address")));
        }
        Ok(Self {
            url: url.to_owned(),
            authority: authority.as_str().to_owned(),
            path: uri
                .path_and_query()
                .cloned()
                .unwrap_or_else(|| http::uri::PathAndQuery::from_static("/")),
            addresses,
            server_name,
        })
    }

    /// The address as given.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn addresses_are_read_with_brackets_and_defaults() {
        let target = Target::resolve("http://[::1]:9/mcp?x=1").await.unwrap();
        assert_eq!(target.addresses, ["[::1]:9".parse().unwrap()]);
        assert_eq!(target.authority, "[::1]:9");
        assert_eq!(target.path.as_str(), "/mcp?x=1");
        let target = Target::resolve("http://127.0.0.1").await.unwrap();
        assert_eq!(target.addresses, ["127.0.0.1:80".parse().unwrap()]);
        assert_eq!(target.path.as_str(), "/");
    }

    #[tokio::test]
    async fn what_would_reach_another_place_is_refused() {
        for (url, why) in [
            (
                "http://127.0.0.1:99999/mcp",
                "port `99999` is not 1 to 65535",
            ),
            ("http://127.0.0.1:0/mcp", "port `0` is not"),
            (
                "http://me:secret@127.0.0.1:80/",
                "must not hold a user name",
            ),
        ] {
            let error = Target::resolve(url).await.unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
        let target = Target::resolve("http://[::1]/").await.unwrap();
        assert_eq!(target.addresses, ["[::1]:80".parse().unwrap()]);
    }

    #[tokio::test]
    async fn unusable_addresses_are_refused_with_an_example() {
        for url in [
            "127.0.0.1:8080/mcp",
            "ftp://127.0.0.1/",
            "http://",
            "mcp",
            "",
        ] {
            let error = Target::resolve(url).await.unwrap_err().to_string();
            assert!(error.contains("http://127.0.0.1:8080/mcp"), "{error}");
        }
    }

    #[tokio::test]
    async fn https_has_its_own_port_and_a_name_to_check() {
        let plain = Target::resolve("http://127.0.0.1/").await.unwrap();
        assert_eq!(plain.server_name, None);
        for (url, address, name) in [
            ("https://127.0.0.1/mcp", "127.0.0.1:443", "127.0.0.1"),
            ("https://[::1]:8443/mcp", "[::1]:8443", "::1"),
        ] {
            let target = Target::resolve(url).await.unwrap();
            assert_eq!(target.addresses, [address.parse().unwrap()]);
            assert_eq!(target.server_name.unwrap().to_str(), name);
        }
    }
}
