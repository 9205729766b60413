use std::borrow::Cow;

use hyper::HeaderMap;
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
    pub(crate) fields: HeaderMap,
    /// Whether an `Mcp-Session-Id` header came along: the mark of a session-bound server.
    pub(crate) session: bool,
    /// What the server said about its own work.
    pub(crate) server: ServerTiming,
}
