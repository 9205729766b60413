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
    fn columns_line_up() {
        let mut table = Table::new(1, &["name", "count"]);
        table.row(vec!["a".into(), "10000000".into()]);
        assert_eq!(table.lines(), ["  name     count", "  a     10000000"]);
    }
}
