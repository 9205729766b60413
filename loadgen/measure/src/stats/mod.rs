//! Statistics of series that depend on their own past: what a second looked like says something
//! about the next one, so text-book formulas for independent samples give intervals that are far
//! too narrow.

mod betting;
mod blocks;
#[cfg(test)]
mod coverage;
mod drift;
mod e_divisive;
mod fence;
mod holm;
mod interval;
mod line;
mod many;
mod mean;
mod normal;
mod paired;
mod pooled;
mod random;
mod ratio;
#[cfg(test)]
mod seconds;
mod student;
mod warmup;
mod welch;
mod wilcoxon;

pub(crate) use betting::{Wealth, unanimous};
pub(crate) use drift::trend;
pub use e_divisive::{ChangePoint, change_points};
pub use fence::change_fence;
pub(crate) use holm::adjusted;
pub(crate) use interval::{Beside, Ranks, excess_variance};
pub(crate) use line::line;
pub(crate) use many::{level, widening};
pub(crate) use mean::mean;
pub(crate) use paired::median_of;
pub use paired::{TurnMedian, turns_for};
pub(crate) use pooled::Pooled;
pub(crate) use random::Random;
pub(crate) use ratio::ratio_width;
pub(crate) use warmup::{Cut, cut};
pub(crate) use wilcoxon::above_zero;
