//! The replica as clients meet it: bytes on a loopback socket.
#![allow(
    clippy::unwrap_used,
    reason = "a failed step ends the test, also in its helpers"
)]
#![allow(
    clippy::needless_pass_by_value,
    reason = "json! literals read best when passed as they are"
)]

mod access_log;
mod body;
mod callers;
mod client;
mod contract;
mod docs;
mod faults;
mod fifo;
mod fixtures;
mod h2_client;
mod hand_clock;
mod hostile;
mod http2;
mod limit;
mod limit_signal;
mod lists;
mod load_tools;
mod metrics;
mod observability;
mod order;
mod param_headers;
mod policy;
mod questions;
mod redis_server;
mod running;
mod shapes;
mod state;
mod statelessness;
mod stop;
mod store;
mod streaming;
mod subscriptions;
mod table;
mod workflow;
