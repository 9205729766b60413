use std::borrow::Cow;

use http::StatusCode;
use loadgen_protocol::{
    ClientCapabilities, ErrorCode, ErrorObject, MessageFault, ParamsFault, STATE_REJECTED_MESSAGE,
    STATE_REJECTED_REASON,
};
use serde_json::{Value, json};

use crate::SUPPORTED_VERSIONS;
use crate::limit::signal::{Body, Signalled};
use crate::principals::TokenFault;
use crate::subscriptions::LISTENERS_MAX;

/// Why a message is refused, and how: the HTTP status, and a JSON-RPC error or a line of text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Refusal {
    /// Another path than the endpoint's.
    Path,
    /// Sent to a name that is not the replica's.
    Host,
    /// Sent to no name, or to two.
    NoHost,
    /// A page of another origin asks.
    Origin,
    /// Not POST.
    HttpMethod,
    /// The client does not take both reply forms.
    Accept,
    /// The body is no JSON by its own account.
    ContentType,
    /// An Authorization field that is no text.
    Authorization,
    /// The access token lets nobody in.
    Token(TokenFault),
    /// The body is above the limit.
    BodySize,
    /// The body never came whole.
    BodyBroken,
    /// The body came too slowly to wait for it.
    BodySlow,
    /// Not JSON.
    Parse,
    /// JSON, and no single JSON-RPC request or notification.
    Request(&'static str),
    /// A key that `_meta` must have is missing or of another type.
    Meta(&'static str),
    /// A header is missing, malformed or says something else than the body.
    Header(String),
    /// The version is not implemented.
    Version {
        requested: String,
        /// The only one that is, when a fault makes it another than ours.
        only: Option<String>,
    },
    /// There is no such method.
    Method,
    /// The parameters are wrong.
    Params(Cow<'static, str>),
    /// No tool or prompt has this name.
    Target(String),
    /// No resource has this URI.
    Resource(String),
    /// The caller may not call this tool; holds its name.
    Scope(String),
    /// The quota is spent; holds what the limiter says.
    Limited(Box<Signalled>),
    /// Redis, which keeps the quota, gave no answer.
    LimiterDown,
    /// An answer cannot be understood.
    Answer(String),
    /// The server has more to do than anybody would wait for.
    Full,
    /// Too many clients listen already.
    Listeners,
    /// The state does not open: one reply for every cause.
    State,
    /// The server must ask what the client did not declare; holds what it would have to.
    Capability(Box<ClientCapabilities>),
    /// The record of used states cannot be asked, or is full.
    StoreDown,
    /// The state could not be sealed.
    Seal(String),
}

/// How a refusal leaves: as a JSON-RPC error or, below that level, as text. The limiter's take any
/// form.
pub(crate) enum Wire<'a> {
    Rpc(ErrorObject<'static>),
    Text(&'static str),
    Limited(&'a Body),
}

impl Refusal {
    /// The HTTP status.
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Path | Self::Method => StatusCode::NOT_FOUND,
            Self::Host => StatusCode::MISDIRECTED_REQUEST,
            Self::Origin | Self::Scope(_) => StatusCode::FORBIDDEN,
            Self::Token(TokenFault::Missing | TokenFault::Unknown) => StatusCode::UNAUTHORIZED,
            Self::HttpMethod => StatusCode::METHOD_NOT_ALLOWED,
            Self::Accept => StatusCode::NOT_ACCEPTABLE,
            Self::ContentType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::BodySize => StatusCode::PAYLOAD_TOO_LARGE,
            Self::BodySlow => StatusCode::REQUEST_TIMEOUT,
            Self::Full | Self::Listeners => StatusCode::SERVICE_UNAVAILABLE,
            Self::Seal(_) => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Limited(signalled) => signalled.status,
            Self::LimiterDown | Self::StoreDown => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::BAD_REQUEST,
        }
    }

    /// What the reply says.
    pub(crate) fn wire(&self) -> Wire<'_> {
        let (code, message, data): (ErrorCode, Cow<'static, str>, Option<Value>) = match self {
            Self::Path => return Wire::Text("There is nothing here; the endpoint is /mcp.\n"),
            Self::Host => return Wire::Text("This server has another name.\n"),
            Self::NoHost => return Wire::Text("Name one Host.\n"),
            Self::Origin => return Wire::Text("Pages of this origin may not call.\n"),
            Self::HttpMethod => return Wire::Text("Use POST.\n"),
            Self::Accept => {
                return Wire::Text("Accept both application/json and text/event-stream.\n");
            }
            Self::ContentType => return Wire::Text("Send application/json.\n"),
            Self::Authorization => return Wire::Text("Authorization is not readable text.\n"),
            Self::Token(fault) => {
                return Wire::Text(match fault {
                    TokenFault::Missing => "Send a bearer token.\n",
                    TokenFault::Malformed => "Authorization is no bearer token.\n",
                    TokenFault::Unknown => "The token is not known.\n",
                });
            }
            Self::Scope(_) => return Wire::Text("The token does not permit this tool.\n"),
            Self::BodySize => return Wire::Text("The body is too large.\n"),
            Self::BodyBroken => return Wire::Text("The body did not arrive whole.\n"),
            Self::BodySlow => return Wire::Text("The body took too long.\n"),
            Self::Parse => (ErrorCode::PARSE, "The body is not JSON".into(), None),
            Self::Request(why) => (ErrorCode::INVALID_REQUEST, (*why).into(), None),
            Self::Meta(key) => (
                ErrorCode::INVALID_PARAMS,
                format!("params._meta must have {key}").into(),
                Some(json!({ "key": key, "supported": SUPPORTED_VERSIONS })),
            ),
            Self::Header(why) => (ErrorCode::HEADER_MISMATCH, why.clone().into(), None),
            Self::Version { requested, only } => (
                ErrorCode::UNSUPPORTED_VERSION,
                "Unsupported protocol version".into(),
                Some(match only {
                    None => json!({ "supported": SUPPORTED_VERSIONS, "requested": requested }),
                    Some(only) => json!({ "supported": [only], "requested": requested }),
                }),
            ),
            Self::Method => (ErrorCode::METHOD_NOT_FOUND, "Method not found".into(), None),
            Self::Params(why) => (ErrorCode::INVALID_PARAMS, why.clone(), None),
            Self::Target(name) => (
                ErrorCode::INVALID_PARAMS,
                format!("Nothing here is named {name:?}").into(),
                Some(json!({ "name": name })),
            ),
            Self::Resource(uri) => (
                ErrorCode::INVALID_PARAMS,
                "Resource not found".into(),
                Some(json!({ "uri": uri })),
            ),
            Self::Limited(signalled) => return Wire::Limited(&signalled.body),
            Self::LimiterDown => (
                ErrorCode::INTERNAL,
                "The rate limiter is out of reach".into(),
                None,
            ),
            Self::Answer(why) => (ErrorCode::INVALID_PARAMS, why.clone().into(), None),
            Self::Full => (ErrorCode::INTERNAL, "The queue is full".into(), None),
            Self::Listeners => {
                let why = format!("{LISTENERS_MAX} clients listen already, which is the most");
                (ErrorCode::INTERNAL, why.into(), None)
            }
            Self::State => (
                ErrorCode::INVALID_PARAMS,
                STATE_REJECTED_MESSAGE.into(),
                Some(json!({ "reason": STATE_REJECTED_REASON })),
            ),
            Self::StoreDown => (
                ErrorCode::INTERNAL,
                "The record of used states is out of reach".into(),
                None,
            ),
            Self::Capability(required) => (
                ErrorCode::MISSING_CAPABILITY,
                "The client must declare more capabilities for this".into(),
                Some(json!({ "requiredCapabilities": required })),
            ),
            Self::Seal(why) => (ErrorCode::INTERNAL, why.clone().into(), None),
        };
        Wire::Rpc(ErrorObject {
            code,
            message,
            data,
        })
    }

    /// The `WWW-Authenticate` field that goes with it, if it is about who asks (RFC 6750, section 3:
    /// a request without a token is told no error).
    pub(crate) fn challenge(&self) -> Option<String> {
        let error = match self {
            Self::Token(TokenFault::Missing) => String::new(),
            Self::Token(TokenFault::Malformed) => r#", error="invalid_request""#.to_owned(),
            Self::Token(TokenFault::Unknown) => r#", error="invalid_token""#.to_owned(),
            Self::Scope(tool) => format!(r#", error="insufficient_scope", scope="tool:{tool}""#),
            _ => return None,
        };
        Some(format!(r#"Bearer realm="loadgen-replica"{error}"#))
    }

    /// What the counters file it under.
    pub(crate) fn cause(&self) -> Cause {
        match self {
            Self::Path => Cause::Path,
            Self::Host | Self::NoHost => Cause::Host,
            Self::Origin => Cause::Origin,
            Self::HttpMethod => Cause::HttpMethod,
            Self::Accept => Cause::Accept,
            Self::ContentType => Cause::ContentType,
            Self::Authorization => Cause::Authorization,
            Self::Token(_) => Cause::Token,
            Self::BodySize => Cause::BodySize,
            Self::BodyBroken => Cause::BodyBroken,
            Self::BodySlow => Cause::BodySlow,
            Self::Parse => Cause::Parse,
            Self::Request(_) => Cause::Request,
            Self::Meta(_) => Cause::Meta,
            Self::Header(_) => Cause::Header,
            Self::Version { .. } => Cause::Version,
            Self::Method => Cause::Method,
            Self::Params(_) => Cause::Params,
            Self::Target(_) => Cause::Target,
            Self::Resource(_) => Cause::Resource,
            Self::Scope(_) => Cause::Scope,
            Self::Limited(_) => Cause::Limited,
            Self::LimiterDown => Cause::LimiterDown,
            Self::Answer(_) => Cause::Answer,
            Self::Full => Cause::Full,
            Self::Listeners => Cause::Listeners,
            Self::State => Cause::State,
            Self::Capability(_) => Cause::Capability,
            Self::StoreDown => Cause::StoreDown,
            Self::Seal(_) => Cause::Seal,
        }
    }
}

impl From<MessageFault> for Refusal {
    fn from(fault: MessageFault) -> Self {
        match fault {
            MessageFault::NotJson => Self::Parse,
            MessageFault::NotRequest(why) => Self::Request(why),
        }
    }
}

impl From<ParamsFault> for Refusal {
    fn from(fault: ParamsFault) -> Self {
        match fault {
            ParamsFault::Meta(key) => Self::Meta(key),
            ParamsFault::Member(why) => Self::Params(why.into()),
        }
    }
}

/// The kinds of refusals, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Cause {
    /// Another path than the endpoint's (404).
    Path,
    /// Sent to another name than the replica's (421), or to none (400).
    Host,
    /// A foreign `Origin` (403).
    Origin,
    /// Not POST (405).
    HttpMethod,
    /// `Accept` lacks one of the two reply forms (406).
    Accept,
    /// `Content-Type` is not `application/json` (415).
    ContentType,
    /// `Authorization` is not readable text (400).
    Authorization,
    /// No access token or an unknown one (401), or none that is written as one (400).
    Token,
    /// The body is above the limit (413).
    BodySize,
    /// The body never came whole (400, if anybody is left to read it).
    BodyBroken,
    /// The body came too slowly to wait for it (408).
    BodySlow,
    /// The body is not JSON (-32700).
    Parse,
    /// No JSON-RPC request or notification (-32600).
    Request,
    /// `_meta` lacks a key (-32602).
    Meta,
    /// A header is missing, malformed or differs from the body (-32020).
    Header,
    /// The protocol version is not implemented (-32022).
    Version,
    /// There is no such method (404, -32601).
    Method,
    /// Wrong parameters (-32602).
    Params,
    /// No such tool or prompt (-32602).
    Target,
    /// No such resource (-32602).
    Resource,
    /// The access token does not permit this tool (403).
    Scope,
    /// The quota is spent (as the limiter is configured to say it).
    Limited,
    /// Redis, which keeps the quota, gave no answer (503, -32603).
    LimiterDown,
    /// The queue of the fifo mode is full (503, -32603).
    Full,
    /// Too many clients listen already (503, -32603).
    Listeners,
    /// A state that does not open (-32602); its own causes are counted by the sealer.
    State,
    /// An answer that cannot be understood (-32602).
    Answer,
    /// The client lacks a capability (-32021).
    Capability,
    /// The record of used states cannot be asked, or is full (503, -32603).
    StoreDown,
    /// A state could not be sealed (500, -32603).
    Seal,
}

impl Cause {
    /// Every cause, in the order of the checks.
    pub const ALL: [Self; 30] = [
        Self::Path,
        Self::Host,
        Self::Origin,
        Self::HttpMethod,
        Self::Accept,
        Self::ContentType,
        Self::Authorization,
        Self::Token,
        Self::BodySize,
        Self::BodyBroken,
        Self::BodySlow,
        Self::Parse,
        Self::Request,
        Self::Meta,
        Self::Header,
        Self::Version,
        Self::Method,
        Self::Params,
        Self::Target,
        Self::Resource,
        Self::Scope,
        Self::Limited,
        Self::LimiterDown,
        Self::Full,
        Self::Listeners,
        Self::State,
        Self::Answer,
        Self::Capability,
        Self::StoreDown,
        Self::Seal,
    ];

    /// A short name for logs and metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Host => "host",
            Self::Origin => "origin",
            Self::HttpMethod => "http-method",
            Self::Accept => "accept",
            Self::ContentType => "content-type",
            Self::Authorization => "authorization",
            Self::Token => "token",
            Self::BodySize => "body-size",
            Self::BodyBroken => "body-broken",
            Self::BodySlow => "body-slow",
            Self::Parse => "parse",
            Self::Request => "request",
            Self::Meta => "meta",
            Self::Header => "header",
            Self::Version => "version",
            Self::Method => "method",
            Self::Params => "params",
            Self::Target => "target",
            Self::Resource => "resource",
            Self::Scope => "scope",
            Self::Limited => "limited",
            Self::LimiterDown => "limiter-down",
            Self::Full => "queue-full",
            Self::Listeners => "listeners",
            Self::State => "state",
            Self::Answer => "answer",
            Self::Capability => "capability",
            Self::StoreDown => "store-down",
            Self::Seal => "seal",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_stand_at_their_own_index_with_their_own_names() {
        for (i, cause) in Cause::ALL.into_iter().enumerate() {
            assert_eq!(cause as usize, i);
        }
        let names: std::collections::HashSet<_> = Cause::ALL.map(Cause::name).into();
        assert_eq!(names.len(), Cause::ALL.len());
    }

    #[test]
    fn codes_stay_out_of_the_retired_and_the_legacy_ranges() {
        let refusals = [
            Refusal::Parse,
            Refusal::Request("x"),
            Refusal::Meta("x"),
            Refusal::Header(String::new()),
            Refusal::Version {
                requested: String::new(),
                only: None,
            },
            Refusal::Method,
            Refusal::Params("x".into()),
            Refusal::Target(String::new()),
            Refusal::Resource(String::new()),
            Refusal::Answer(String::new()),
            Refusal::LimiterDown,
            Refusal::Full,
            Refusal::Listeners,
            Refusal::State,
            Refusal::Capability(Box::default()),
            Refusal::StoreDown,
            Refusal::Seal(String::new()),
        ];
        for refusal in refusals {
            let Wire::Rpc(error) = refusal.wire() else {
                panic!("{refusal:?} is no JSON-RPC error");
            };
            let standard = [-32700, -32600, -32601, -32602, -32603].contains(&error.code.0);
            assert!(standard || [-32020, -32021, -32022].contains(&error.code.0));
        }
    }
}
