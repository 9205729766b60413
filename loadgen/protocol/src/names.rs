//! Spellings of the wire: the revision, methods, `_meta` keys and header names.

/// The protocol revision this project speaks.
pub const PROTOCOL_VERSION: &str = "2026-07-28";

/// Message of a refused `requestState`: a convention of the Python and TypeScript SDKs, kept
/// verbatim so that their users recognise it.
pub const STATE_REJECTED_MESSAGE: &str = "Invalid or expired requestState";

/// `data.reason` of a refused `requestState` (same convention).
pub const STATE_REJECTED_REASON: &str = "invalid_request_state";

/// JSON-RPC method names.
pub mod method {
    /// Names the versions and capabilities of a server.
    pub const DISCOVER: &str = "server/discover";
    /// Lists tools.
    pub const TOOLS_LIST: &str = "tools/list";
    /// Calls a tool; may ask for input.
    pub const TOOLS_CALL: &str = "tools/call";
    /// Lists prompts.
    pub const PROMPTS_LIST: &str = "prompts/list";
    /// Renders a prompt; may ask for input.
    pub const PROMPTS_GET: &str = "prompts/get";
    /// Lists resources.
    pub const RESOURCES_LIST: &str = "resources/list";
    /// Lists resource templates.
    pub const RESOURCE_TEMPLATES_LIST: &str = "resources/templates/list";
    /// Reads a resource; may ask for input.
    pub const RESOURCES_READ: &str = "resources/read";
    /// Suggests values for an argument that is being typed.
    pub const COMPLETE: &str = "completion/complete";
    /// Listens for changes until either side ends it.
    pub const LISTEN: &str = "subscriptions/listen";
    /// The embedded question for a form or a URL visit.
    pub const ELICIT: &str = "elicitation/create";
    /// The embedded question for a model's answer (deprecated).
    pub const SAMPLE: &str = "sampling/createMessage";
    /// The embedded question for the client's roots (deprecated).
    pub const ROOTS: &str = "roots/list";
}

/// Keys inside `_meta`.
pub mod meta {
    /// Required on every request: the revision.
    pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    /// Required on every request: what the client can answer.
    pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    /// Recommended on every request: name and version for display, never to be trusted.
    pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
    /// Optional: the least grave log messages that the client wants to hear; without it, none.
    pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
    /// On everything that a subscription says: the id of the request that opened it.
    pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
    /// Recommended on every result: name and version of the server.
    pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
}

/// HTTP header names, in the lower case that hyper wants.
pub mod header {
    /// Must equal the `_meta` protocol version.
    pub const PROTOCOL_VERSION: &str = "mcp-protocol-version";
    /// Must equal the JSON-RPC method.
    pub const METHOD: &str = "mcp-method";
    /// Must equal `params.name` or `params.uri` after decoding.
    pub const NAME: &str = "mcp-name";
    /// Session header of revisions up to 2025-11-25; its presence marks a session-bound server.
    pub const SESSION_ID: &str = "mcp-session-id";
    /// Times of the server's own stages (W3C Server Timing), in milliseconds.
    pub const SERVER_TIMING: &str = "server-timing";
}
