//! How grave a log message is.

use serde::{Deserialize, Serialize};

/// The severities of `notifications/message`, from the least grave (RFC 5424, section 6.2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// For those who look for a fault.
    Debug,
    /// What happens.
    Info,
    /// What happens and is worth a look.
    Notice,
    /// What may become an error.
    Warning,
    /// Something failed.
    Error,
    /// A part of the system failed.
    Critical,
    /// Somebody must act at once.
    Alert,
    /// Nothing works.
    Emergency,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_spelt_in_lower_case_and_grow_graver() {
        let levels: Vec<LogLevel> = [
            "debug",
            "info",
            "notice",
            "warning",
            "error",
            "critical",
            "alert",
            "emergency",
        ]
        .map(|name| serde_json::from_value(name.into()).unwrap())
        .into();
        assert!(levels.is_sorted_by(|one, next| one < next));
        assert!(serde_json::from_str::<LogLevel>("\"Info\"").is_err());
        assert!(serde_json::from_str::<LogLevel>("\"warn\"").is_err());
        assert!(serde_json::from_str::<LogLevel>("3").is_err());
    }
}
