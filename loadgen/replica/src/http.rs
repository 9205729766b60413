//! What is checked and done below JSON-RPC.

mod accept;
mod authority;
pub(crate) mod body;
pub(crate) mod event_stream;
pub(crate) mod fields;
pub(crate) mod gate;
pub(crate) mod hosts;
pub(crate) mod line_end;
pub(crate) mod mirror;
pub(crate) mod origin;
pub(crate) mod param_headers;
pub(crate) mod reply;
pub(crate) mod reply_body;
