use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kind::{KindTally, Timed};

/// What each kind of workflow costs the server for the bytes that it sends: from `Server-Timing` (`open`,
/// `handle` and `seal` together) of successful rounds that had any of these, over the phases of `all`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExchangeResult {
    /// Kinds with such rounds, the dearest by time per byte first.
    pub kinds: Vec<ExchangeKind>,
}

/// What one kind costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExchangeKind {
    /// Its name.
    pub kind: String,
    /// Rounds that the figures are of.
    pub rounds: u64,
    /// Server time of one round, mean, in nanoseconds.
    pub server_ns_per_round: f64,
    /// Server time of one workflow that was taken up, mean, in nanoseconds.
    pub server_ns_per_workflow: f64,
    /// Server time over bytes of request bodies, in nanoseconds per byte.
    pub server_ns_per_request_byte: f64,
    /// Bytes of reply bodies over bytes of request bodies.
    pub response_bytes_per_request_byte: f64,
    /// Its share of the workflows, 0 to 1.
    pub workflow_share: f64,
    /// Its share of the server time of all kinds, 0 to 1.
    pub server_share: f64,
}

impl ExchangeResult {
    /// `None` when no server said how long it took.
    pub(super) fn of(names: &[String], kinds: &[KindTally]) -> Option<Self> {
        let summed = kinds.iter().map(|kind| {
            let mut sum = Timed::default();
            kind.rounds.iter().for_each(|round| sum.add(&round.timed));
            sum
        });
        let timed: Vec<Timed> = summed.collect();
        let server_ns: u64 = timed.iter().map(|sum| sum.server_ns).sum();
        let started: u64 = kinds.iter().map(|kind| kind.started).sum();
        let mut list: Vec<ExchangeKind> = names
            .iter()
            .zip(kinds)
            .zip(&timed)
            .filter(|((_, kind), sum)| kind.started > 0 && sum.rounds > 0 && sum.request_bytes > 0)
            .map(|((name, kind), sum)| {
                let time = sum.server_ns as f64;
                ExchangeKind {
                    kind: name.clone(),
                    rounds: sum.rounds,
                    server_ns_per_round: time / sum.rounds as f64,
                    server_ns_per_workflow: time / kind.started as f64,
                    server_ns_per_request_byte: time / sum.request_bytes as f64,
                    response_bytes_per_request_byte: sum.response_bytes as f64
                        / sum.request_bytes as f64,
                    workflow_share: kind.started as f64 / started as f64,
                    server_share: time / server_ns.max(1) as f64,
                }
            })
            .collect();
        list.sort_by(|a, b| {
            b.server_ns_per_request_byte
                .total_cmp(&a.server_ns_per_request_byte)
        });
        (!list.is_empty()).then_some(Self { kinds: list })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::RoundTally;

    fn kind(started: u64, rounds: &[(u64, u64, u64, u64)]) -> KindTally {
        let round = |&(rounds, server_ns, request_bytes, response_bytes): &(u64, u64, u64, u64)| {
            RoundTally {
                timed: Timed {
                    rounds,
                    server_ns,
                    request_bytes,
                    response_bytes,
                },
                ..RoundTally::default()
            }
        };
        KindTally {
            started,
            rounds: rounds.iter().map(round).collect(),
            ..KindTally::default()
        }
    }

    #[test]
    fn time_is_parted_over_bytes_rounds_and_workflows() {
        let names = ["echo", "nag", "silent"].map(str::to_owned);
        let kinds = [
            kind(30, &[(30, 3_000, 12_000, 24_000)]),
            kind(10, &[(10, 2_000, 4_000, 6_000), (10, 7_000, 8_000, 6_000)]),
            kind(10, &[(0, 0, 0, 0)]),
        ];
        let exchange = ExchangeResult::of(&names, &kinds).expect("there are times");
        let [nag, echo] = &exchange.kinds[..] else {
            panic!("two kinds were timed: {exchange:?}");
        };
        assert_eq!((nag.kind.as_str(), nag.rounds), ("nag", 20));
        assert_eq!(nag.server_ns_per_request_byte, 0.75);
        assert_eq!(nag.server_ns_per_round, 450.0);
        assert_eq!(nag.server_ns_per_workflow, 900.0);
        assert_eq!(nag.response_bytes_per_request_byte, 1.0);
        assert_eq!((nag.workflow_share, nag.server_share), (0.2, 0.75));
        assert_eq!(echo.server_ns_per_request_byte, 0.25);
        assert_eq!((echo.workflow_share, echo.server_share), (0.6, 0.25));
        assert_eq!(ExchangeResult::of(&names[2..], &kinds[2..]), None);
    }
}
