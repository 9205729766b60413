use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

/// Fixed values of fields, by field name, or by `key.name` for one question only, and which of them
/// were ever asked for. Copies share that.
#[derive(Debug, Clone, Default)]
pub struct FixedFields(BTreeMap<String, Fixed>);

#[derive(Debug, Clone)]
struct Fixed {
    value: Value,
    asked_for: Arc<AtomicBool>,
}

impl FixedFields {
    /// Whether nothing is fixed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names, as written in the scenario.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The names that no question has asked for so far.
    pub fn never_asked_for(&self) -> impl Iterator<Item = &str> {
        let unused = self.0.iter().filter(|(_, fixed)| !fixed.was_asked_for());
        unused.map(|(name, _)| name.as_str())
    }

    /// The value of a field of the question with this key, which asks for it.
    pub(crate) fn get(&self, key: &str, name: &str) -> Option<&Value> {
        if self.0.is_empty() {
            return None;
        }
        let of_question = self.0.get(&format!("{key}.{name}"));
        let fixed = of_question.or_else(|| self.0.get(name))?;
        if !fixed.was_asked_for() {
            fixed.asked_for.store(true, Ordering::Relaxed);
        }
        Some(&fixed.value)
    }
}

impl Fixed {
    fn was_asked_for(&self) -> bool {
        self.asked_for.load(Ordering::Relaxed)
    }
}

impl FromIterator<(String, Value)> for FixedFields {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(fields: I) -> Self {
        let fixed = |value| Fixed {
            value,
            asked_for: Arc::default(),
        };
        let named = fields.into_iter().map(|(name, value)| (name, fixed(value)));
        Self(named.collect())
    }
}

impl PartialEq for FixedFields {
    /// Of the values alone.
    fn eq(&self, other: &Self) -> bool {
        let values = |fields: &'_ Self| -> Vec<(String, Value)> {
            let each = fields.0.iter();
            each.map(|(name, fixed)| (name.clone(), fixed.value.clone()))
                .collect()
        };
        values(self) == values(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_is_known_to_all_copies() {
        let names = ["ship", "step1.ship", "skipper"];
        let fields: FixedFields = names
            .map(|name| (name.to_owned(), name.into()))
            .into_iter()
            .collect();
        let copy = fields.clone();
        assert_eq!(copy.get("step1", "ship"), Some(&"step1.ship".into()));
        assert_eq!(copy.get("step1", "berth"), None);
        assert_eq!(
            fields.never_asked_for().collect::<Vec<_>>(),
            ["ship", "skipper"]
        );
        assert_eq!(copy.get("step2", "ship"), Some(&"ship".into()));
        assert_eq!(fields.never_asked_for().collect::<Vec<_>>(), ["skipper"]);
    }
}
