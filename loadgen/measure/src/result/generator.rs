use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::backlog::Backlog;
use super::figures::LatencyFigures;
use super::senders::{locked, starved};
use crate::SlotLimit;

/// What the load generator knows about itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GeneratorFacts {
    /// Threads that sent load.
    pub threads: u64,
    /// Processor time of the process during the run, in seconds; absent when not readable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_s: Option<f64>,
    /// Time that its threads stood ready without a processor, in seconds; absent when not
    /// readable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_queue_delay_s: Option<f64>,
    /// Resident memory after the first 5 s, in bytes; absent in shorter runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rss_at_5s_bytes: Option<u64>,
    /// Resident memory at the end, in bytes; absent when not readable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rss_at_end_bytes: Option<u64>,
}

/// The load generator, seen as a possible bottleneck.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GeneratorResult {
    /// What it knows about itself.
    #[serde(flatten)]
    pub facts: GeneratorFacts,
    /// From when a first round could have been sent to when it was; absent when none was sent. It could
    /// when it was due, or when what held it back on purpose was over: a back-off, or a replica that
    /// refuses others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lateness: Option<LatencyFigures>,
    /// Processor time that threads spent watching the clock to be precise, in seconds; absent without
    /// `precise = true`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awake_s: Option<f64>,
    /// Measured intervals that ended before they began and were taken as 0.
    pub inverted_intervals: u64,
    /// What limited the run.
    pub bound_by: Bound,
    /// Why, in one sentence.
    pub bound_reason: String,
}

/// What limited a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The plan: everything was started as planned, and the target kept up.
    Plan,
    /// The limit on workflows in flight.
    Workers,
    /// The target: it fell behind an open load, or its rate limit held rounds back. In a closed
    /// workload it always is the limit, unless the generator was.
    Target,
    /// The load generator. The run says nothing about the target.
    Generator,
    /// An interrupt ended it early.
    Interrupt,
}

/// What [`judge`] looks at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evidence<'a> {
    pub(crate) facts: &'a GeneratorFacts,
    pub(crate) duration_s: f64,
    pub(crate) closed: bool,
    pub(crate) interrupted: bool,
    pub(crate) planned: u64,
    pub(crate) no_free_worker: u64,
    /// Rounds that were held back to the end because a rate limit refused others.
    pub(crate) held_back: u64,
    /// Workflows not started or failed by the generator's own fault.
    pub(crate) own_faults: u64,
    /// Connections that the scenario allows.
    pub(crate) connections: Option<u64>,
    /// Time that requests waited until one could be sent, by [`SlotLimit::index`].
    pub(crate) slot_wait_ns: [u64; SlotLimit::ALL.len()],
    /// Sum of all response times, of whatever outcome.
    pub(crate) response_sum_ns: u64,
    pub(crate) backlog: Backlog,
    pub(crate) lateness: Option<&'a LatencyFigures>,
    /// Mean response time of successful first rounds, in nanoseconds.
    pub(crate) response_mean_ns: Option<f64>,
}

/// A 99th percentile of lateness below this is ordinary scheduling and timer granularity.
const LATENESS_P99: Duration = Duration::from_millis(20);
/// Share of all response time that may be waiting for a connection or a stream.
const SLOT_SHARE: f64 = 0.25;
/// Share of the mean response time that may be the generator's own lateness.
const LATENESS_SHARE: f64 = 0.25;
/// Share of planned workflows that may be lost by the generator's own fault.
const FAULT_SHARE: f64 = 0.01;
/// Share of planned workflows that may find no free worker before that counts as the limit.
const NO_WORKER_SHARE: f64 = 0.01;

/// Rounds held back to the end, as a share of planned workflows, before that counts as the limit.
const HELD_SHARE: f64 = 0.01;

/// Says what limited a run. The limits above are ours: they are set so that the error that the
/// generator adds stays below what the figures are read for.
pub(crate) fn judge(evidence: &Evidence<'_>) -> (Bound, String) {
    let share = |count: u64| count as f64 / evidence.planned.max(1) as f64;
    if share(evidence.own_faults) > FAULT_SHARE {
        let reason = format!(
            "{} of {} planned workflows were lost by faults of the load generator",
            evidence.own_faults, evidence.planned
        );
        return (Bound::Generator, reason);
    }
    let late = sends_late(evidence);
    let starved = starved(evidence.facts, evidence.duration_s, late.is_some());
    let slots = slots(evidence);
    let held = late.is_some() || slots.is_some();
    let locked = evidence
        .lateness
        .filter(|_| held && !evidence.closed)
        .and_then(|lateness| locked(lateness, evidence.slot_wait_ns.iter().sum()));
    if let Some(reason) = starved.or(locked).or(slots).or(late) {
        return (Bound::Generator, reason);
    }
    if evidence.interrupted {
        return (Bound::Interrupt, "an interrupt ended the run".to_owned());
    }
    if share(evidence.no_free_worker) > NO_WORKER_SHARE {
        let reason = format!(
            "{} of {} planned workflows found no free worker: the target is slower than the \
             offered load, or the limit on workflows in flight is too low",
            evidence.no_free_worker, evidence.planned
        );
        return (Bound::Workers, reason);
    }
    if share(evidence.held_back) > HELD_SHARE {
        let reason = format!(
            "the target's rate limit: {} rounds were held back by it to the end of the run",
            evidence.held_back
        );
        return (Bound::Target, reason);
    }
    if evidence.closed {
        let reason = "a closed workload goes as fast as the target answers".to_owned();
        return (Bound::Target, reason);
    }
    if let Some(reason) = evidence.backlog.fell_behind() {
        return (Bound::Target, reason);
    }
    (
        Bound::Plan,
        "nothing, the load was offered as planned".to_owned(),
    )
}

/// That sends came so late that it shows in the response times, if they did.
fn sends_late(evidence: &Evidence<'_>) -> Option<String> {
    let lateness = evidence.lateness.filter(|_| !evidence.closed)?;
    let response = evidence.response_mean_ns?;
    let late = u128::from(lateness.p99_ns) > LATENESS_P99.as_nanos()
        && lateness.mean_ns > LATENESS_SHARE * response;
    late.then(|| {
        format!(
            "the load generator sent late: {:.0} % of the mean response time of round 0 is its \
             own lateness",
            100.0 * lateness.mean_ns / response
        )
    })
}

/// Why requests stood in line inside the generator, if they did for long: the server then saw
/// other arrivals than the plan has.
fn slots(evidence: &Evidence<'_>) -> Option<String> {
    let share = |limit: SlotLimit| {
        evidence.slot_wait_ns[limit.index()] as f64 / evidence.response_sum_ns.max(1) as f64
    };
    let longest = SlotLimit::ALL
        .into_iter()
        .max_by(|a, b| share(*a).total_cmp(&share(*b)))
        .filter(|limit| share(*limit) > SLOT_SHARE)?;
    let percent = 100.0 * share(longest);
    let allowed = evidence
        .connections
        .map_or_else(String::new, |n| format!("{n} "));
    Some(match longest {
        SlotLimit::Connections => format!(
            "connection cap: {percent:.0} % of all response time was waiting for one of the \
             {allowed}connections; raise `connections` in [load]"
        ),
        SlotLimit::Streams => format!(
            "HTTP/2 stream cap: {percent:.0} % of all response time was waiting for a stream on one \
             of the {allowed}connections, since the server allows only so many at one time; raise \
             `connections` in [load]"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Latency;

    fn facts(cpu_s: f64) -> GeneratorFacts {
        GeneratorFacts {
            threads: 2,
            cpu_s: Some(cpu_s),
            ..GeneratorFacts::default()
        }
    }

    fn evidence(facts: &GeneratorFacts) -> Evidence<'_> {
        Evidence {
            facts,
            duration_s: 10.0,
            closed: false,
            interrupted: false,
            planned: 1000,
            no_free_worker: 0,
            held_back: 0,
            own_faults: 0,
            connections: Some(4),
            slot_wait_ns: [0; 2],
            response_sum_ns: 1_000_000_000,
            backlog: Backlog::default(),
            lateness: None,
            response_mean_ns: Some(1e6),
        }
    }

    #[test]
    fn an_idle_generator_is_not_to_blame() {
        let facts = facts(10.0);
        assert_eq!(judge(&evidence(&facts)).0, Bound::Plan);
        let closed = Evidence {
            closed: true,
            ..evidence(&facts)
        };
        assert_eq!(judge(&closed).0, Bound::Target);
        let workers = Evidence {
            no_free_worker: 500,
            ..evidence(&facts)
        };
        assert_eq!(judge(&workers).0, Bound::Workers);
    }

    #[test]
    fn a_rate_limit_that_held_rounds_back_is_named() {
        let facts = facts(1.0);
        for closed in [false, true] {
            let held = |held_back| {
                judge(&Evidence {
                    held_back,
                    closed,
                    ..evidence(&facts)
                })
            };
            let (bound, reason) = held(11);
            assert_eq!(bound, Bound::Target);
            assert_eq!(
                reason,
                "the target's rate limit: 11 rounds were held back by it to the end of the run"
            );
            assert!(!held(10).1.contains("rate limit"), "1 % is not the limit");
        }
    }

    #[test]
    fn a_cap_that_requests_wait_for_is_named() {
        let facts = facts(1.0);
        let waited = |slot_wait_ns| {
            judge(&Evidence {
                slot_wait_ns,
                ..evidence(&facts)
            })
        };
        assert_eq!(waited([200_000_000, 0]).0, Bound::Plan);
        let (bound, reason) = waited([400_000_000, 1]);
        assert_eq!(bound, Bound::Generator);
        assert!(
            reason.starts_with("connection cap: 40 %") && reason.contains("the 4 connections"),
            "{reason}"
        );
        let (bound, reason) = waited([0, 900_000_000]);
        assert_eq!(bound, Bound::Generator);
        assert!(reason.starts_with("HTTP/2 stream cap: 90 %"), "{reason}");
    }

    /// 1000 first rounds, one in ten held for 100 ms by whatever it was.
    fn held_now_and_then() -> LatencyFigures {
        let mut latency = Latency::new();
        for n in 0..1000 {
            latency.record(Duration::from_millis(if n % 10 == 0 { 100 } else { 0 }));
        }
        LatencyFigures::of(&latency).unwrap()
    }

    #[test]
    fn each_way_to_send_other_arrivals_than_planned_is_named() {
        let (idle, queued) = (facts(1.0), {
            let mut facts = facts(1.0);
            facts.run_queue_delay_s = Some(2.0);
            facts
        });
        let figures = held_now_and_then();
        let mut throughout = Latency::new();
        throughout.record(Duration::from_millis(90));
        let throughout = LatencyFigures::of(&throughout).unwrap();
        for (facts, lateness, slot_wait_ns, want) in [
            (&idle, &throughout, [90_000_000, 0], "connection cap: "),
            (&idle, &throughout, [0, 90_000_000], "HTTP/2 stream cap: "),
            (&queued, &figures, [0, 0], "starved CPU: "),
            (&idle, &figures, [figures.sum_ns, 0], "phase lock: "),
            (&idle, &figures, [0, figures.sum_ns], "phase lock: "),
            (&idle, &figures, [0, 0], "the load generator sent late: "),
        ] {
            let (bound, reason) = judge(&Evidence {
                slot_wait_ns,
                response_sum_ns: 200_000_000,
                lateness: Some(lateness),
                ..evidence(facts)
            });
            assert_eq!(bound, Bound::Generator, "{want}");
            assert!(reason.starts_with(want), "{want}: {reason}");
        }
    }

    #[test]
    fn a_busy_late_or_faulty_generator_is() {
        assert_eq!(judge(&evidence(&facts(19.5))).0, Bound::Generator);
        let idle = facts(1.0);
        let faulty = Evidence {
            own_faults: 11,
            ..evidence(&idle)
        };
        assert_eq!(judge(&faulty).0, Bound::Generator);
        let mut latency = Latency::new();
        latency.record(Duration::from_millis(30));
        let figures = LatencyFigures::of(&latency);
        let late = Evidence {
            lateness: figures.as_ref(),
            ..evidence(&idle)
        };
        assert_eq!(judge(&late).0, Bound::Generator);
        let late_but_slow_target = Evidence {
            response_mean_ns: Some(1e9),
            ..late
        };
        assert_eq!(judge(&late_but_slow_target).0, Bound::Plan);
    }
}
