//! The access log: one JSON line for every request, written by a thread of its own.

mod entry;
mod log;

pub(crate) use entry::Entry;
pub use log::{AccessLog, Closed};
