//! What workflows send: arguments with templates that are filled by seed and workflow number, and the
//! rows of a data file.

mod arguments;
mod expression;
mod file;
mod maker;
mod rows;

pub use arguments::Arguments;
pub(crate) use file::{bytes, text};
pub(crate) use maker::Maker;
pub(crate) use rows::Order;
pub use rows::Rows;
