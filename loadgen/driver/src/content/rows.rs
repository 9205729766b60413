use std::collections::HashSet;
use std::path::Path;

use serde_json::Value;

/// Largest data file, in bytes.
const MAX_BYTES: u64 = 64 << 20;
/// Most cells of all rows, as many as a CSV file of that size can have.
const MOST_CELLS: usize = 64 << 20;

/// Which row a workflow gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Workflow n gets row n; after the last row comes the first again.
    Next,
    /// Any row, by seed and workflow number.
    Random,
}

/// The rows of a data file.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    file: String,
    names: Vec<String>,
    rows: Vec<Row>,
    order: Order,
}

#[derive(Debug, Clone, PartialEq)]
struct Row {
    line: u64,
    /// One for each column; `None` where the row has none.
    cells: Vec<Option<Value>>,
}

impl Rows {
    /// Reads a `.csv` file, whose first line names the columns, or a `.jsonl` file of one object a
    /// line.
    ///
    /// # Errors
    /// When it cannot be read, is larger than 64 MiB, has no rows or a bad one, which is named by
    /// its line.
    pub(crate) fn read(path: &Path, order: Order) -> Result<Self, String> {
        let file = path.display().to_string();
        let text = super::text(path, MAX_BYTES).map_err(|why| format!("{file}: {why}"))?;
        // A byte order mark would become part of the first name, and is no JSON.
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let kind = path.extension().and_then(|kind| kind.to_str());
        let (names, rows) = match kind {
            Some("csv") => csv_rows(&file, text)?,
            Some("jsonl" | "ndjson") => json_rows(&file, text)?,
            _ => {
                return Err(format!(
                    "{file}: a data file is called .csv (the first line names the columns) or \
                     .jsonl (one object a line)"
                ));
            }
        };
        if rows.is_empty() {
            return Err(format!("{file}: it has no rows"));
        }
        Ok(Self {
            file,
            names,
            rows,
            order,
        })
    }

    /// The file that they come from.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// How many there are; at least one.
    #[must_use]
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// Whether workflows take the rows one after another, and not at random.
    #[must_use]
    pub fn in_turn(&self) -> bool {
        self.order == Order::Next
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| other == name)
    }

    /// The place of the first cell of a column that is not good, in words.
    pub(super) fn check(
        &self,
        column: usize,
        good: impl Fn(Option<&Value>) -> bool,
    ) -> Result<(), String> {
        match self
            .rows
            .iter()
            .find(|row| !good(row.cells[column].as_ref()))
        {
            None => Ok(()),
            Some(row) => Err(format!(
                "`{}` in {}:{}",
                self.names[column], self.file, row.line
            )),
        }
    }

    /// The row of a workflow, by its number or by a random number of its own.
    pub(super) fn row(&self, id: u64, random: u64) -> &[Option<Value>] {
        let at = match self.order {
            Order::Next => id,
            Order::Random => random,
        };
        &self.rows[(at % self.rows.len() as u64) as usize].cells
    }
}

fn csv_rows(file: &str, text: &str) -> Result<(Vec<String>, Vec<Row>), String> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let wrong = |error: csv::Error| match error.kind() {
        csv::ErrorKind::UnequalLengths {
            pos,
            expected_len,
            len,
        } => format!(
            "{file}:{}: {len} fields, and the first line names {expected_len}",
            pos.as_ref().map_or(0, csv::Position::line)
        ),
        _ => format!("{file}: {error}"),
    };
    let names: Vec<String> = reader
        .headers()
        .map_err(wrong)?
        .iter()
        .map(|name| name.trim().to_owned())
        .collect();
    let mut seen = HashSet::new();
    if let Some(name) = names.iter().find(|name| !seen.insert(name.as_str())) {
        return Err(format!("{file}:1: two columns are called `{name}`"));
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(wrong)?;
        rows.push(Row {
            line: record.position().map_or(0, csv::Position::line),
            cells: record.iter().map(|cell| Some(cell.into())).collect(),
        });
    }
    Ok((names, rows))
}

fn json_rows(file: &str, text: &str) -> Result<(Vec<String>, Vec<Row>), String> {
    let mut names: Vec<String> = Vec::new();
    let mut known = HashSet::new();
    let mut objects = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim().is_empty() {
            continue;
        }
        let object: serde_json::Map<String, Value> = serde_json::from_str(text)
            .map_err(|error| format!("{file}:{line}: no JSON object: {error}"))?;
        for name in object.keys() {
            if !known.contains(name) {
                known.insert(name.clone());
                names.push(name.clone());
            }
        }
        objects.push((line, object));
    }
    // Rows without a common column would fill memory with cells that are not there.
    if names.len().saturating_mul(objects.len()) > MOST_CELLS {
        return Err(format!(
            "{file}: {} rows of {} different columns are more than {MOST_CELLS} cells",
            objects.len(),
            names.len()
        ));
    }
    let rows = objects
        .into_iter()
        .map(|(line, mut object)| Row {
            line,
            cells: names.iter().map(|name| object.remove(name)).collect(),
        })
        .collect();
    Ok((names, rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::{Arguments, Maker};
    use serde_json::json;

    fn rows_of(name: &str, text: &str, order: Order) -> Result<Rows, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        Rows::read(&path, order)
            .map_err(|e| e.replace(&format!("{}/", folder.path().display()), ""))
    }

    fn made(value: &Value, rows: &Rows, id: u64) -> Value {
        let arguments = Arguments::new(value, false, Some(rows)).unwrap();
        serde_json::from_str(&arguments.make(&mut Maker::new(1, id, Some(rows)))).unwrap()
    }

    const CSV: &str = "\u{feff}name, crew\r\n\"Quill, Mara\",4\r\n\"two\nlines\",07\n";

    #[test]
    fn workflows_take_csv_rows_in_turn() {
        let rows = rows_of("a.csv", CSV, Order::Next).unwrap();
        let value = json!({"who": "{{row.name}}", "n": "{{int row.crew}}", "t": "{{row.crew}}"});
        assert_eq!(
            made(&value, &rows, 0),
            json!({"who": "Quill, Mara", "n": 4, "t": "4"})
        );
        let second = json!({"who": "two\nlines", "n": 7, "t": "07"});
        assert_eq!(made(&value, &rows, 1), second);
        assert_eq!(made(&value, &rows, 3), second, "after the last the first");
    }

    #[test]
    fn random_rows_depend_on_the_workflow_alone_and_all_are_met() {
        let text: String = (0..4).map(|n| format!("{{\"n\":{n}}}\n")).collect();
        let rows = rows_of("a.jsonl", &text, Order::Random).unwrap();
        let draw = |id| made(&json!(["{{row.n}}"]), &rows, id)[0].as_u64().unwrap();
        let mut seen = [0; 4];
        for id in 0..400 {
            assert_eq!(draw(id), draw(id));
            seen[usize::try_from(draw(id)).unwrap()] += 1;
        }
        // Three sigma of a binomial with n = 400, p = 1/4 is 26.
        assert!(seen.iter().all(|n: &i32| n.abs_diff(100) < 27), "{seen:?}");
    }

    #[test]
    fn json_cells_keep_their_kind() {
        let rows = rows_of(
            "a.jsonl",
            "{\"a\":{\"b\":[1]}}\n\n{\"a\":true}\n",
            Order::Next,
        )
        .unwrap();
        assert_eq!(
            made(&json!({"x": "{{row.a}}"}), &rows, 0),
            json!({"x": {"b": [1]}})
        );
        assert_eq!(
            made(&json!({"x": "is {{row.a}}"}), &rows, 1),
            json!({"x": "is true"})
        );
    }

    #[test]
    fn a_null_is_a_value_and_a_byte_order_mark_is_none() {
        let text = "\u{feff}{\"a\":null}\n{\"a\":1}\n";
        let rows = rows_of("a.jsonl", text, Order::Next).unwrap();
        let value = json!({"x": "{{row.a}}"});
        assert_eq!(made(&value, &rows, 0), json!({"x": null}));
        assert_eq!(made(&value, &rows, 1), json!({"x": 1}));
        let error = Arguments::new(&json!(["{{int row.a}}"]), false, Some(&rows)).unwrap_err();
        assert!(error.contains("a.jsonl:1 is no whole number"), "{error}");
    }

    #[test]
    fn rows_without_a_common_column_do_not_fill_memory() {
        let text: String = (0..8193).map(|n| format!("{{\"c{n}\":1}}\n")).collect();
        let error = rows_of("a.jsonl", &text, Order::Next).unwrap_err();
        assert_eq!(
            error,
            "a.jsonl: 8193 rows of 8193 different columns are more than 67108864 cells"
        );
    }

    #[test]
    fn bad_rows_are_named_with_their_line() {
        for (name, text, want) in [
            (
                "a.csv",
                "a,b\n1,2\n3\n",
                "a.csv:3: 1 fields, and the first line names 2",
            ),
            ("a.csv", "a,a\n1,2\n", "a.csv:1: two columns are called `a`"),
            ("a.csv", "a,b\n", "a.csv: it has no rows"),
            ("a.jsonl", "{}\n[1]\n", "a.jsonl:2: no JSON object"),
            ("a.txt", "a\n", "a data file is called .csv"),
        ] {
            let error = rows_of(name, text, Order::Next).unwrap_err();
            assert!(error.contains(want), "{text}: {error}");
        }
    }

    #[test]
    fn a_template_wants_its_column_in_every_row() {
        let rows = rows_of("a.jsonl", "{\"a\":1}\n{\"b\":2.5}\n", Order::Next).unwrap();
        for (template, want) in [
            ("{{row.c}}", "has no column `c`; it has a, b"),
            ("{{row.a}}", "a.jsonl:2 is missing"),
            ("{{int row.b}}", "a.jsonl:1 is missing"),
        ] {
            let error = Arguments::new(&json!([template]), false, Some(&rows)).unwrap_err();
            assert!(error.contains(want), "{error}");
        }
        let csv = rows_of("a.csv", "a\n1\n2.5\n", Order::Next).unwrap();
        let error = Arguments::new(&json!(["{{int row.a}}"]), false, Some(&csv)).unwrap_err();
        assert!(error.contains("a.csv:3 is no whole number"), "{error}");
        assert_eq!(made(&json!(["{{float row.a}}"]), &csv, 1), json!([2.5]));
    }
}
