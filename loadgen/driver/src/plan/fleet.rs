use serde_json::{Map, Value};
use toml::{Spanned, Table};

use super::check::Check;
use super::json::json;
use crate::scenario::{FleetTable, ReplicaTable, ScenarioError};

/// Most replicas that a run starts.
const MOST_REPLICAS: u32 = 64;
/// Options of `loadgen replica` that a run gives itself, or that would part it from its replica.
const TAKEN: [(&str, &str); 10] = [
    ("--algorithm", "use `algorithm` of [fleet]"),
    ("--backend", "use `backend` of [fleet]"),
    ("--ttl", "use `ttl_s` of [fleet]"),
    ("--fault", "use `faults`"),
    ("--key-file", "the run gives its replicas their keys"),
    ("--keys-from-stdin", "the run gives its replicas their keys"),
    ("--parent-stdin", "the run does that already"),
    ("--instance", "the run numbers its replicas"),
    ("--listen", "the run lets its replicas choose their ports"),
    ("--help", "it is nothing that a replica does"),
];

/// Replicas that a run starts as its own children.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetPlan {
    /// `--algorithm` of the replicas; `None`: their default.
    pub algorithm: Option<String>,
    /// `--backend` of the replicas; `None`: their default.
    pub backend: Option<String>,
    /// `--ttl` of the replicas, in seconds; `None`: their default.
    pub ttl_s: Option<u64>,
    /// Which sealing keys they get.
    pub keys: KeyPlan,
    /// Each replica; at least one.
    pub replicas: Vec<ReplicaPlan>,
}

/// What one replica of a fleet is started with beside what all have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplicaPlan {
    /// Options of `loadgen replica`.
    pub options: Vec<String>,
    /// What is wrong with it from the start, as `set` of docs/faults.md.
    pub faults: Map<String, Value>,
}

/// Which sealing keys the replicas of a fleet get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPlan {
    /// One key for all: a retry may go to any of them.
    Shared,
    /// Each its own: a retry on another replica is refused.
    Own,
}

impl FleetPlan {
    /// So many replicas that have everything by default.
    #[must_use]
    pub fn plain(replicas: u32) -> Self {
        Self {
            algorithm: None,
            backend: None,
            ttl_s: None,
            keys: KeyPlan::Shared,
            replicas: vec![ReplicaPlan::default(); replicas as usize],
        }
    }
}

impl Check<'_> {
    pub(super) fn fleet(&self, fleet: &FleetTable) -> Result<FleetPlan, ScenarioError> {
        let replicas = *fleet.replicas.get_ref();
        if !(1..=MOST_REPLICAS).contains(&replicas) {
            return Err(self.wrong(
                &fleet.replicas,
                &format!("replicas must be 1 to {MOST_REPLICAS}"),
            ));
        }
        if let Some(ttl) = &fleet.ttl_s
            && *ttl.get_ref() == 0
        {
            return Err(self.wrong(ttl, "ttl_s must be 1 or more whole seconds"));
        }
        let keys = match &fleet.keys {
            None => KeyPlan::Shared,
            Some(keys) => match keys.get_ref().as_str() {
                "shared" => KeyPlan::Shared,
                "own" => KeyPlan::Own,
                _ => return Err(self.wrong(keys, "keys must be \"shared\" or \"own\"")),
            },
        };
        let text = |value: &Option<Spanned<String>>| value.as_ref().map(|v| v.get_ref().clone());
        let every = ReplicaPlan {
            options: self.options(fleet.options.as_deref().unwrap_or_default())?,
            faults: self.faults(fleet.faults.as_ref())?,
        };
        let mut plans = vec![every; replicas as usize];
        let mut named = Vec::new();
        for table in fleet.replica.iter().flatten() {
            self.replica(table.get_ref(), &mut plans, &mut named)?;
        }
        Ok(FleetPlan {
            algorithm: text(&fleet.algorithm),
            backend: text(&fleet.backend),
            ttl_s: fleet.ttl_s.as_ref().map(|ttl| *ttl.get_ref()),
            keys,
            replicas: plans,
        })
    }

    fn replica(
        &self,
        table: &ReplicaTable,
        plans: &mut [ReplicaPlan],
        named: &mut Vec<usize>,
    ) -> Result<(), ScenarioError> {
        let position = self.position(&table.number, plans.len())?;
        if named.contains(&position) {
            return Err(self.wrong(
                &table.number,
                &format!("replica {position} has a [[fleet.replica]] already"),
            ));
        }
        named.push(position);
        let plan = &mut plans[position];
        plan.options
            .extend(self.options(table.options.as_deref().unwrap_or_default())?);
        plan.faults.extend(self.faults(table.faults.as_ref())?);
        Ok(())
    }

    /// The position of the replica of this number among so many.
    pub(super) fn position(
        &self,
        number: &Spanned<u32>,
        of: usize,
    ) -> Result<usize, ScenarioError> {
        let position = *number.get_ref() as usize;
        if position < of {
            return Ok(position);
        }
        let last = of - 1;
        let text = format!(
            "the fleet has no such replica; they are counted from 0, so the last one is {last}"
        );
        Err(self.wrong(number, &text))
    }

    /// Options for a replica. Those that it does not know, it refuses itself.
    fn options(&self, list: &[Spanned<String>]) -> Result<Vec<String>, ScenarioError> {
        let good = |option: &Spanned<String>| {
            let text = option.get_ref();
            let name = text.split('=').next().unwrap_or(text);
            match TAKEN.iter().find(|(taken, _)| *taken == name) {
                Some((_, instead)) => {
                    Err(self.wrong(option, &format!("`{name}` cannot be given here: {instead}")))
                }
                None => Ok(text.clone()),
            }
        };
        list.iter().map(good).collect()
    }

    /// Faults as JSON. Which there are, and what they may be, only a replica knows.
    pub(super) fn faults(
        &self,
        table: Option<&Spanned<Table>>,
    ) -> Result<Map<String, Value>, ScenarioError> {
        let Some(table) = table else {
            return Ok(Map::new());
        };
        let read = |(key, value): (&String, &toml::Value)| Some((key.clone(), json(value)?));
        let faults: Option<Map<String, Value>> = table.get_ref().iter().map(read).collect();
        faults.ok_or_else(|| self.wrong(table, "faults hold no dates, no nan and no inf"))
    }
}
