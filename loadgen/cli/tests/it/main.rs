//! Tests of the `loadgen` program against real servers and clients.

mod fixtures;
mod peers;
