use crate::named::{Named, letter};
use crate::sections::{headline, sections, verdicts, warnings};
use crate::summary::{Role, Style, Text};

/// Writes several results for a terminal: what they are, their verdicts, the headline figures, and the
/// tables of the summary with a column for each.
pub fn side_by_side(results: &[Named<'_>], style: Style) -> String {
    let mut text = Text::new(style);
    for (index, named) in results.iter().enumerate() {
        let mark = format!("{}:", letter(index));
        text.sentence(&mark, Role::Quiet, named.name);
    }
    for warning in warnings(results) {
        text.sentence("!", Role::Warning, &warning);
    }
    text.line("");
    for block in verdicts(results) {
        text.block(block);
    }
    text.heading("Headline figures; intervals are of 95 %");
    text.table(&headline(results));
    for section in sections(results) {
        text.heading(&section.title);
        for block in section.blocks {
            text.block(block);
        }
    }
    text.finish()
}
