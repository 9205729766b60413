//! Shared inputs of the benchmarks: every algorithm with every backend of this machine, with the
//! same request, the same state and the same clock.

mod case;
mod ratio;
mod rtlf;

pub use case::{ARGUMENTS, CLAIMS, Case, NOW, SIZES, binding, cases, check_agreement, state};
pub use ratio::{Ratio, compare, time};
pub use rtlf::{DecileTest, Outcome, Verdict};
