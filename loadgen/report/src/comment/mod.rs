//! Results as Markdown for a comment under a pull request.

mod markdown;

use self::markdown::{escaped, table, write};
use crate::named::{Named, letter};
use crate::sections::{Section, headline, key, sections, verdicts, warnings};
use crate::units::counted;

/// Bytes that a comment may have; GitHub takes 65536 characters.
const MOST_BYTES: usize = 60_000;
/// Sections that stand open, by their keys.
const OPEN: [&str; 1] = ["Thresholds"];

/// Results as Markdown: verdict, headline figures, findings and thresholds, and everything else folded.
/// Whatever does not fit into a comment is left out at its end, and said to be.
///
/// Every text of a server or a scenario is escaped, so that it neither forms anything nor calls anybody.
pub fn comment(results: &[Named<'_>]) -> String {
    let mut text = String::new();
    for (index, named) in results.iter().enumerate() {
        if results.len() > 1 {
            text += &format!("- {}: {}\n", letter(index), escaped(named.name));
        }
    }
    for warning in warnings(results) {
        text += &format!("- **!** {}\n", escaped(&warning));
    }
    text += "\n";
    for block in verdicts(results) {
        write(&mut text, &block);
    }
    text += "\n";
    text += &table(&headline(results));
    let (open, folded): (Vec<Section>, Vec<Section>) = sections(results)
        .into_iter()
        .partition(|section| OPEN.contains(&key(&section.title)));
    for section in &open {
        text += &format!("\n**{}**\n\n{}", escaped(&section.title), body(section));
    }
    let mut left_out = 0;
    for section in &folded {
        let details = format!(
            "\n<details><summary>{}</summary>\n\n{}\n</details>\n",
            escaped(&section.title),
            body(section)
        );
        if left_out > 0 || text.len() + details.len() > MOST_BYTES {
            left_out += 1;
        } else {
            text += &details;
        }
    }
    if left_out > 0 {
        let sections = counted(left_out, "further section");
        text += &format!("\n{sections} had no room here; see `report.html`.\n");
    }
    text.trim_start().to_owned()
}

fn body(section: &Section) -> String {
    let mut text = String::new();
    for block in &section.blocks {
        write(&mut text, block);
    }
    text
}
