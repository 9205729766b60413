use serde::Deserialize;
use toml::Spanned;

/// `[payload]`: what is known of the sizes that a target takes.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct PayloadTable {
    /// Longest request body that the target takes, in bytes. Absent: that of the scenario's own
    /// replicas, or 4 MiB as in the official SDKs.
    #[serde(default)]
    pub body_limit_bytes: Option<Spanned<u64>>,
}
