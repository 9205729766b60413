//! Samples in, a result file out.
//!
//! A driver thread hands [`RoundSample`]s and [`WorkflowSample`]s to its own [`Recorder`]; at the
//! end the recorders are merged. Times live in [`Latency`] histograms, sizes in [`Sizes`].

mod by_outcome;
mod latency;
mod matrix;
mod outcome;
mod recorder;
mod sample;
mod seconds;
mod sizes;
mod tally;

pub use latency::Latency;
pub use outcome::{NotStarted, Outcome, TimeMeaning};
pub use recorder::Recorder;
pub use sample::{RoundSample, ServerTiming, Shape, SupersededAttempt, WorkflowSample};
pub use sizes::Sizes;
pub use tally::HistogramError;
