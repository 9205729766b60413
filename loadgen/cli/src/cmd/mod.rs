//! One file per subcommand.

pub(crate) mod backends;
pub(crate) mod bench_compare;
pub(crate) mod calibrate;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod export;
pub(crate) mod history;
pub(crate) mod keys;
pub(crate) mod pairs;
pub(crate) mod replica;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod token;

mod judged;
mod scenario;
