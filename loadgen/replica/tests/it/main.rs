//! The replica as clients meet it: bytes on a loopback socket.
#![allow(missing_docs, reason = "a test binary has no readers of its API")]

mod body;
mod client;
mod order;
mod running;
mod shapes;
mod state;
mod stop;
mod table;
mod workflow;
