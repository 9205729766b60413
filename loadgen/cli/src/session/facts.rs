use std::collections::BTreeMap;

use loadgen_driver::Target;
use loadgen_measure::{Environment, ProcessUsage};

/// What is known of a run before it begins.
pub(super) struct Facts {
    pub(super) options: BTreeMap<String, serde_json::Value>,
    pub(super) environment: Environment,
    /// Targets as they were given.
    pub(super) urls: Vec<String>,
    /// The targets that are loaded.
    pub(super) targets: Vec<String>,
    pub(super) before: Option<ProcessUsage>,
    pub(super) settled_rss_bytes: Option<u64>,
}

impl Facts {
    pub(super) fn new(
        urls: Vec<String>,
        options: BTreeMap<String, serde_json::Value>,
        targets: &[Target],
    ) -> Self {
        Self {
            options,
            environment: Environment::read(),
            urls,
            targets: targets.iter().map(|t| t.url().to_owned()).collect(),
            before: ProcessUsage::of_self(),
            settled_rss_bytes: None,
        }
    }
}
