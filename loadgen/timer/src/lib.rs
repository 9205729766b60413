//! Waiting for a moment more finely than the runtime's 1 ms timer wheel: what the generator keeps
//! its schedule with, and the replica its queue.

mod timer;

pub use timer::Timer;
