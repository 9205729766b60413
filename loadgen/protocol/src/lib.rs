//! Wire types of MCP revision 2026-07-28 as a load generator and a stateless server need them.
//!
//! The crate knows JSON and header text and nothing else: no sockets, no clocks, no async. What a
//! peer sends is read with borrowed types that keep the parts which have to travel on unchanged (ids,
//! arguments, `requestState`) as raw JSON text: [`Message`] and [`Params`] by a server, strictly,
//! [`Response`] and [`ResultHead`] by a client. Members that are not known here are tolerated
//! everywhere, as the revision demands.
//!
//! Source of the facts: repository `modelcontextprotocol/modelcontextprotocol`, folders
//! `docs/specification/2026-07-28` and `schema/2026-07-28`.

mod capabilities;
mod entries;
mod error;
pub mod header_value;
mod input;
mod log_level;
mod message;
pub mod names;
mod params;
mod property;
pub mod raw_json;
mod results;
mod rpc;
mod scan;
mod sse;

pub use capabilities::{ClientCapabilities, ElicitationCapability, Marker};
pub use entries::Entries;
pub use error::{ErrorCode, ErrorObject};
pub use input::{
    Action, ElicitAnswer, ElicitForm, ElicitUrl, InputAnswer, InputRequest, Root, RootsAnswer,
    Sampling, SamplingAnswer,
};
pub use log_level::LogLevel;
pub use message::{Message, MessageFault, Request, Unusable};
pub use names::{PROTOCOL_VERSION, STATE_REJECTED_MESSAGE, STATE_REJECTED_REASON};
pub use params::{Meta, Naming, Params, ParamsFault};
pub use property::{Items, Property, RequestedSchema, TitledConst};
pub use results::{
    CacheScope, CallToolResult, Content, DiscoverResult, GetPromptResult, Implementation,
    InputRequiredResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PromptArgument, PromptDescription, PromptMessage, ReadResourceResult,
    ResourceContents, ResourceDescription, ResourceTemplate, ResultHead, ResultMeta, ResultType,
    ToolDescription,
};
pub use rpc::Response;
pub use sse::{SseEvent, SseParser};
