//! What was used before: the only memory that outlives a request, kept because nothing in a token
//! can promise that it is used once.

mod config;
mod memory;
mod tally;
mod used;

pub use config::StoreConfig;
pub use tally::StoreCounters;
pub use used::{Redemption, UsedTokens};
