//! The replica as clients meet it: bytes on a loopback socket.
#![allow(
    clippy::unwrap_used,
    reason = "a failed step ends the test, also in its helpers"
)]
#![allow(
    clippy::needless_pass_by_value,
    reason = "json! literals read best when passed as they are"
)]

mod body;
mod client;
mod faults;
mod fifo;
mod h2_client;
mod http2;
mod metrics;
mod order;
mod policy;
mod running;
mod shapes;
mod state;
mod stop;
mod streaming;
mod table;
mod workflow;
