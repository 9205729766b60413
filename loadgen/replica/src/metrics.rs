//! The replica's counts as a page for Prometheus, on a listener of its own.
//!
//! Serving counts with plain atomics; what they mean, and their text, is made when somebody asks.

mod access_log;
mod connections;
mod families;
mod faults;
mod items;
mod limits;
mod page;
mod process;
mod replies;
mod requests;
mod server;
mod states;
mod tokens;

pub use page::Metrics;
pub use server::MetricsServer;
