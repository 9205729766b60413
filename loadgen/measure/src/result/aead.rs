mod cpu;
mod key_use;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fleet::ReplicaResult;
use crate::kind::{KindTally, RoundTally};
use crate::{Latency, Outcome};

pub use cpu::{FleetCpu, ReplicaCpu};
pub use key_use::{KeyUse, Sealing};

/// What protecting request states cost: times from `Server-Timing` (`open`, `handle` and `seal`) of
/// successful rounds that reported an open or a seal time, over the phases of `all`, and what the
/// processes of the run's own fleet used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AeadResult {
    /// By kind and round; only rounds that reported either time.
    pub rounds: Vec<AeadRound>,
    /// Opening, over all those rounds; absent when never reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<Times>,
    /// Sealing, over all those rounds; absent when never reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<Times>,
    /// Both together in one round.
    pub open_and_seal: Times,
    /// The client's service times of the successful rounds of those kinds and positions; absent when
    /// nothing was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<Times>,
    /// Sum of open and seal times over the sum of open, handle and seal times, 0 to 1; absent when
    /// no handle time was reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_share: Option<f64>,
    /// Sum of open and seal times over the sum of the service times of the same rounds; absent when
    /// that is 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_share: Option<f64>,
    /// Processor time of the replicas that the run started; absent when it started none, or one could
    /// not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<FleetCpu>,
    /// How fast the sealing keys are used up; absent where the algorithm is not known, since the run
    /// did not start the replicas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_use: Option<KeyUse>,
}

/// Opening and sealing in one round of one kind, whose states are mostly of one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AeadRound {
    /// Name of the kind.
    pub kind: String,
    /// Position in the workflow, from 0.
    pub round: u16,
    /// Opening the state that was sent; absent when not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<Times>,
    /// Mean size of the states that were sent, as text, in bytes; absent when there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened_mean_bytes: Option<f64>,
    /// Sealing the next state; absent when not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<Times>,
    /// Mean size of the states that were received, as text, in bytes; absent when there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sealed_mean_bytes: Option<f64>,
    /// As [`AeadResult::server_share`], of this round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_share: Option<f64>,
    /// As [`AeadResult::round_share`], of this round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_share: Option<f64>,
}

/// Figures of a distribution of times whose histogram stands elsewhere, or nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Times {
    /// How many times were recorded; at least 1.
    #[schemars(range(min = 1))]
    pub count: u64,
    /// Arithmetic mean, in nanoseconds.
    pub mean_ns: f64,
    /// Quantile 0.5, in nanoseconds.
    pub p50_ns: u64,
    /// Quantile 0.99, in nanoseconds.
    pub p99_ns: u64,
}

impl Times {
    /// Figures of a distribution; `None` when it is empty.
    pub fn of(latency: &Latency) -> Option<Self> {
        Some(Self {
            count: latency.count(),
            mean_ns: latency.mean_ns()?,
            p50_ns: latency.quantile_ns(0.5)?,
            p99_ns: latency.quantile_ns(0.99)?,
        })
    }
}

/// What beside the rounds says what sealing cost.
pub(super) struct Around<'a> {
    /// How long the phases of the rounds lasted, in seconds.
    pub(super) measured_s: f64,
    /// Workflows that were taken up, warm-up included.
    pub(super) started: u64,
    pub(super) replicas: &'a [ReplicaResult],
    /// Whether states were replayed: replays are no rounds, but cost the replicas as much.
    pub(super) replayed: bool,
}

impl AeadResult {
    /// `None` when no open and no seal time was reported.
    pub(super) fn of(names: &[String], kinds: &[KindTally], around: &Around<'_>) -> Option<Self> {
        let mut rounds = Vec::new();
        let mut all = Sum::default();
        for (name, kind) in names.iter().zip(kinds) {
            for (round, tally) in (0_u16..).zip(&kind.rounds) {
                let mut one = Sum::default();
                one.add(tally);
                if one.both.is_empty() {
                    continue;
                }
                all.add(tally);
                rounds.push(AeadRound {
                    kind: name.clone(),
                    round,
                    open: Times::of(&one.open),
                    opened_mean_bytes: tally.state_sent.mean_bytes(),
                    seal: Times::of(&one.seal),
                    sealed_mean_bytes: tally.state_received.mean_bytes(),
                    server_share: one.server_share(),
                    round_share: one.round_share(),
                });
            }
        }
        Some(Self {
            open_and_seal: Times::of(&all.both)?,
            rounds,
            open: Times::of(&all.open),
            seal: Times::of(&all.seal),
            service: Times::of(&all.service),
            server_share: all.server_share(),
            round_share: all.round_share(),
            cpu: FleetCpu::of(around.replicas, around.started, around.replayed),
            key_use: (!around.replayed)
                .then(|| KeyUse::of(around.replicas, all.seal.count(), around.measured_s))
                .flatten(),
        })
    }
}

/// Distributions and sums over rounds that reported an open or a seal time.
#[derive(Default)]
struct Sum {
    open: Latency,
    seal: Latency,
    both: Latency,
    service: Latency,
    handle_ns: u64,
    service_ns: u64,
}

impl Sum {
    fn add(&mut self, tally: &RoundTally) {
        let Some(both) = tally.open_and_seal.as_deref() else {
            return;
        };
        self.both.merge(both);
        for (sum, part) in [
            (&mut self.open, tally.open.as_deref()),
            (&mut self.seal, tally.seal.as_deref()),
            (&mut self.service, tally.outcomes.service(Outcome::Ok)),
        ] {
            if let Some(part) = part {
                sum.merge(part);
            }
        }
        self.handle_ns = self.handle_ns.saturating_add(tally.timed_handle_ns);
        self.service_ns = self.service_ns.saturating_add(tally.timed_service_ns);
    }

    fn server_share(&self) -> Option<f64> {
        let both = self.both.sum_ns() as f64;
        (self.handle_ns > 0).then(|| both / (both + self.handle_ns as f64))
    }

    fn round_share(&self) -> Option<f64> {
        (self.service_ns > 0).then(|| self.both.sum_ns() as f64 / self.service_ns as f64)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{RoundSample, ServerTiming};

    const US: Duration = Duration::from_micros(1);

    fn sample(open: Option<u32>, seal: Option<u32>) -> RoundSample {
        RoundSample {
            kind: 0,
            round: 0,
            outcome: Outcome::Ok,
            attempts: 1,
            intended: Duration::ZERO,
            ready: Duration::ZERO,
            first_sent: Some(Duration::ZERO),
            sent: Some(Duration::ZERO),
            done: 400 * US,
            replica: 0,
            minted_by: None,
            request_bytes: 100,
            response_bytes: Some(100),
            state_sent_bytes: open.map(|_| 2000),
            state_received_bytes: seal.map(|_| 3000),
            server: ServerTiming {
                open: open.map(|us| us * US),
                handle: Some(12 * US),
                seal: seal.map(|us| us * US),
                store: None,
            },
            reused_connection: true,
        }
    }

    fn kind(samples: &[RoundSample]) -> KindTally {
        let mut round = RoundTally::default();
        for sample in samples {
            round.record(sample, sample.done, Some(sample.done));
        }
        KindTally {
            rounds: vec![round],
            ..KindTally::default()
        }
    }

    fn of(kinds: &[KindTally]) -> Option<AeadResult> {
        let names = ["first".to_owned(), "second".to_owned()];
        let around = Around {
            replayed: false,
            measured_s: 2.0,
            started: 4,
            replicas: &[],
        };
        AeadResult::of(&names, kinds, &around)
    }

    #[test]
    fn shares_are_sums_over_sums_of_the_same_rounds() {
        let asks = kind(&[sample(None, Some(4)); 3]);
        // The last of them reports nothing, so that its 400 us belong to no share.
        let answers = kind(&[sample(Some(2), Some(6)), sample(None, None)]);
        let aead = of(&[asks, answers]).expect("there are times");
        let (both, handled, served) = (3.0 * 4.0 + 8.0, 4.0 * 12.0, 4.0 * 400.0);
        let close = |share: Option<f64>, want: f64| {
            let share = share.expect("a share");
            assert!((share - want).abs() < 1e-12, "{share} {want}");
        };
        close(aead.server_share, both / (both + handled));
        close(aead.round_share, both / served);
        close(aead.rounds[0].server_share, 4.0 / 16.0);
        close(aead.rounds[1].round_share, 8.0 / 400.0);
        assert_eq!(aead.open_and_seal.count, 4);
        assert_eq!(aead.open_and_seal.mean_ns, 5000.0);
        assert_eq!(aead.open.map(|t| (t.count, t.p50_ns)), Some((1, 2000)));
        assert_eq!(aead.seal.map(|t| t.count), Some(4));
        assert_eq!(aead.rounds[1].opened_mean_bytes, Some(2000.0));
        assert_eq!(aead.rounds[0].opened_mean_bytes, None);
        assert_eq!(aead.rounds[0].sealed_mean_bytes, Some(3000.0));
        assert_eq!((aead.cpu, aead.key_use), (None, None));
    }

    #[test]
    fn rounds_without_states_are_no_measurement() {
        assert_eq!(of(&[kind(&[sample(None, None)])]), None);
        assert_eq!(of(&[]), None);
    }
}
