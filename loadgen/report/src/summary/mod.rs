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
mod terminal;
mod text;
mod throttle;
mod work;

use loadgen_measure::RunResult;

pub use text::Style;
pub(crate) use text::{Block, Role, Text};

/// Writes a result for a terminal: verdict first, then every figure that the run has, and the
/// verdict again, since the end is what a terminal still shows. A figure that does not exist is
/// `n/a`. Lines are at most about 100 columns wide; only names from the
/// scenario, addresses and single sentences can make them longer.
pub fn summary(result: &RunResult, style: Style) -> String {
    let mut text = Text::new(style);
    head::verdict(&mut text, result);
    head::overview(&mut text, result);
    sections(&mut text, result);
    text.line("");
    head::verdict(&mut text, result);
    text.finish()
}

/// The verdict with its reasons and what else was found.
pub(crate) fn judged(result: &RunResult) -> Vec<Block> {
    blocks(result, head::verdict)
}

/// What stands in a summary between the two verdicts, as what it is made of.
pub(crate) fn body(result: &RunResult) -> Vec<Block> {
    blocks(result, |text, result| {
        head::overview(text, result);
        sections(text, result);
    })
}

fn blocks(result: &RunResult, write: impl Fn(&mut Text, &RunResult)) -> Vec<Block> {
    let mut text = Text::new(Style::Plain);
    write(&mut text, result);
    text.into_blocks()
}

/// Every section that the result has figures for.
fn sections(text: &mut Text, result: &RunResult) {
    work::write(text, result);
    retry::write(text, result);
    payload::write(text, result);
    aead::write(text, result);
    exchange::write(text, result);
    phases::write(text, result);
    staircase::write(text, result);
    events::write(text, result);
    throttle::write(text, result);
    rate_limit::write(text, result);
    single_use::write(text, result);
    client::write(text, result);
    fleet::write(text, result);
    run::write(text, result);
}
