//! Waiting for a moment more finely than the runtime's 1 ms timer wheel: what the generator keeps
//! its schedule with, and the replica its queue.

mod alarms;
mod pacer;
mod timer;

pub use alarms::{Alarms, Until};
pub use pacer::Pacer;
pub use timer::Timer;
