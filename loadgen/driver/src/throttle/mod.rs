//! Rate limits: how a reply says that one is reached, how long to wait for it, and whether another
//! attempt may be made. No sockets, no clock: times come in as arguments.

mod budget;
mod fields;
mod gate;
mod members;
mod notice;
mod pause;

pub(crate) use budget::Budgets;
pub(crate) use gate::{Door, Gate, Part};
pub(crate) use notice::{Notice, Said, Wait};
pub(crate) use pause::{Pause, pause};
