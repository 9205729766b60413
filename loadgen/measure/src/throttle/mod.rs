//! Rate limits as a client meets them: how a target says no, and what its clients' waits and new
//! attempts came to.

mod bursts;
mod signal;
mod tally;

pub(crate) use bursts::Bursts;
pub use signal::{SdkView, ThrottleSignal};
pub use tally::Refusal;
pub(crate) use tally::{SignalTally, ThrottleTally};
