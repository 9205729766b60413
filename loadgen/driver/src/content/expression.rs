use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;
use serde_json::Value;

use super::{Maker, Rows};
use crate::draw::Draw;

/// Longest text that a template makes, in characters.
const LONGEST_TEXT: usize = 1 << 20;
/// Letters and some spaces; their number is a power of two, so that a draw of five bits takes one.
const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz      ";
const VALID: &str = "templates are {{id}}, {{uuid}}, {{int LOW HIGH}}, {{float LOW HIGH}}, \
    {{text SIZE}}, {{row.NAME}}, {{int row.NAME}} and {{float row.NAME}}";

/// What stands between `{{` and `}}`.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expression {
    /// The number of the workflow.
    Id,
    /// A random UUID.
    Uuid,
    /// A whole number, both ends included.
    Int { low: i64, high: i64 },
    /// A number, the upper end excluded unless it is the lower one.
    Float { low: f64, high: f64 },
    /// Letters and spaces, their number drawn from all between the two ends alike.
    Letters { low: usize, high: usize },
    /// Letters and spaces; the draw is their number.
    Text(Draw),
    /// A cell of the workflow's row.
    Row { column: usize },
    /// A cell that is read as a number.
    RowNumber { column: usize },
}

impl Expression {
    /// # Errors
    /// What is wrong and what would be right.
    pub(super) fn new(text: &str, rows: Option<&Rows>) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let wrong = |why: &str| format!("{{{{{text}}}}}: {why}");
        match words.as_slice() {
            ["id"] => Ok(Self::Id),
            ["uuid"] => Ok(Self::Uuid),
            ["int" | "float", cell] if cell.starts_with("row.") => {
                let column = column(cell, rows).map_err(|why| wrong(&why))?;
                let whole = words[0] == "int";
                let rows = rows.expect("it has the column");
                rows.check(column, |cell| {
                    cell.is_some_and(|cell| number(cell, whole).is_some())
                })
                .map_err(|place| {
                    let kind = if whole { "whole number" } else { "number" };
                    wrong(&format!("{place} is no {kind}"))
                })?;
                Ok(Self::RowNumber { column })
            }
            ["int", low, high] => match (low.parse(), high.parse()) {
                (Ok(low), Ok(high)) if low <= high => Ok(Self::Int { low, high }),
                _ => Err(wrong(
                    "int takes two whole numbers, the lower one first, as in {{int 1 100}}",
                )),
            },
            ["float", low, high] => match (low.parse::<f64>(), high.parse::<f64>()) {
                (Ok(low), Ok(high)) if low <= high && (high - low).is_finite() => {
                    Ok(Self::Float { low, high })
                }
                _ => Err(wrong(
                    "float takes two finite numbers, the lower one first, as in {{float 0 1}}",
                )),
            },
            ["text", size @ ..] => sized(size).map_err(|why| wrong(&why)),
            [cell] if cell.starts_with("row.") => {
                let column = column(cell, rows).map_err(|why| wrong(&why))?;
                Ok(Self::Row { column })
            }
            _ => Err(wrong(VALID)),
        }
    }

    fn letters(low: usize, high: usize) -> Self {
        Self::Letters { low, high }
    }

    fn text(size: Draw) -> Self {
        Self::Text(size.at_most(LONGEST_TEXT as f64))
    }

    /// The value for one workflow. Values are drawn in the order of the templates.
    pub(super) fn value(&self, maker: &mut Maker<'_>) -> Value {
        match self {
            Self::Id => Value::from(maker.id()),
            Self::Uuid => {
                let bytes = maker.rng().random();
                Value::from(
                    uuid::Builder::from_random_bytes(bytes)
                        .into_uuid()
                        .to_string(),
                )
            }
            Self::Int { low, high } => Value::from(maker.rng().random_range(*low..=*high)),
            Self::Float { low, high } => {
                let share: f64 = maker.rng().random();
                Value::from(low + share * (high - low))
            }
            Self::Letters { low, high } => {
                let size = maker.rng().random_range(*low..=*high);
                Value::from(letters(size, maker.rng()))
            }
            Self::Text(size) => {
                let size = size.sample(maker.rng()).round() as usize;
                Value::from(letters(size, maker.rng()))
            }
            Self::Row { column } => maker.cell(*column),
            Self::RowNumber { column } => {
                let cell = maker.cell(*column);
                number(&cell, false).unwrap_or(Value::Null)
            }
        }
    }
}

/// `64`, `10 200`, `fixed N`, `uniform LOW HIGH`, `normal MEAN DEVIATION`, `lognormal MEDIAN SIGMA`.
fn sized(words: &[&str]) -> Result<Expression, String> {
    let (kind, numbers) = match words {
        [kind, rest @ ..] if kind.starts_with(|c: char| c.is_ascii_alphabetic()) => (*kind, rest),
        [_] => ("fixed", words),
        _ => ("uniform", words),
    };
    let whole = |word: &str| word.parse().ok().filter(|n| *n <= LONGEST_TEXT);
    let any = |word: &str| word.parse().ok();
    let draw = match (kind, numbers) {
        ("fixed", [size]) => whole(size).map(|size| Ok(Expression::letters(size, size))),
        ("uniform", [low, high]) => whole(low)
            .zip(whole(high))
            .filter(|(low, high)| low <= high)
            .map(|(low, high)| Ok(Expression::letters(low, high))),
        ("normal", [mean, deviation]) => any(mean)
            .zip(any(deviation))
            .map(|(mean, deviation)| Draw::normal(mean, deviation).map(Expression::text)),
        ("lognormal", [median, sigma]) => any(median)
            .zip(any(sigma))
            .map(|(median, sigma)| Draw::log_normal(median, sigma).map(Expression::text)),
        _ => None,
    };
    match draw {
        Some(Ok(expression)) => Ok(expression),
        Some(Err(why)) => Err(why.to_owned()),
        None => Err(
            "a text takes N, LOW HIGH, normal MEAN DEVIATION or lognormal MEDIAN SIGMA, in \
             characters up to 1048576, as in {{text 10 200}}"
                .to_owned(),
        ),
    }
}

fn letters(count: usize, rng: &mut Xoshiro256PlusPlus) -> String {
    let mut text = String::with_capacity(count);
    while text.len() < count {
        let mut bits: u64 = rng.random();
        for _ in 0..(count - text.len()).min(12) {
            text.push(char::from(LETTERS[(bits & 31) as usize]));
            bits >>= 5;
        }
    }
    text
}

/// The column that `row.NAME` names.
fn column(cell: &str, rows: Option<&Rows>) -> Result<usize, String> {
    let name = &cell["row.".len()..];
    let Some(rows) = rows else {
        return Err("rows come from a file: add [data] with `file`".to_owned());
    };
    let Some(column) = rows.column(name) else {
        return Err(format!(
            "{} has no column `{name}`; it has {}",
            rows.file(),
            rows.names().join(", ")
        ));
    };
    rows.check(column, |cell| cell.is_some())
        .map_err(|place| format!("{place} is missing"))?;
    Ok(column)
}

/// A cell as a number.
fn number(cell: &Value, whole: bool) -> Option<Value> {
    let number = match cell {
        Value::Number(_) => cell.clone(),
        Value::String(text) => text
            .trim()
            .parse::<i64>()
            .map(Value::from)
            .ok()
            .or_else(|| Some(Value::from(text.trim().parse::<f64>().ok()?)))?,
        _ => return None,
    };
    // An infinite number has no JSON form and became null.
    let good = number.is_i64() || number.is_u64() || (number.is_f64() && !whole);
    good.then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, id: u64) -> Value {
        let expression = Expression::new(text, None).unwrap();
        expression.value(&mut Maker::new(1, id, None))
    }

    #[test]
    fn numbers_keep_their_bounds_and_reach_them() {
        let mut seen = [false; 3];
        for id in 0..200 {
            let int = value("int -1 1", id).as_i64().unwrap();
            seen[usize::try_from(int + 1).unwrap()] = true;
            let float = value("float -0.5 0.5", id).as_f64().unwrap();
            assert!((-0.5..0.5).contains(&float));
        }
        assert_eq!(seen, [true; 3]);
        assert_eq!(value("float 2 2", 1), 2.0);
        assert!(value("int -9223372036854775808 9223372036854775807", 1).is_i64());
    }

    #[test]
    fn texts_have_the_sizes_that_were_asked_for() {
        let length = |text: &str, id| value(text, id).as_str().unwrap().len();
        let mut seen = [0_u32; 3];
        for id in 0..600 {
            seen[length("text 1 3", id) - 1] += 1;
            assert_eq!(length("text 64", id), 64);
            assert_eq!(length("text fixed 5", id), 5);
            assert!(length("text normal 10 100", id) < 1000);
        }
        // Three sigma of a binomial with n = 600, p = 1/3 is 35.
        assert!(seen.iter().all(|n| n.abs_diff(200) < 36), "{seen:?}");
        let mean = (0..2000)
            .map(|id| length("text lognormal 100 0.5", id))
            .sum::<usize>()
            / 2000;
        assert!(
            (108..=119).contains(&mean),
            "100 x exp(0.125) is 113: {mean}"
        );
        assert_eq!(length("text normal 1e300 0", 1), 1 << 20);
    }

    #[test]
    fn a_uuid_is_one_of_version_4() {
        let text = value("uuid", 3);
        let parsed = uuid::Uuid::parse_str(text.as_str().unwrap()).unwrap();
        assert_eq!(parsed.get_version_num(), 4);
    }

    #[test]
    fn what_means_nothing_is_refused_with_what_would() {
        for (text, want) in [
            ("", "templates are {{id}}"),
            ("uid", "templates are {{id}}"),
            ("int 5", "templates are {{id}}"),
            ("int 5 1", "the lower one first"),
            ("int 1 2.5", "two whole numbers"),
            ("float 0 inf", "two finite numbers"),
            ("float nan 1", "two finite numbers"),
            ("text", "{{text 10 200}}"),
            ("text 5 1", "{{text 10 200}}"),
            ("text 1048577", "{{text 10 200}}"),
            ("text five", "{{text 10 200}}"),
            ("text normal 5", "{{text 10 200}}"),
            ("text -4", "{{text 10 200}}"),
            ("text normal -4 1", "0 or more"),
            ("row.name", "add [data]"),
        ] {
            let error = Expression::new(text, None).unwrap_err();
            assert!(error.contains(want), "{text}: {error}");
            assert!(error.starts_with(&format!("{{{{{text}}}}}")), "{error}");
        }
    }
}
