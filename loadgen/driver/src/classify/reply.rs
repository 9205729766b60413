use std::borrow::Cow;

use httparse::EMPTY_HEADER;
use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};
use loadgen_measure::ServerTiming;

/// A whole HTTP reply, as far as anything here looks at it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reply {
    /// HTTP status.
    pub(crate) status: u16,
    /// Media type, lower case, without parameters; empty when absent.
    pub(crate) media_type: Cow<'static, str>,
    /// The body; of an event stream, the message that answers the request (or all of the stream
    /// when none does).
    pub(crate) body: Vec<u8>,
    /// Bytes of the whole body as received.
    pub(crate) body_bytes: u64,
    /// The header fields: taken over whole, looked at where a limit is reached.
    pub(crate) fields: Fields,
    /// Whether an `Mcp-Session-Id` header came along: the mark of a session-bound server.
    pub(crate) session: bool,
    /// What the server said about its own work.
    pub(crate) server: ServerTiming,
}

/// The header fields of a reply.
#[derive(Debug, Clone)]
pub(crate) enum Fields {
    /// As a map.
    Map(Box<HeaderMap>),
    /// In the whole head as it came, which has been read once without keeping them.
    Text(Box<[u8]>),
}

impl Fields {
    /// As a map, which is made where it is needed.
    pub(crate) fn map(&self) -> Cow<'_, HeaderMap> {
        match self {
            Self::Map(map) => Cow::Borrowed(map),
            Self::Text(head) => Cow::Owned(parsed(head)),
        }
    }
}

impl Default for Fields {
    fn default() -> Self {
        Self::Text(Box::default())
    }
}

impl From<HeaderMap> for Fields {
    fn from(map: HeaderMap) -> Self {
        Self::Map(Box::new(map))
    }
}

fn parsed(head: &[u8]) -> HeaderMap {
    let lines = head.iter().filter(|byte| **byte == b'\n').count();
    let mut fields = vec![EMPTY_HEADER; lines];
    let mut response = httparse::Response::new(&mut fields);
    // Nothing is there without a head, and one that is there was read before.
    let _ = response.parse(head);
    let fields = response.headers.iter().filter_map(|field| {
        let name = HeaderName::from_bytes(field.name.as_bytes()).ok()?;
        Some((name, HeaderValue::from_bytes(field.value).ok()?))
    });
    let mut map = HeaderMap::new();
    for (name, value) in fields {
        map.append(name, value);
    }
    map
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_the_same_from_the_text_of_a_head() {
        let head = b"HTTP/1.1 200 OK\r\nRetry-After: 1 \r\nX:\r\nretry-after:2\r\nY: \xff\r\n\r\n";
        let fields = Fields::Text(head[..].into());
        let fields = fields.map();
        let values: Vec<_> = fields.get_all("retry-after").iter().collect();
        assert_eq!(values, ["1", "2"]);
        assert_eq!(fields["x"], "");
        assert_eq!(fields["y"].as_bytes(), b"\xff");
        assert_eq!(fields.len(), 4);
        assert!(Fields::default().map().is_empty());
    }
}
