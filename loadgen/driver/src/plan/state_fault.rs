use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use toml::Spanned;

use super::check::Check;
use crate::scenario::ScenarioError;

/// A fault of clients that servers meet: what is done to every state before it is sent back. For
/// tests of a server's reaction; the only place where the text of a state is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateFault {
    /// The last character is missing.
    Cut,
    /// A line end is added.
    Newline,
    /// Every character is percent-encoded.
    PercentEncoded,
    /// All of it is encoded as base64 once more.
    Base64,
    /// It is not sent back.
    Omitted,
    /// One that no server has minted is sent instead, in round 0 already.
    Invented,
}

impl StateFault {
    const ALL: [(&str, Self); 6] = [
        ("cut", Self::Cut),
        ("newline", Self::Newline),
        ("percent-encoded", Self::PercentEncoded),
        ("base64", Self::Base64),
        ("omitted", Self::Omitted),
        ("invented", Self::Invented),
    ];

    /// Its name in a scenario.
    ///
    /// # Panics
    /// Never: every fault has one.
    #[must_use]
    pub fn name(self) -> &'static str {
        let (name, _) = Self::ALL
            .into_iter()
            .find(|(_, fault)| *fault == self)
            .expect("all are there");
        name
    }

    /// What is sent instead of this state.
    pub(crate) fn apply(self, state: Option<Box<RawValue>>) -> Option<Box<RawValue>> {
        if self == Self::Invented {
            return Some(raw("an-invented-state"));
        }
        let state = state?;
        // Half a surrogate pair has no meaning that could be changed.
        let Ok(Value::String(mut text)) = serde_json::from_str(state.get()) else {
            return Some(state);
        };
        match self {
            Self::Cut => drop(text.pop()),
            Self::Newline => text.push('\n'),
            Self::PercentEncoded => text = percent_encoded(&text),
            Self::Base64 => text = STANDARD.encode(text),
            Self::Omitted | Self::Invented => return None,
        }
        Some(raw(&text))
    }
}

impl Check<'_> {
    pub(super) fn state_fault(&self, name: &Spanned<String>) -> Result<StateFault, ScenarioError> {
        let known = StateFault::ALL.iter();
        let found = known.clone().find(|(known, _)| known == name.get_ref());
        found.map(|(_, fault)| *fault).ok_or_else(|| {
            let names: Vec<&str> = known.map(|(name, _)| *name).collect();
            self.wrong(name, &format!("break_state is one of {}", names.join(", ")))
        })
    }
}

fn raw(text: &str) -> Box<RawValue> {
    to_raw_value(text).expect("a string is JSON")
}

fn percent_encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_breaks_a_state_in_its_own_way() {
        let broken = |fault: StateFault| {
            let state = RawValue::from_string(r#""a.\u00e9b""#.to_owned()).unwrap();
            let sent = fault.apply(Some(state))?;
            Some(serde_json::from_str::<String>(sent.get()).unwrap())
        };
        for (name, fault) in StateFault::ALL {
            let want = match fault {
                StateFault::Cut => Some("a.é"),
                StateFault::Newline => Some("a.éb\n"),
                StateFault::PercentEncoded => Some("%61%2E%C3%A9%62"),
                StateFault::Base64 => Some("YS7DqWI="),
                StateFault::Omitted => None,
                StateFault::Invented => Some("an-invented-state"),
            };
            assert_eq!(broken(fault).as_deref(), want, "{name}");
        }
        assert!(StateFault::Cut.apply(None).is_none(), "nothing to break");
        assert!(StateFault::Invented.apply(None).is_some());
    }
}
