use std::collections::HashMap;

use crate::units::printable;

/// Rows of cells, printed in columns that are as wide as they must be. The first columns are set
/// to the left, the others to the right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Table {
    left: usize,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(left: usize, head: &[&str]) -> Self {
        let head = head.iter().map(|&cell| cell.to_owned()).collect();
        Self {
            left,
            rows: vec![head],
        }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        let cells = cells.into_iter().map(|cell| printable(&cell));
        self.rows.push(cells.collect());
    }

    pub(crate) fn rows(&mut self, rows: impl IntoIterator<Item = Vec<String>>) {
        rows.into_iter().for_each(|cells| self.row(cells));
    }

    /// How many of the first columns say what a row is about.
    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// The rows below the head, where columns may be missing at the end.
    pub(crate) fn body(&self) -> &[Vec<String>] {
        self.rows.get(1..).unwrap_or_default()
    }

    /// The head with each name whole: the `p99` beside `open p50` is `open p99`, since whoever hears a
    /// table, or sees one cell of it, does not see what stands left of it.
    pub(crate) fn full_head(&self) -> Vec<String> {
        let mut stem = String::new();
        let names = self.rows.first().into_iter().flatten();
        names
            .map(|name| match name.rsplit_once(' ') {
                Some((before, "p50" | "mean")) => {
                    stem = format!("{before} ");
                    name.clone()
                }
                None if matches!(&**name, "p99" | "max") => format!("{stem}{name}"),
                _ => {
                    stem.clear();
                    name.clone()
                }
            })
            .collect()
    }

    /// Every cell that says no key, with its keys, the name of its column, and how often all of these came
    /// before. An empty key is the one above it.
    pub(crate) fn keyed(&self) -> Vec<((Vec<String>, usize), String)> {
        let head = self.full_head();
        let mut above = vec![String::new(); self.left];
        let mut seen: HashMap<Vec<String>, usize> = HashMap::new();
        let mut all = Vec::new();
        for row in self.body() {
            for (known, cell) in above.iter_mut().zip(row) {
                if !cell.is_empty() {
                    known.clone_from(cell);
                }
            }
            for (name, cell) in head.iter().zip(row).skip(self.left) {
                if cell.is_empty() {
                    continue;
                }
                let mut key = above.clone();
                key.push(name.clone());
                let before = seen.entry(key.clone()).or_default();
                all.push(((key, *before), cell.clone()));
                *before += 1;
            }
        }
        all
    }

    /// Lines without their ends, indented by two; the head is the first.
    pub(crate) fn lines(&self) -> Vec<String> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let line = |row: &Vec<String>| {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let width = widths[column];
                line += "  ";
                line += &if column < self.left {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                };
            }
            line.trim_end().to_owned()
        };
        self.rows.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_leans_on_its_neighbour_becomes_whole() {
        let table = Table::new(1, &["round", "open p50", "p99", "count", "p50", "p99"]);
        let whole = ["round", "open p50", "open p99", "count", "p50", "p99"];
        assert_eq!(table.full_head(), whole);
    }

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(1, &["name", "count"]);
        table.row(vec!["a".into(), "10000000".into()]);
        assert_eq!(table.lines(), ["  name     count", "  a     10000000"]);
    }
}
