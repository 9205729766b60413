use serde_json::Value;

/// Most questions of one reply that are answered.
pub(super) const MOST_QUESTIONS: usize = 1000;
/// Most fields of one form that are filled.
pub(super) const MOST_FIELDS: usize = 1000;
/// Most bytes of the answers to one reply.
const MOST_BYTES: usize = 4 << 20;

/// More than a client answers: a short reply could ask for gigabytes, which would be the end of the
/// generator and of all that it has measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Excess {
    /// Of questions.
    #[error(
        "asked more than {MOST_QUESTIONS} questions at once, which this client does not answer"
    )]
    Questions,
    /// Of fields.
    #[error("asked for a form of more than {MOST_FIELDS} fields, which this client does not fill")]
    Fields,
    /// Of bytes.
    #[error(
        "asked for answers of more than {} MiB, which this client does not make",
        MOST_BYTES >> 20
    )]
    Bytes,
}

/// What the answers to one reply may still hold, in bytes. Values are counted before they are made or
/// copied, without the signs of JSON around them.
#[derive(Debug)]
pub(super) struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Self(MOST_BYTES)
    }
}

impl Budget {
    pub(super) fn text(&mut self, text: &str) -> Result<(), Excess> {
        self.bytes(text.len())
    }

    pub(super) fn value(&mut self, value: &Value) -> Result<(), Excess> {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(list) => list.iter().try_for_each(|item| self.value(item)),
            Value::Object(members) => members.iter().try_for_each(|(key, member)| {
                self.text(key)?;
                self.value(member)
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) => self.bytes(size_of::<Value>()),
        }
    }

    fn bytes(&mut self, bytes: usize) -> Result<(), Excess> {
        self.0 = self.0.checked_sub(bytes).ok_or(Excess::Bytes)?;
        Ok(())
    }
}

/// The text of all answers, unless escapes made it too long.
pub(super) fn bounded(text: String) -> Result<String, Excess> {
    match text.len() > MOST_BYTES {
        true => Err(Excess::Bytes),
        false => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn everything_that_is_made_is_paid_for() {
        let mut budget = Budget::default();
        budget
            .value(&json!({"abc": ["de", {"f": "ghij"}]}))
            .unwrap();
        assert_eq!(budget.0, MOST_BYTES - 10);
        budget.value(&json!([1, null, true])).unwrap();
        assert!(budget.0 < MOST_BYTES - 10);
        assert_eq!(budget.text(&"x".repeat(MOST_BYTES)), Err(Excess::Bytes));
    }

    #[test]
    fn the_text_itself_is_bounded() {
        assert!(bounded("x".repeat(MOST_BYTES)).is_ok());
        assert_eq!(bounded("x".repeat(MOST_BYTES + 1)), Err(Excess::Bytes));
    }
}
