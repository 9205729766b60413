use std::collections::HashMap;

use super::Section;
use crate::named::letter;
use crate::summary::{Block, Role};
use crate::table::Table;
use crate::units::NOTHING;

/// Sections of several results as one list: the same tables with a column for each result, and each other
/// block once where all have it alike, else behind the letter of its result. One list stays as it is.
pub(crate) fn align(mut lists: Vec<Vec<Section>>) -> Vec<Section> {
    if lists.len() < 2 {
        return lists.pop().unwrap_or_default();
    }
    let keys: Vec<Vec<(String, usize)>> = lists.iter().map(|list| numbered(list)).collect();
    let mut order: Vec<&(String, usize)> = Vec::new();
    for keys in &keys {
        // A section that only a later result has comes after the one that precedes it there.
        let mut place = 0;
        for key in keys {
            match order.iter().position(|known| *known == key) {
                Some(at) => place = at + 1,
                None => {
                    order.insert(place, key);
                    place += 1;
                }
            }
        }
    }
    let section = |wanted: &(String, usize)| {
        let of = |(list, keys): (&Vec<Section>, &Vec<(String, usize)>)| {
            let at = keys.iter().position(|key| key == wanted)?;
            Some(list[at].blocks.clone())
        };
        let blocks: Vec<Vec<Block>> = lists
            .iter()
            .zip(&keys)
            .map(|both| of(both).unwrap_or_default())
            .collect();
        Section {
            title: wanted.0.clone(),
            blocks: together(blocks),
        }
    };
    order.into_iter().map(section).collect()
}

/// What a heading is about, without the figures behind its colon or in brackets.
pub(crate) fn key(title: &str) -> &str {
    let about = title.split(": ").next().unwrap_or(title);
    about.split(" (").next().unwrap_or(about)
}

/// The keys of sections, with how often each came before.
fn numbered(sections: &[Section]) -> Vec<(String, usize)> {
    let mut seen = HashMap::new();
    let number = |section: &Section| {
        let key = key(&section.title).to_owned();
        let before: &mut usize = seen.entry(key.clone()).or_default();
        *before += 1;
        (key, *before - 1)
    };
    sections.iter().map(number).collect()
}

fn together(mut blocks: Vec<Vec<Block>>) -> Vec<Block> {
    if blocks.windows(2).all(|pair| pair[0] == pair[1]) {
        return blocks.pop().unwrap_or_default();
    }
    let tables: Vec<Vec<Table>> = blocks.iter().map(|blocks| tables(blocks)).collect();
    let most = tables.iter().map(Vec::len).max().unwrap_or(0);
    let mut all = Vec::new();
    for index in 0..most {
        let row: Vec<Option<&Table>> = tables.iter().map(|of| of.get(index)).collect();
        all.push(Block::Table(side_by_side(&row)));
    }
    for blocks in &mut blocks {
        blocks.retain(|block| !matches!(block, Block::Table(_)));
    }
    all.extend(each(blocks));
    all
}

/// Blocks of each result behind its letter.
pub(super) fn each(blocks: Vec<Vec<Block>>) -> Vec<Block> {
    let mut all = Vec::new();
    for (index, blocks) in blocks.into_iter().enumerate() {
        let letter = letter(index);
        let lettered = |block: Block| {
            let sentence = |mark: &str, role, sentence: &str| Block::Sentence {
                mark: match mark {
                    "" => format!("{letter}:"),
                    mark => format!("{letter} {mark}"),
                },
                role,
                sentence: sentence.to_owned(),
            };
            match block {
                Block::Verdict { role, word, line } => vec![Block::Verdict {
                    role,
                    word,
                    line: format!("{letter}, {line}"),
                }],
                Block::Sentence {
                    mark,
                    role,
                    sentence: said,
                } => vec![sentence(&mark, role, &said)],
                Block::Hanging {
                    start,
                    indent,
                    sentence,
                } => vec![Block::Hanging {
                    start: format!("{letter}: {}", start.trim_start()),
                    indent,
                    sentence,
                }],
                Block::Line(line) if line.trim().is_empty() => Vec::new(),
                Block::Line(line) => {
                    vec![sentence("", Role::Quiet, line.trim())]
                }
                quoted @ Block::Quoted(_) => {
                    vec![sentence("", Role::Quiet, ""), quoted]
                }
                other => vec![other],
            }
        };
        all.extend(blocks.into_iter().flat_map(lettered));
    }
    all
}

fn tables(blocks: &[Block]) -> Vec<Table> {
    let table = |block: &Block| match block {
        Block::Table(table) => Some(table.clone()),
        _ => None,
    };
    blocks.iter().filter_map(table).collect()
}

/// One row for each cell that is no key, a column for each table.
fn side_by_side(tables: &[Option<&Table>]) -> Table {
    let longest = tables.iter().flatten().max_by_key(|table| table.left());
    let left = longest.map_or(0, |table| table.left());
    let mut head: Vec<String> =
        longest.map_or_else(Vec::new, |table| table.full_head()[..left].to_vec());
    head.push("figure".to_owned());
    head.extend((0..tables.len()).map(letter));
    let mut cells: HashMap<(Vec<String>, usize), Vec<String>> = HashMap::new();
    let mut order = Vec::new();
    for (index, table) in tables.iter().enumerate() {
        for (key, value) in table.iter().flat_map(|table| table.keyed()) {
            let row = cells.entry(key.clone()).or_insert_with(|| {
                order.push(key);
                vec![NOTHING.to_owned(); tables.len()]
            });
            row[index] = value;
        }
    }
    let heads: Vec<&str> = head.iter().map(String::as_str).collect();
    let mut table = Table::new(left + 1, &heads);
    for key in order {
        let values = cells.remove(&key).unwrap_or_default();
        let mut row = key.0;
        // A table whose keys take fewer columns than another's.
        while row.len() < left + 1 {
            row.insert(row.len() - 1, String::new());
        }
        row.extend(values);
        table.row(row);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[[&str; 3]]) -> Table {
        let mut table = Table::new(1, &["round", "open p50", "p99"]);
        for row in rows {
            table.row(row.iter().map(|cell| (*cell).to_owned()).collect());
        }
        table
    }

    #[test]
    fn tables_get_a_column_for_each_result() {
        let (a, b) = (
            table(&[["0", "1", "2"], ["1", "3", "4"]]),
            table(&[["1", "5", "6"]]),
        );
        let lines = side_by_side(&[Some(&a), Some(&b)]).lines();
        assert_eq!(
            lines,
            [
                "  round  figure    A    B",
                "  0      open p50  1  n/a",
                "  0      open p99  2  n/a",
                "  1      open p50  3    5",
                "  1      open p99  4    6",
            ]
        );
    }

    #[test]
    fn a_section_that_only_one_has_keeps_its_place() {
        let section = |title: &str, said: &str| {
            Section::new(title, |text| text.sentence("", Role::Quiet, said))
        };
        let lists = vec![
            vec![section("Kind a: 5 started", "same"), section("End", "x")],
            vec![
                section("Kind a: 7 started", "same"),
                section("Retries", "r"),
                section("End", "y"),
            ],
        ];
        let aligned = align(lists);
        let titles: Vec<&str> = aligned.iter().map(|s| s.title.as_str()).collect();
        assert_eq!(titles, ["Kind a", "Retries", "End"]);
        let said = |section: &Section| format!("{:?}", section.blocks);
        assert!(!said(&aligned[0]).contains("\"A:\""), "said once");
        assert!(said(&aligned[1]).contains("\"B:\""));
        assert!(said(&aligned[2]).contains("\"A:\"") && said(&aligned[2]).contains("\"B:\""));
    }
}
