//! The stateless reference server that loadgen measures against.
//!
//! A [`Replica`] answers MCP 2026-07-28 requests from their own bytes alone: what a workflow needs
//! from round to round travels sealed in `requestState`, so any replica with the same keys can take
//! the next round. A [`Server`] puts one behind a socket.
//!
//! Every round says in `Server-Timing` how long opening the state, asking limiter and store, handling
//! and sealing took.

mod access_log;
mod catalogue;
mod clock;
mod completions;
mod config;
mod content;
mod counters;
mod faults;
mod fifo;
mod http;
mod limit;
mod method;
mod metrics;
mod mrtr;
mod notifier;
mod outcome;
mod principals;
mod redis_link;
mod refusal;
mod replica;
mod reply_form;
mod server;
mod setup_error;
mod short_hex;
mod store;
mod subscriptions;
mod surface;
mod tally;
mod timing;
mod token_uses;
mod visit;

/// The revisions that the replica speaks.
const SUPPORTED_VERSIONS: [&str; 1] = [loadgen_protocol::PROTOCOL_VERSION];

pub use access_log::{AccessLog, Closed};
pub use clock::Clock;
pub use config::Config;
pub use counters::{Counters, ItemCount, PartTime};
pub use faults::{Command, CommandError, Fault, FaultCounts};
pub use fifo::{BadServiceTime, Fifo, ServiceTime};
pub use http::body::BodyFault;
pub use http::hosts::{Hosts, NotAHost};
pub use http::origin::{NotAnOrigin, Origins};
pub use http::reply_body::ReplyBody;
pub use limit::{
    LimitConfig, LimitCounters, LimitError, LimitMode, LimitScope, PrincipalCounters, Quota,
    QuotaError, Rate, RateError, Signal, SignalError, Ticks,
};
pub use metrics::{Metrics, MetricsServer};
pub use principals::{Principals, PrincipalsError};
pub use redis_link::{RedisConfig, RedisLink, RedisUrlError, WhenDown};
pub use refusal::Cause;
pub use replica::Replica;
pub use reply_form::ReplyForm;
pub use server::{
    AcceptLimit, ConnectionCounts, ConnectionPolicy, Connections, Drip, OverLimit, Server, Stopped,
    Tls, TlsError, TlsProvider, Transport,
};
pub use setup_error::SetupError;
pub use store::{Redemption, StoreConfig, StoreCounters, UsedTokens};
pub use token_uses::TokenCounters;
