use serde::Deserialize;
use toml::{Spanned, Table};

/// `[fleet]`: replicas that the run starts as its own children.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct FleetTable {
    /// How many; 1 to 64.
    pub replicas: Spanned<u32>,
    /// What protects request states. Absent: the default of `loadgen replica`.
    #[serde(default)]
    pub algorithm: Option<Spanned<String>>,
    /// Which cryptography library computes it. Absent: the default of `loadgen replica`.
    #[serde(default)]
    pub backend: Option<Spanned<String>>,
    /// Lifetime of a request state, in whole seconds. Absent: 600.
    #[serde(default)]
    pub ttl_s: Option<Spanned<u64>>,
    /// `shared` (default) or `own`: whether the replicas hold one sealing key or each their own.
    #[serde(default)]
    pub keys: Option<Spanned<String>>,
    /// Other options of `loadgen replica`, for every replica. Absent: none.
    #[serde(default)]
    pub options: Option<Vec<Spanned<String>>>,
    /// What is wrong with every replica from the start. Absent: nothing.
    #[serde(default)]
    pub faults: Option<Spanned<Table>>,
    /// What is different about single replicas.
    #[serde(default)]
    pub replica: Option<Vec<Spanned<ReplicaTable>>>,
}

/// `[[fleet.replica]]`.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ReplicaTable {
    /// Which one; they are counted from 0.
    pub number: Spanned<u32>,
    /// Options of `loadgen replica` besides those of the fleet. Absent: none.
    #[serde(default)]
    pub options: Option<Vec<Spanned<String>>>,
    /// What is wrong with it besides what is wrong with all. Absent: nothing.
    #[serde(default)]
    pub faults: Option<Spanned<Table>>,
}
