use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::aead::Times;
use super::fleet::ReplicaResult;
use crate::kind::KindTally;
use crate::replay::ReplayTally;
use crate::{Latency, Outcome};

/// States that were sent back to several replicas at once, as the scenario asks for, and how often each
/// was carried out; over the whole run. Of the requests with one state one is an ordinary attempt; the
/// others stand here and in no other figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SingleUseResult {
    /// Where the run's own replicas record used states, as in `memory`; absent where that is not known or
    /// they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// Kinds of which states were replayed.
    pub kinds: Vec<ReplayedKind>,
}

/// The replayed states of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayedKind {
    /// Its name.
    pub kind: String,
    /// States that were replayed.
    pub states: u64,
    /// Requests with these states.
    pub requests: u64,
    /// Of these, those that ended well.
    pub ok: u64,
    /// Those whose state was refused.
    pub refused: u64,
    /// Those that ended in any other way, or had no reply.
    pub other: u64,
    /// States with which more than one request ended well.
    pub carried_out_again: u64,
    /// Most requests that ended well with one state.
    pub most_ok: u64,
    /// Time that the record of used states took (`store` of `Server-Timing`) in successful ordinary rounds
    /// of this kind; absent when none reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store_time: Option<Times>,
    /// Service time of the same rounds' positions, whose part the store's time is; absent without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<Times>,
}

impl SingleUseResult {
    /// `None` when no state was replayed.
    pub(super) fn of(
        names: &[String],
        kinds: &[KindTally],
        replays: &[ReplayTally],
        replicas: &[ReplicaResult],
    ) -> Option<Self> {
        let both = names.iter().zip(kinds).zip(replays);
        let kinds: Vec<ReplayedKind> = both
            .filter(|(_, replays)| replays.states > 0)
            .map(|((name, kind), replays)| ReplayedKind::of(name, kind, replays))
            .collect();
        (!kinds.is_empty()).then(|| Self {
            store: store(replicas),
            kinds,
        })
    }

    /// States with which more than one request ended well, of all kinds.
    pub fn carried_out_again(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.carried_out_again).sum()
    }

    /// Replayed states of all kinds.
    pub fn states(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.states).sum()
    }

    /// The measurement in one sentence.
    pub fn sentence(&self) -> String {
        let (again, states) = (self.carried_out_again(), self.states());
        let store = self.store.as_ref().map_or(String::new(), |store| {
            let whose = match store.as_str() {
                "memory" => ", which each replica keeps for itself",
                _ => "",
            };
            format!(" (used states are recorded: {store}{whose})")
        });
        match again {
            0 => format!("none of {states} replayed states was carried out more than once{store}"),
            _ => {
                let most = self.kinds.iter().map(|kind| kind.most_ok).max();
                format!(
                    "{again} of {states} replayed states were carried out more than once, up to {} \
                     times{store}",
                    most.unwrap_or(0)
                )
            }
        }
    }
}

impl ReplayedKind {
    fn of(name: &str, kind: &KindTally, replays: &ReplayTally) -> Self {
        let (mut store, mut service) = (Latency::new(), Latency::new());
        for round in &kind.rounds {
            if let Some(time) = round.store.as_deref() {
                store.merge(time);
                if let Some(whole) = round.outcomes.service(Outcome::Ok) {
                    service.merge(whole);
                }
            }
        }
        let sum = replays.sum;
        Self {
            kind: name.to_owned(),
            states: replays.states,
            requests: sum.requests,
            ok: sum.ok,
            refused: sum.refused,
            other: sum.requests - sum.ok - sum.refused,
            carried_out_again: replays.carried_out_again,
            most_ok: replays.most_ok,
            store_time: Times::of(&store),
            service: Times::of(&service),
        }
    }
}

/// Where all replicas record used states.
fn store(replicas: &[ReplicaResult]) -> Option<String> {
    let first = replicas.first()?.facts.store.clone()?;
    let same = |replica: &ReplicaResult| replica.facts.store.as_ref() == Some(&first);
    replicas.iter().all(same).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Replay;

    #[test]
    fn a_state_is_carried_out_again_when_two_replays_end_well() {
        let replay = |ok, refused| Replay {
            requests: 3,
            ok,
            refused,
        };
        let mut replays = [ReplayTally::default(); 2];
        for one in [replay(1, 2), replay(3, 0), replay(2, 0), replay(0, 0)] {
            replays[1].add(&one);
        }
        let names = ["echo", "redeem"].map(str::to_owned);
        let kinds = [KindTally::default(), KindTally::default()];
        let result = SingleUseResult::of(&names, &kinds, &replays, &[]).expect("some were");
        let [kind] = &result.kinds[..] else {
            panic!("one kind was replayed: {result:?}");
        };
        assert_eq!(
            (kind.kind.as_str(), kind.states, kind.requests),
            ("redeem", 4, 12)
        );
        assert_eq!((kind.ok, kind.refused, kind.other), (6, 2, 4));
        assert_eq!((kind.carried_out_again, kind.most_ok), (2, 3));
        let sentence = "2 of 4 replayed states were carried out more than once, up to 3 times";
        assert_eq!(result.sentence(), sentence);
        let nothing = [ReplayTally::default(); 2];
        assert_eq!(SingleUseResult::of(&names, &kinds, &nothing, &[]), None);
    }
}
