use std::borrow::Cow;
use std::ops::Range;

use super::ScenarioError;
use super::words::in_words;

/// Keys of the file as a whole that are no tables: easily put below a table's head by mistake.
const TOP_KEYS: [&str; 4] = ["name", "analysis", "seed", "thresholds"];

/// Longest part of a line, or of a message about it, that is shown, in characters.
const LONGEST_SHOWN: usize = 400;

/// The text of a scenario and what to call it in messages.
#[derive(Debug, Clone)]
pub struct Source {
    file: String,
    text: String,
}

impl Source {
    /// A text that was read from `file`.
    pub fn new(file: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            text: text.into(),
        }
    }

    /// What messages call it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// An error about the file as a whole.
    pub fn whole(&self, message: impl Into<String>) -> ScenarioError {
        ScenarioError {
            place: self.file.clone(),
            message: message.into(),
        }
    }

    /// An error about a place in the file; the message is followed by the line that holds it.
    pub fn at(&self, span: &Range<usize>, message: impl AsRef<str>) -> ScenarioError {
        let (place, line) = self.locate(span.start);
        ScenarioError {
            place,
            message: format!("{} in `{line}`", message.as_ref()),
        }
    }

    /// An error of the TOML reader.
    pub(crate) fn toml(&self, error: &toml::de::Error) -> ScenarioError {
        let message = in_words(&error.message().replace('\n', ", "));
        let Some(span) = error.span() else {
            return self.whole(cut(&message, 0));
        };
        let (_, line) = self.locate(span.start);
        if message == "invalid type: a table, expected a list" && line.starts_with('[') {
            return self.at(
                &span,
                "a list of tables has double brackets, as in [[workflow]],",
            );
        }
        let Some((key, valid)) = unknown_key(&message) else {
            return self.at(&span, cut(&message, 0));
        };
        let (place, line) = self.locate(span.start);
        let shown = cut(key, 0);
        let hint = match nearest(key, &valid) {
            // Keys that stand before the first table belong to the file as a whole.
            _ if TOP_KEYS.contains(&key) => "it belongs above the first table".to_owned(),
            Some(near) => format!("the nearest valid key is `{near}`"),
            None => format!("valid keys are {}", valid.join(", ")),
        };
        ScenarioError {
            place,
            message: format!("unknown key `{shown}` in `{line}`; {hint}"),
        }
    }

    /// `file:line:column` of a byte position, and the line itself without white space at its ends.
    fn locate(&self, position: usize) -> (String, Cow<'_, str>) {
        let position = position.min(self.text.len());
        let start = self.text[..position].rfind('\n').map_or(0, |at| at + 1);
        let line = self.text[..start].matches('\n').count() + 1;
        let column = self.text[start..position].chars().count() + 1;
        let text = self.text[start..].lines().next().unwrap_or("");
        let place = format!("{}:{line}:{column}", self.file);
        (place, cut(text.trim(), column - 1))
    }
}

/// A text as it is shown: of a long one, the part around this character.
fn cut(text: &str, around: usize) -> Cow<'_, str> {
    if text.chars().nth(LONGEST_SHOWN).is_none() {
        return Cow::Borrowed(text);
    }
    let from = around.saturating_sub(LONGEST_SHOWN / 4);
    let mut rest = text.chars().skip(from);
    let shown: String = rest.by_ref().take(LONGEST_SHOWN).collect();
    let before = if from > 0 { "…" } else { "" };
    let behind = if rest.next().is_some() { "…" } else { "" };
    Cow::Owned(format!("{before}{shown}{behind}"))
}

/// Key and valid keys of serde's message about an unknown field.
fn unknown_key(message: &str) -> Option<(&str, Vec<&str>)> {
    let rest = message.strip_prefix("unknown field `")?;
    let (key, rest) = rest.split_once('`')?;
    Some((key, rest.split('`').skip(1).step_by(2).collect()))
}

/// The valid key that looks most like `key`, if any looks like it at all.
fn nearest<'a>(key: &str, valid: &[&'a str]) -> Option<&'a str> {
    let score = |candidate: &str| strsim::normalized_damerau_levenshtein(key, candidate);
    valid
        .iter()
        .copied()
        .max_by(|a, b| score(a).total_cmp(&score(b)))
        .filter(|best| score(best) >= 0.5)
}
