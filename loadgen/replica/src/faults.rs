//! Misbehaviour on demand: what a replica can be told to do wrong, the language in which it is told,
//! and the decisions that follow. `docs/faults.md` is the table of it all.

mod command;
mod connections;
mod counts;
mod delay;
mod draw;
mod fault;
mod handle;
mod held;
mod leaked;
mod millis;
mod obey;
mod replies;
mod request;
mod rewrite;
mod sealing;
mod settings;
mod share;
mod slowdown;
mod snapshot;
mod stall;
mod values;

pub use command::{Command, CommandError};
pub use counts::FaultCounts;
pub use fault::Fault;
pub(crate) use handle::Faults;
pub(crate) use replies::Retold;
pub(crate) use request::Misled;
