//! The replicas that a run has started: children of this process.

mod process;
mod replica;
mod rotation;
mod script;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use loadgen_driver::{Act, FleetPlan, KeyPlan};
use loadgen_measure::{ProcessUsage, ReplicaFacts};
use loadgen_seal::{Key, KeyId, KeyRing};
use serde_json::json;

use self::process::END;
use self::replica::{KeyChange, Replica};

pub(crate) use self::process::WrongOptions;
pub(crate) use self::replica::options as replica_options;
pub(crate) use self::script::Script;

/// Replicas that a run has started, each with a pipe to its standard input, at whose end it stops.
/// Dropping the fleet stops it.
#[derive(Debug, Default)]
pub(crate) struct Fleet {
    replicas: Vec<Replica>,
    /// Keys that events brought to all replicas alike, by id; `None` when each has its own.
    shared: Option<BTreeMap<u8, Key>>,
}

impl Fleet {
    /// Starts the replicas and waits until each is ready.
    pub(crate) fn start(plan: &FleetPlan) -> anyhow::Result<Self> {
        let first = || Key::generate(KeyId(1), None);
        let shared = first();
        let mut fleet = Self {
            replicas: Vec::new(),
            shared: (plan.keys == KeyPlan::Shared).then(BTreeMap::new),
        };
        for number in 0..plan.replicas.len() {
            let ring = KeyRing::single(match plan.keys {
                KeyPlan::Shared => shared.clone(),
                KeyPlan::Own => first(),
            });
            let replica = Replica::start(plan, number, ring);
            let replica = replica.with_context(|| format!("cannot start replica {number}"))?;
            fleet.replicas.push(replica);
        }
        Ok(fleet)
    }

    pub(crate) fn urls(&self) -> Vec<String> {
        self.replicas.iter().map(|r| r.url().to_owned()).collect()
    }

    /// Gives every replica a line of docs/faults.md.
    pub(crate) fn tell(&mut self, line: &str) -> anyhow::Result<()> {
        for replica in &mut self.replicas {
            replica.tell(line)?;
        }
        Ok(())
    }

    /// What the replicas have used since they were ready, those that can still be read.
    pub(crate) fn used(&self) -> Vec<ProcessUsage> {
        self.replicas.iter().filter_map(Replica::used).collect()
    }

    /// Notes which replicas have ended although nobody told them to. Gives those that are new.
    pub(crate) fn deaths(&mut self) -> Vec<String> {
        let numbered = self.replicas.iter_mut().enumerate();
        numbered
            .filter_map(|(number, replica)| {
                let status = replica.has_died()?;
                Some(format!(
                    "replica {number} ({}) died: {status}",
                    replica.url()
                ))
            })
            .collect()
    }

    /// From now on the processor time of the replicas counts: the load begins.
    pub(crate) fn begin_count(&mut self) {
        self.replicas.iter_mut().for_each(Replica::begin_count);
    }

    /// Looks at the memory of the replicas, which have answered so many requests by this time of the
    /// load.
    pub(crate) fn look(&mut self, at: Duration, answered: &[u64]) {
        for (replica, requests) in self.replicas.iter_mut().zip(answered) {
            replica.look(at, *requests);
        }
    }

    /// What is known about the replicas at the end of the load, before they are stopped.
    pub(crate) fn facts(&mut self) -> Vec<ReplicaFacts> {
        self.deaths();
        self.replicas.iter_mut().map(Replica::facts).collect()
    }

    /// Begins to do this to a replica.
    fn begin(&mut self, act: &Act, number: usize) -> anyhow::Result<()> {
        let shared = &mut self.shared;
        let replica = &mut self.replicas[number];
        match act {
            Act::Kill => replica.kill(),
            Act::Drain => replica.drain(),
            Act::Start => replica.begin_again(),
            Act::Restart => replica.restart(),
            Act::Freeze(time) => {
                let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
                replica.ask(&json!({ "freeze_ms": ms }))
            }
            Act::Set(faults) => replica.ask(&json!({ "set": faults })),
            Act::Clear => replica.ask(&json!({ "clear": true })),
            Act::Limit(rate) => {
                let rate = rate.map(|rate| rate.to_string());
                replica.change_limit(rate.as_deref())
            }
            Act::AcceptKey(id) => {
                let fresh = || Key::generate(KeyId(*id), None);
                let key = match shared {
                    Some(keys) => keys.entry(*id).or_insert_with(fresh).clone(),
                    None => fresh(),
                };
                replica.change_keys(KeyChange::Accept(key))
            }
            Act::MintKey(id) => replica.change_keys(KeyChange::Mint(KeyId(*id))),
            Act::DropKey(id) => replica.change_keys(KeyChange::Drop(KeyId(*id))),
        }
    }

    /// Whether a replica has a command that it has not answered yet.
    fn is_asked(&self, number: usize) -> bool {
        self.replicas[number].is_asked()
    }

    /// Whether what was begun with a replica is done.
    fn settle(&mut self, number: usize) -> anyhow::Result<bool> {
        self.replicas[number].settle()
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        for replica in &mut self.replicas {
            replica.close();
        }
        let end = Instant::now() + END;
        for replica in &mut self.replicas {
            replica.reap(end);
        }
    }
}
