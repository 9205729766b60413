//! A result as text for a terminal.

mod aead;
mod client;
mod events;
mod exchange;
mod failures;
mod fleet;
mod head;
mod payload;
mod phases;
mod rate_limit;
mod retry;
mod run;
mod single_use;
mod staircase;
mod text;
mod throttle;
mod work;

use loadgen_measure::RunResult;

pub use text::Style;
pub(crate) use text::{Role, Text};

/// Writes a result for a terminal: verdict first, then every figure that the run has, and the
/// verdict again, since the end is what a terminal still shows. A figure that does not exist is
/// `n/a`. Lines are at most about 100 columns wide; only names from the
/// scenario, addresses and single sentences can make them longer.
pub fn summary(result: &RunResult, style: Style) -> String {
    let mut text = Text::new(style);
    head::write(&mut text, result);
    work::write(&mut text, result);
    retry::write(&mut text, result);
    payload::write(&mut text, result);
    aead::write(&mut text, result);
    exchange::write(&mut text, result);
    phases::write(&mut text, result);
    staircase::write(&mut text, result);
    events::write(&mut text, result);
    throttle::write(&mut text, result);
    rate_limit::write(&mut text, result);
    single_use::write(&mut text, result);
    client::write(&mut text, result);
    fleet::write(&mut text, result);
    run::write(&mut text, result);
    text.line("");
    head::verdict(&mut text, result);
    text.finish()
}
