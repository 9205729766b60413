use serde_json::Value;

use super::Maker;
use super::Rows;
use super::expression::Expression;

/// Deepest nesting of arguments, as in the JSON that can be read back.
const DEEPEST: usize = 100;

/// The arguments of a call: JSON text with gaps for what differs between workflows.
///
/// What fills the gaps depends on seed and workflow number alone, so all rounds and attempts of a
/// workflow carry the same bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Arguments {
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq)]
enum Piece {
    /// JSON text as it stands.
    Fixed(String),
    /// A JSON value.
    Whole(Expression),
    /// Characters inside a JSON string.
    Inside(Expression),
}

impl Arguments {
    /// Reads the templates in all strings of a value. With `strings_only` a string that is one whole
    /// template stays a string, whatever it makes.
    ///
    /// # Errors
    /// The first template that means nothing, and what would be right.
    pub(crate) fn new(
        value: &Value,
        strings_only: bool,
        rows: Option<&Rows>,
    ) -> Result<Self, String> {
        let mut arguments = Self { pieces: Vec::new() };
        arguments.value(value, strings_only, rows, 0)?;
        Ok(arguments)
    }

    /// The JSON text, where no template is in it.
    #[must_use]
    pub fn fixed(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Fixed(text)] => Some(text),
            _ => None,
        }
    }

    /// The JSON text for one workflow.
    pub(crate) fn make(&self, maker: &mut Maker<'_>) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Fixed(fixed) => text.push_str(fixed),
                Piece::Whole(expression) => text.push_str(&expression.value(maker).to_string()),
                Piece::Inside(expression) => {
                    let quoted = Value::String(plain(expression.value(maker))).to_string();
                    text.push_str(&quoted[1..quoted.len() - 1]);
                }
            }
        }
        text
    }

    fn value(
        &mut self,
        value: &Value,
        strings_only: bool,
        rows: Option<&Rows>,
        depth: usize,
    ) -> Result<(), String> {
        if depth > DEEPEST {
            return Err(format!("arguments are nested deeper than {DEEPEST}"));
        }
        match value {
            Value::String(text) => self.string(text, strings_only, rows)?,
            Value::Array(list) => {
                self.fixed_text("[");
                for (at, element) in list.iter().enumerate() {
                    self.fixed_text(if at > 0 { "," } else { "" });
                    self.value(element, strings_only, rows, depth + 1)?;
                }
                self.fixed_text("]");
            }
            Value::Object(members) => {
                self.fixed_text("{");
                for (at, (key, member)) in members.iter().enumerate() {
                    self.fixed_text(if at > 0 { "," } else { "" });
                    self.fixed_text(&Value::from(key.as_str()).to_string());
                    self.fixed_text(":");
                    self.value(member, strings_only, rows, depth + 1)?;
                }
                self.fixed_text("}");
            }
            other => self.fixed_text(&other.to_string()),
        }
        Ok(())
    }

    fn string(
        &mut self,
        text: &str,
        strings_only: bool,
        rows: Option<&Rows>,
    ) -> Result<(), String> {
        let parts = split(text)?;
        if let [Part::Template(inner)] = parts.as_slice()
            && !strings_only
        {
            self.pieces
                .push(Piece::Whole(Expression::new(inner, rows)?));
            return Ok(());
        }
        self.fixed_text("\"");
        for part in parts {
            match part {
                Part::Text(text) => {
                    let quoted = Value::String(text).to_string();
                    self.fixed_text(&quoted[1..quoted.len() - 1]);
                }
                Part::Template(inner) => {
                    self.pieces
                        .push(Piece::Inside(Expression::new(inner, rows)?));
                }
            }
        }
        self.fixed_text("\"");
        Ok(())
    }

    fn fixed_text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Fixed(before)) => before.push_str(text),
            _ => self.pieces.push(Piece::Fixed(text.to_owned())),
        }
    }
}

enum Part<'a> {
    Text(String),
    Template(&'a str),
}

/// Splits a string at its templates; `{{{{` is a plain `{{`.
fn split(text: &str) -> Result<Vec<Part<'_>>, String> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        plain.push_str(&rest[..at]);
        rest = &rest[at + 2..];
        if let Some(after) = rest.strip_prefix("{{") {
            plain.push_str("{{");
            rest = after;
            continue;
        }
        let Some((inner, after)) = rest.split_once("}}") else {
            return Err(
                "a template begins with {{ and ends with }}; write {{{{ for a plain {{".to_owned(),
            );
        };
        if !plain.is_empty() {
            parts.push(Part::Text(std::mem::take(&mut plain)));
        }
        parts.push(Part::Template(inner.trim()));
        rest = after;
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        parts.push(Part::Text(plain));
    }
    Ok(parts)
}

/// A value inside a longer text: a string without its quotes, anything else as JSON.
fn plain(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn arguments(value: &Value) -> Arguments {
        Arguments::new(value, false, None).unwrap()
    }

    fn made(value: &Value, id: u64) -> Value {
        let text = arguments(value).make(&mut Maker::new(7, id, None));
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn without_templates_the_text_is_fixed() {
        let value = json!({"a": [1, "é\n\"", {}], "b": {"c": null}, "d": "{{{{x}}"});
        let text = arguments(&value).fixed().unwrap().to_owned();
        let plain = json!({"a": [1, "é\n\"", {}], "b": {"c": null}, "d": "{{x}}"});
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), plain);
    }

    #[test]
    fn a_whole_template_of_a_number_is_a_number_and_inside_a_text_it_is_text() {
        let value =
            json!({"n": "{{ int 3 3 }}", "t": "no. {{int 3 3}} of \"{{id}}\"", "id": "{{id}}"});
        assert_eq!(
            made(&value, 41),
            json!({"n": 3, "t": "no. 3 of \"41\"", "id": 41})
        );
        let strings = Arguments::new(&value, true, None).unwrap();
        let text = strings.make(&mut Maker::new(7, 41, None));
        let text: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(text["n"], "3", "arguments of a prompt are strings");
    }

    #[test]
    fn the_same_workflow_makes_the_same_bytes_and_others_do_not() {
        let value = json!({"u": "{{uuid}}", "t": "{{text 10 20}}", "f": "{{float 0 1}}"});
        let template = arguments(&value);
        let make = |seed, id| template.make(&mut Maker::new(seed, id, None));
        assert_eq!(make(1, 5), make(1, 5));
        assert_ne!(make(1, 5), make(1, 6));
        assert_ne!(make(1, 5), make(2, 5));
    }

    #[test]
    fn a_template_that_does_not_end_is_refused() {
        let error = Arguments::new(&json!({"a": "{{id"}), false, None).unwrap_err();
        assert!(error.contains("ends with }}"), "{error}");
    }

    proptest! {
        #[test]
        fn any_texts_around_templates_stay_json(before in "[^{]*", after in "[^{]*", id: u64) {
            let text = format!("{before}{{{{id}}}}{after}");
            let wanted = format!("{before}{id}{after}");
            let value = made(&json!([text, "x"]), id);
            if before.is_empty() && after.is_empty() {
                prop_assert_eq!(&value[0], &json!(id));
            } else {
                prop_assert_eq!(&value[0], &json!(wanted));
            }
        }
    }
}
