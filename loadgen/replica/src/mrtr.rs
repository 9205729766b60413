//! Multi round-trip requests: what a handler sees of a round, what it may ask, and the sealing of
//! what it wants back.

mod answers;
mod form;
pub(crate) mod gate;
mod gather;
mod given;
mod pending;
mod question;
mod states;
mod step;
#[cfg(test)]
pub(crate) mod testing;

pub(crate) use answers::{Answer, Answers};
pub(crate) use gather::Gathered;
pub(crate) use given::Given;
pub(crate) use pending::Pending;
pub(crate) use question::Question;
pub(crate) use states::{Round, Scope, States};
pub(crate) use step::{Ask, Step, Turn};
