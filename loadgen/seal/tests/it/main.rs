//! The token over every backend that was built.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking, as tests do"
)]

mod agree;
mod clock;
mod common;
mod hostile;
mod identity;
mod keys;
mod random;
mod rotation;
mod sizes;
mod traps;
mod vectors;
