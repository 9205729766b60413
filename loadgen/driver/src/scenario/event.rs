use serde::Deserialize;
use toml::{Spanned, Table};

/// `[[event]]`: something that happens to replicas of the run's own fleet while the load goes on.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct EventTable {
    /// When, in seconds from the start of the load.
    pub at_s: Spanned<f64>,
    /// `kill`, `drain`, `start`, `restart`, `freeze`, `set`, `clear`, `limit`, `accept-key`, `mint-key` or
    /// `drop-key`.
    pub act: Spanned<String>,
    /// Which replicas, counted from 0. Absent: all.
    #[serde(default)]
    pub replicas: Option<Spanned<Vec<Spanned<u32>>>>,
    /// Time between one replica and the next, in seconds. Absent: 0.
    #[serde(default)]
    pub pause_s: Option<Spanned<f64>>,
    /// How long `freeze` lasts, in seconds.
    #[serde(default)]
    pub for_s: Option<Spanned<f64>>,
    /// What `set` sets, as in the table of faults.
    #[serde(default)]
    pub faults: Option<Spanned<Table>>,
    /// The key of `accept-key`, `mint-key` and `drop-key`. The first one is 1.
    #[serde(default)]
    pub key: Option<Spanned<u8>>,
    /// The rate that `limit` changes the limit of replicas to, as text or as a number a second;
    /// `none` lifts it.
    #[serde(default)]
    pub limit: Option<Spanned<toml::Value>>,
    /// Name in results. Absent: what happens to whom.
    #[serde(default)]
    pub name: Option<Spanned<String>>,
}
