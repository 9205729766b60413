use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::result::fleet::ReplicaResult;

/// Least processor time that is divided, in seconds: the kernel counts in ticks of 10 ms, one of which is 10 %
/// of this.
const LEAST_S: f64 = 0.1;

/// Processor time of a run's own replicas, from the process table (`utime` and `stime`, to 10 ms):
/// from the start of the load to the end of the run. It is of all the work of a replica, of which
/// opening and sealing are a part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FleetCpu {
    /// Of the whole fleet by workflow that was taken up, in nanoseconds; absent when none was, or with
    /// less than 0.1 s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_workflow_ns: Option<f64>,
    /// Of the whole fleet by request, in nanoseconds; absent when there was none, with less than 0.1 s, and
    /// where states were replayed, since replays are no rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_request_ns: Option<f64>,
    /// Each replica.
    pub replicas: Vec<ReplicaCpu>,
}

/// Processor time of one replica.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplicaCpu {
    /// Position in the list of replicas.
    pub index: usize,
    /// All of it, in seconds.
    pub cpu_s: f64,
    /// Rounds whose last attempt went to it.
    pub requests: u64,
    /// Its part of a workflow of the whole load, in nanoseconds: those of all replicas add up to a
    /// workflow. Absent when there was none, or with less than 0.1 s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_workflow_ns: Option<f64>,
    /// By request that went to it, in nanoseconds; absent when none did, with less than 0.1 s, and where
    /// states were replayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_request_ns: Option<f64>,
}

impl FleetCpu {
    pub(in crate::result) fn of(
        replicas: &[ReplicaResult],
        workflows: u64,
        replayed: bool,
    ) -> Option<Self> {
        let by_request = |cpu_s, requests| by(cpu_s, requests).filter(|_| !replayed);
        let own = |replica: &ReplicaResult| {
            let cpu_s = replica
                .facts
                .cpu_s
                .filter(|_| replica.facts.started_by_run)?;
            let requests = replica.rounds.values().sum();
            Some(ReplicaCpu {
                index: replica.index,
                cpu_s,
                requests,
                per_workflow_ns: by(cpu_s, workflows),
                per_request_ns: by_request(cpu_s, requests),
            })
        };
        let replicas: Vec<ReplicaCpu> = replicas.iter().map(own).collect::<Option<_>>()?;
        let cpu_s = replicas.iter().map(|r| r.cpu_s).reduce(|a, b| a + b)?;
        let requests = replicas.iter().map(|r| r.requests).sum();
        Some(Self {
            per_workflow_ns: by(cpu_s, workflows),
            per_request_ns: by_request(cpu_s, requests),
            replicas,
        })
    }
}

/// Processor time by workflow or request; `None` where it is too little for ticks of 10 ms.
fn by(cpu_s: f64, count: u64) -> Option<f64> {
    (count > 0 && cpu_s >= LEAST_S).then(|| cpu_s * 1e9 / count as f64)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{Outcome, ReplicaFacts};

    fn replica(index: usize, cpu_s: Option<f64>, requests: u64) -> ReplicaResult {
        ReplicaResult {
            index,
            facts: ReplicaFacts {
                started_by_run: true,
                cpu_s,
                ..ReplicaFacts::default()
            },
            rounds: BTreeMap::from([(Outcome::Ok, requests)]),
            ..ReplicaResult::default()
        }
    }

    #[test]
    fn parts_of_a_workflow_add_up() {
        let fleet = [replica(0, Some(0.3), 100), replica(1, Some(0.1), 50)];
        let cpu = FleetCpu::of(&fleet, 50, false).expect("both can be read");
        let close = |value: Option<f64>, want: f64| {
            let value = value.expect("a figure");
            assert!((value - want).abs() < 1e-3, "{value} {want}");
        };
        close(cpu.per_workflow_ns, 8e6);
        close(cpu.per_request_ns, 0.4e9 / 150.0);
        close(cpu.replicas[0].per_request_ns, 3e6);
        close(cpu.replicas[1].per_workflow_ns, 2e6);
    }

    #[test]
    fn few_ticks_and_replays_give_no_quotient() {
        let fleet = [replica(0, Some(0.3), 100), replica(1, Some(0.09), 50)];
        let cpu = FleetCpu::of(&fleet, 50, false).unwrap();
        assert_eq!(cpu.replicas[1].per_request_ns, None, "nine ticks");
        assert!(cpu.per_request_ns.is_some());
        let cpu = FleetCpu::of(&fleet, 50, true).unwrap();
        assert_eq!(
            (cpu.per_request_ns, cpu.replicas[0].per_request_ns),
            (None, None)
        );
        assert!(
            cpu.per_workflow_ns.is_some(),
            "the replays are the workflow's"
        );
    }

    #[test]
    fn a_fleet_of_which_one_is_not_known_has_no_figure() {
        let fleet = [replica(0, Some(0.3), 100), replica(1, None, 50)];
        assert_eq!(FleetCpu::of(&fleet, 50, false), None);
        assert_eq!(FleetCpu::of(&[], 50, false), None);
        let mut given = replica(0, Some(0.3), 100);
        given.facts.started_by_run = false;
        assert_eq!(FleetCpu::of(&[given], 50, false), None);
    }
}
