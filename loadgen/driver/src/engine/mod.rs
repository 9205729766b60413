//! The run: one single-threaded runtime per thread, its own connections and samples, merged at the
//! end. Nothing is shared on the hot path.

mod again;
mod core;
mod failures;
mod flight;
mod gates;
mod load;
mod part;
mod replay;
mod round;
mod run;
#[cfg(test)]
mod tests;

pub use run::{Progress, Run, RunOutput, Stop};
