use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::result::fleet::ReplicaResult;

const SECONDS_PER_DAY: f64 = 86_400.0;

/// What a replica protects request states with, as the program that started it knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sealing {
    /// The algorithm.
    pub algorithm: String,
    /// The cryptography library.
    pub backend: String,
    /// Base-2 logarithm of the states that one key may seal, counted over all that hold it; absent
    /// when the algorithm sets no bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal_bound_log2: Option<u32>,
    /// Whether every replica of the fleet seals with the same key.
    pub key_shared: bool,
}

/// How fast sealing keys are used up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KeyUse {
    /// What the fleet seals with.
    #[serde(flatten)]
    pub sealing: Sealing,
    /// Keys that are sealed with at one time: 1 when it is shared, else one for each replica.
    pub keys: u64,
    /// States sealed per second of the measured load by the whole fleet: those in successful answers
    /// that reported a seal time.
    pub seals_per_s: f64,
    /// The same by key; with keys of their own, the mean over the replicas.
    pub seals_per_s_and_key: f64,
    /// Days until a key has sealed as many states as it may, at that rate for all that time; absent
    /// without a bound or without seals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days_to_bound: Option<f64>,
}

impl KeyUse {
    /// `None` where not all replicas are known to seal with the same algorithm, or the load took no
    /// time.
    pub(super) fn of(replicas: &[ReplicaResult], seals: u64, measured_s: f64) -> Option<Self> {
        let sealing = replicas.first()?.facts.sealing.clone()?;
        let alike = |replica: &ReplicaResult| replica.facts.sealing.as_ref() == Some(&sealing);
        if measured_s <= 0.0 || !replicas.iter().all(alike) {
            return None;
        }
        let keys = match sealing.key_shared {
            true => 1,
            false => replicas.len() as u64,
        };
        let seals_per_s = seals as f64 / measured_s;
        let seals_per_s_and_key = seals_per_s / keys as f64;
        let bound = sealing.seal_bound_log2;
        Some(Self {
            days_to_bound: bound.and_then(|log2| days(log2, seals_per_s_and_key)),
            sealing,
            keys,
            seals_per_s,
            seals_per_s_and_key,
        })
    }
}

/// Days in which `2^log2` states are sealed at so many per second.
fn days(log2: u32, per_s: f64) -> Option<f64> {
    let days = f64::from(log2).exp2() / per_s / SECONDS_PER_DAY;
    days.is_finite().then_some(days)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReplicaFacts;

    fn fleet(bound: Option<u32>, key_shared: bool) -> Vec<ReplicaResult> {
        let replica = |index| ReplicaResult {
            index,
            facts: ReplicaFacts {
                sealing: Some(Sealing {
                    algorithm: "aes-256-gcm".into(),
                    backend: "ring".into(),
                    seal_bound_log2: bound,
                    key_shared,
                }),
                ..ReplicaFacts::default()
            },
            ..ReplicaResult::default()
        };
        (0..4).map(replica).collect()
    }

    /// 2^32 = 4294967296 states at 1000 a second last 4294967.296 s, which are 49.710 days; four
    /// keys share the work, and last four times as long.
    #[test]
    fn a_bound_is_so_many_days_away() {
        let shared = KeyUse::of(&fleet(Some(32), true), 5000, 5.0).expect("all is known");
        assert_eq!((shared.keys, shared.seals_per_s), (1, 1000.0));
        let days = shared.days_to_bound.expect("there is a bound");
        assert!((days - 4_294_967.296 / 86_400.0).abs() < 1e-9, "{days}");
        let own = KeyUse::of(&fleet(Some(32), false), 5000, 5.0).expect("all is known");
        assert_eq!((own.keys, own.seals_per_s_and_key), (4, 250.0));
        let longer = own.days_to_bound.expect("there is a bound");
        assert!((longer / days - 4.0).abs() < 1e-12, "{longer}");
        let wide = KeyUse::of(&fleet(Some(80), true), 5000, 5.0).expect("all is known");
        let ratio = wide.days_to_bound.expect("there is a bound") / days;
        assert!((ratio / 2_f64.powi(48) - 1.0).abs() < 1e-12, "{ratio}");
    }

    #[test]
    fn without_bound_rate_or_knowledge_nothing_is_said() {
        let none = KeyUse::of(&fleet(None, true), 5000, 5.0).expect("all is known");
        assert_eq!(none.days_to_bound, None);
        let idle = KeyUse::of(&fleet(Some(32), true), 0, 5.0).expect("all is known");
        assert_eq!(idle.days_to_bound, None);
        assert_eq!(KeyUse::of(&fleet(Some(32), true), 5000, 0.0), None);
        let mut mixed = fleet(Some(32), true);
        mixed[3].facts.sealing = None;
        assert_eq!(KeyUse::of(&mixed, 5000, 5.0), None);
        assert_eq!(KeyUse::of(&[], 5000, 5.0), None);
    }
}
