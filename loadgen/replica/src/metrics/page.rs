use std::fmt;
use std::sync::Arc;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::encoding::prometheus_text;
use prometheus_client::registry::Registry;

use crate::metrics::families::Families;
use crate::metrics::{
    access_log, connections, faults, items, limits, process, replies, requests, states, tokens,
};
use crate::replica::Replica;
use crate::server::Connections;

/// Everything that a replica and its process tell about themselves, in Prometheus' text format.
pub struct Metrics(Registry);

impl Metrics {
    /// How the text is marked: text format 0.0.4.
    pub const CONTENT_TYPE: &str = prometheus_text::CONTENT_TYPE;

    /// The metrics of this replica behind these connections.
    pub fn new(replica: Arc<Replica>, connections: Arc<Connections>) -> Self {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(Source {
            replica,
            connections,
        }));
        Self(registry)
    }

    /// The page as it stands now. Counts are read one by one, so under load they belong to slightly
    /// different moments.
    pub fn text(&self) -> String {
        let mut text = String::new();
        prometheus_text::encode(&mut text, &self.0).expect("a String takes any text");
        text
    }
}

struct Source {
    replica: Arc<Replica>,
    connections: Arc<Connections>,
}

impl Collector for Source {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut to = Families::to(encoder);
        let counters = self.replica.counters();
        to.info(
            "loadgen_build",
            "The build that serves",
            &[("version", env!("CARGO_PKG_VERSION"))],
        )?;
        requests::write(&mut to, &counters)?;
        replies::write(&mut to, &counters)?;
        items::write(&mut to, &counters)?;
        states::write(&mut to, &counters.state)?;
        if let Some(limits) = self.replica.limit_counters() {
            limits::write(&mut to, &limits)?;
        }
        tokens::write_store(&mut to, self.replica.store_counters())?;
        if let Some(uses) = self.replica.token_counters() {
            tokens::write_uses(&mut to, &uses)?;
        }
        to.counter(
            "loadgen_replica_redis_failures",
            "Commands that Redis did not carry out",
            self.replica.redis_failures(),
        )?;
        faults::write(&mut to, &self.replica.fault_counts())?;
        connections::write(&mut to, &self.connections.read())?;
        if let Some(log) = self.replica.access_log() {
            access_log::write(&mut to, log)?;
        }
        process::write(&mut to, &metrics_process::collector::collect())
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Source")
    }
}
