use maud::{Markup, html};

use crate::summary::{Block, Role};
use crate::table::Table;
use crate::units::printable;

/// Blocks as HTML. Tables are named after the section that they stand in, with a number from the second on.
pub(super) fn blocks(section: &str, blocks: &[Block]) -> Markup {
    let numbered = blocks.iter().scan(0, |tables, block| {
        *tables += usize::from(matches!(block, Block::Table(_)));
        Some((*tables, block))
    });
    html! { @for (number, block) in numbered { (one(section, number, block)) } }
}

fn one(section: &str, number: usize, block: &Block) -> Markup {
    match block {
        Block::Heading(heading) => html! { h3 { (printable(heading)) } },
        Block::Verdict { role, word, line } => html! {
            p class={ "verdict " (class(*role)) } { strong { (printable(word)) } " " (printable(line)) }
        },
        Block::Sentence {
            mark,
            role,
            sentence,
        } => html! {
            p class=(class(*role)) {
                @if !mark.is_empty() { strong { (printable(mark.trim())) } " " }
                (printable(sentence))
            }
        },
        Block::Hanging {
            start, sentence, ..
        } => html! {
            p.below { (printable(start.trim())) " " (printable(sentence)) }
        },
        Block::Line(line) if line.trim().is_empty() => html! {},
        Block::Line(line) => html! {
            p class=(if line.starts_with("    ") { "below" } else { "" }) { (printable(line.trim())) }
        },
        Block::Quoted(lines) => html! {
            pre tabindex="0" { @for line in lines.lines() { (printable(line)) "\n" } }
        },
        Block::Table(rows) => {
            let about = crate::sections::key(section);
            match number {
                ..2 => table(about, rows),
                number => table(&format!("{about}, table {number}"), rows),
            }
        }
    }
}

/// A table with a caption. It can be reached by keyboard, since it may be wider than the window.
pub(super) fn table(caption: &str, table: &Table) -> Markup {
    let (caption, left) = (printable(caption), table.left());
    let head = table.full_head();
    html! {
        div.wide tabindex="0" role="group" aria-label=(caption) {
            table {
                caption { (caption) }
                thead { tr { @for (column, name) in head.iter().enumerate() {
                    @let side = side(column, left);
                    @if name.is_empty() { td class=(side) {} } @else { th scope="col" class=(side) { (name) } }
                } } }
                tbody { @for row in table.body() { tr { @for (column, cell) in row.iter().enumerate() {
                    @let side = side(column, left);
                    @if column == 0 && !cell.is_empty() {
                        th scope="row" class=(side) { (cell) }
                    } @else {
                        td class=(side) { (cell) }
                    }
                } } } }
            }
        }
    }
}

fn side(column: usize, left: usize) -> &'static str {
    if column < left { "l" } else { "" }
}

fn class(role: Role) -> &'static str {
    match role {
        Role::Heading => "heading",
        Role::Good => "good",
        Role::Bad => "bad",
        Role::Warning => "warning",
        Role::Quiet => "quiet",
    }
}
