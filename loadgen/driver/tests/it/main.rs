//! The driver over real loopback sockets, against a scripted server that says any bytes it likes.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod connections;
mod h2_server;
mod host;
mod http2;
mod probe;
mod replies;
mod run;
mod server;
mod streams;
mod wire;
