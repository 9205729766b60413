//! How many requests a principal may make: GCRA, the generic cell rate algorithm (ITU-T I.371,
//! Annex A), kept by each replica alone or by all of them in Redis.
//!
//! Two pieces that know nothing of each other: a [`Limiter`] decides, a [`Signal`] says on the wire
//! what was decided.

mod admission;
mod bounded;
mod config;
mod limiter;
mod local;
mod people;
mod quota;
mod rate;
mod shared;
pub(crate) mod signal;
mod tally;
mod ticks;

pub(crate) use admission::{Admission, Allowance};
pub use config::{LimitConfig, LimitMode, LimitScope};
pub use limiter::LimitError;
pub(crate) use limiter::Limiter;
pub use people::PrincipalCounters;
pub use quota::{Quota, QuotaError};
pub use rate::{Rate, RateError};
pub use signal::{Signal, SignalError};
pub use tally::LimitCounters;
pub use ticks::Ticks;
