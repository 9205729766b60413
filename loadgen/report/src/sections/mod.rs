//! What a page and a comment show of results, as titled blocks: the sections of the terminal summary and
//! those that a terminal has no room for.

mod about;
mod align;
mod headline;
mod repeat;

use loadgen_measure::RunResult;

use crate::named::Named;
use crate::summary::{Block, Style, Text, body, judged};

pub(crate) use align::{align, key};
pub(crate) use headline::headline;

/// Blocks under a title.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) blocks: Vec<Block>,
}

impl Section {
    fn new(title: &str, write: impl FnOnce(&mut Text)) -> Self {
        let mut text = Text::new(Style::Plain);
        write(&mut text);
        Self {
            title: title.to_owned(),
            blocks: text.into_blocks(),
        }
    }
}

/// The verdict, why, and what else was found: of each result, one after the other.
pub(crate) fn verdicts(results: &[Named<'_>]) -> Vec<Block> {
    let blocks = results.iter().map(|named| judged(named.result));
    match results {
        [_] => blocks.flatten().collect(),
        _ => align::each(blocks.collect()),
    }
}

/// Every section after the verdict and the headline table, of one result or of several side by side.
pub(crate) fn sections(results: &[Named<'_>]) -> Vec<Section> {
    let each = results.iter().map(|named| {
        let mut sections = split(body(named.result));
        sections.push(about::environment(named.result));
        sections.push(about::limits(named.result));
        sections.push(repeat::commands(named.result));
        sections.push(repeat::scenario(named.result));
        sections
    });
    align(each.collect())
}

/// What must be known before figures of several results are set side by side; empty for one.
pub(crate) fn warnings(results: &[Named<'_>]) -> Vec<String> {
    let Some((first, others)) = results.split_first() else {
        return Vec::new();
    };
    let differ = |of: fn(&RunResult) -> &String| {
        others
            .iter()
            .any(|other| of(other.result) != of(first.result))
    };
    let mut warnings = Vec::new();
    if differ(|result| &result.scenario.sha256) {
        warnings.push("These are runs of different scenarios: a figure of one need not mean what it means in \
             another.".to_owned());
    }
    if differ(|result| &result.environment.fingerprint) {
        warnings.push("These runs were made on different machines.".to_owned());
    }
    if others
        .iter()
        .any(|other| other.result.options != first.result.options)
    {
        warnings.push("These runs had different options.".to_owned());
    }
    warnings
}

/// The blocks before the first heading are an overview.
fn split(blocks: Vec<Block>) -> Vec<Section> {
    let mut sections = vec![Section::new("Overview", |_| {})];
    for block in blocks {
        match block {
            Block::Heading(title) => sections.push(Section::new(&title, |_| {})),
            block => {
                if let Some(section) = sections.last_mut() {
                    section.blocks.push(block);
                }
            }
        }
    }
    sections.retain(|section| !section.blocks.is_empty());
    sections
}
