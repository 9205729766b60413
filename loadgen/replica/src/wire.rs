//! The names and numbers of MCP 2026-07-28 that the replica writes and compares.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The revisions that the replica speaks.
pub(crate) const SUPPORTED_VERSIONS: [&str; 1] = ["2026-07-28"];

pub(crate) mod header {
    pub(crate) const VERSION: &str = "mcp-protocol-version";
    pub(crate) const METHOD: &str = "mcp-method";
    pub(crate) const NAME: &str = "mcp-name";
}

pub(crate) mod meta {
    pub(crate) const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    pub(crate) const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
}

pub(crate) mod code {
    pub(crate) const PARSE: i32 = -32700;
    pub(crate) const INVALID_REQUEST: i32 = -32600;
    pub(crate) const METHOD_NOT_FOUND: i32 = -32601;
    pub(crate) const INVALID_PARAMS: i32 = -32602;
    pub(crate) const INTERNAL: i32 = -32603;
    pub(crate) const HEADER_MISMATCH: i32 = -32020;
    pub(crate) const MISSING_CAPABILITY: i32 = -32021;
    pub(crate) const UNSUPPORTED_VERSION: i32 = -32022;
}

/// Takes the sentinel `=?base64?...?=` off a header value (strict standard base64 of UTF-8);
/// other values stay as they are. `None` when what is inside cannot be decoded.
pub(crate) fn decode_header_value(value: &str) -> Option<Cow<'_, str>> {
    let inside = value
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="));
    match inside {
        None => Some(value.into()),
        Some(inside) => {
            let bytes = STANDARD.decode(inside).ok()?;
            String::from_utf8(bytes).ok().map(Cow::Owned)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentinel_is_taken_off_strictly() {
        let decoded = |value| decode_header_value(value);
        assert_eq!(decoded("echo").as_deref(), Some("echo"));
        assert_eq!(decoded("=?base64?5LiW55WM?=").as_deref(), Some("世界"));
        assert_eq!(decoded("=?base64??=").as_deref(), Some(""));
        for bad in [
            "=?base64?5LiW55W?=",
            "=?base64?_-8=?=",
            "=?base64?gA==?=",
            "=?base64? ZQ==?=",
        ] {
            assert_eq!(decoded(bad), None, "{bad}");
        }
    }
}
