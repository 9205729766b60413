//! When each workflow of a partly open workload is due, and every random choice that belongs to a
//! workflow: pure functions of seed and workflow number, so that threads, connections and shards
//! cannot move them.

mod arrivals;
mod curve;
mod poisson;
mod random;

pub use arrivals::{Schedule, Spacing};
pub use curve::{RateCurve, Stretch};
pub(crate) use random::workflow_rng;
