//! The `loadgen` command.
fn main() {}
