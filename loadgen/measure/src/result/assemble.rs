use std::collections::BTreeMap;

use super::achieved::{Achieved, Ended};
use super::aead::{AeadResult, Around};
use super::backlog::Backlog;
use super::checks::{self, Counts};
use super::clock::RunClock;
use super::conclude;
use super::delayed_ack;
use super::event::EventResult;
use super::exchange::ExchangeResult;
use super::figures::LatencyFigures;
use super::findings::{FailureExample, Finding, FindingCode};
use super::fleet::{DeviationCount, Matrix, MatrixCell, ReplicaFacts, ReplicaResult};
use super::generator::{self, Evidence, GeneratorFacts, GeneratorResult};
use super::intervals::Intervals;
use super::load::{
    ConnectionFacts, ConnectionResult, InFlight, LoadResult, SecondResult, SecondRound,
    TraceContextResult, Workload,
};
use super::payload::PayloadResult;
use super::phase::Phased;
use super::principals::PrincipalsResult;
use super::rate_limit::{Parts, RateLimitResult};
use super::retry::RetryResult;
use super::run::{RunResult, SCHEMA_VERSION, ScenarioRecord, Tool};
use super::single_use::SingleUseResult;
use super::staircase::Staircase;
use super::steady::Measured;
use super::threshold::Threshold;
use super::throttle::{Admitted, ThrottleResult};
use super::verdict::{self, Status, Verdict};
use super::work::KindResult;
use crate::by_outcome::{ByOutcome, merge_optional};
use crate::finished::{SecondFigures, Series};
use crate::kind::KindTally;
use crate::phase_tally::{PhaseTally, Totals};
use crate::seconds::Unread;
use crate::{Environment, Latency, NotStarted, Outcome, Recorder, SlotLimit};

/// What a result holds beside the samples: facts that the driver and the command line know.
#[derive(Debug, Clone)]
pub struct RunFacts {
    /// The program.
    pub tool: Tool,
    /// What was run.
    pub scenario: ScenarioRecord,
    /// Seed of the schedule and of every random choice.
    pub seed: u64,
    /// Options of the run that are not in the scenario.
    pub options: BTreeMap<String, serde_json::Value>,
    /// URLs that were given as targets.
    pub targets: Vec<String>,
    /// The replicas in the order of the recorder's shape. Ones that are missing here are known
    /// by their URL only.
    pub replicas: Vec<ReplicaFacts>,
    /// The machine.
    pub environment: Environment,
    /// When and how long.
    pub clock: RunClock,
    /// What the scenario let happen to replicas.
    pub events: Vec<EventResult>,
    /// Kinds whose states the scenario breaks before they are sent back.
    pub breaks_states: Vec<String>,
    /// Fixed answers that no question asked for, by kind.
    pub unused_answers: BTreeMap<String, Vec<String>>,
    /// What load was meant.
    pub workload: Workload,
    /// Workflows that the plan held.
    pub planned: u64,
    /// Workflows in flight, if somebody looked.
    pub in_flight: Option<InFlight>,
    /// Limit and peak of connections.
    pub connections: ConnectionFacts,
    /// What was said or seen when rounds failed.
    pub failures: Vec<FailureExample>,
    /// The load generator's own use of the machine.
    pub generator: GeneratorFacts,
    /// Limits on figures, the implied one included.
    pub thresholds: Vec<Threshold>,
    /// Whether an interrupt ended the run.
    pub interrupted: bool,
    /// Whether the run is still going on.
    pub partial: bool,
}

impl RunResult {
    /// Makes the result of a run from its facts and the merged samples of all threads.
    pub fn new(facts: RunFacts, samples: &Recorder) -> Self {
        let phased = Phased::new(samples, facts.clock.load_s);
        let kinds = phased.kinds();
        let all = KindTally::together(&kinds);
        let totals = Totals::of(samples.parts.iter().flat_map(|part| &part.kinds));
        let load = load_result(&facts, samples, phased, &totals, &all);
        let counts = Counts {
            attempted: totals.attempted,
            superseded: totals.superseded,
            started_by_principal: samples.principals.as_ref().map(|all| all.started()),
            partial: facts.partial,
            duration_s: facts.clock.duration_s,
            sojourn_s: totals.sojourn_ns as f64 / 1e9,
        };
        let together = KindResult::of("all", &all);
        let replicas = replicas(&facts.replicas, samples);
        let single_use =
            SingleUseResult::of(&samples.shape().kinds, &kinds, &samples.replays, &replicas);
        let around = Around {
            replayed: single_use.is_some(),
            measured_s: load.measured_s,
            started: load.started,
            replicas: &replicas,
        };
        let names = samples.shape().kinds.iter().zip(&*kinds);
        let of_kinds: Vec<KindResult> = names
            .map(|(name, kind)| KindResult::of(name, kind))
            .collect();
        let measured = (!facts.partial).then(|| Measured::new(samples, phased));
        let throttle = throttle(samples, phased);
        let rate_limit = RateLimitResult::of(&Parts {
            samples,
            phased,
            load: &load,
            sojourn_s: counts.sojourn_s,
            throttle: throttle.as_ref(),
            replicas: &replicas,
            events: &facts.events,
        });
        let mut result = Self {
            schema_version: SCHEMA_VERSION,
            verdict: Verdict {
                status: Status::Good,
                reasons: Vec::new(),
            },
            findings: Vec::new(),
            thresholds: Vec::new(),
            checks: checks::check(&load, &counts),
            generator: generator_result(&facts, samples, phased, &load, &together),
            all: together,
            retry: RetryResult::of(samples, &kinds, phased, measured.as_ref()),
            payload: PayloadResult::of(samples, &of_kinds, facts.workload.round_cap),
            kinds: of_kinds,
            staircase: None,
            phases: phased.results(),
            events: facts.events,
            breaks_states: facts.breaks_states,
            unused_answers: facts.unused_answers,
            warmup_only: phased.warmup_only,
            steady: None,
            matrix: matrix(samples),
            aead: AeadResult::of(&samples.shape().kinds, &kinds, &around),
            exchange: ExchangeResult::of(&samples.shape().kinds, &kinds),
            throttle,
            rate_limit,
            single_use,
            trace_context: trace_context(samples.wire.traced),
            principals: samples.principals.as_deref().map(PrincipalsResult::of),
            replicas,
            connections: connections(facts.connections, samples),
            seconds: seconds(samples),
            load,
            failures: facts.failures,
            tool: facts.tool,
            scenario: facts.scenario,
            seed: facts.seed,
            options: facts.options,
            targets: facts.targets,
            interrupted: facts.interrupted,
            partial: facts.partial,
            clock: facts.clock,
            environment: facts.environment,
        };
        let mut unread = None;
        if let Some(measured) = &measured {
            result.staircase = Staircase::of(&result.phases);
            result.give_intervals(measured.intervals());
            result.steady = Some(measured.steady(phased));
            result.leave_out(measured.unread());
            unread = unread_finding(measured.unread());
        }
        result.thresholds = facts.thresholds.iter().map(|t| t.judge(&result)).collect();
        result.findings = conclude::findings(&result, clipped(samples));
        result.findings.extend(delayed_ack::findings(samples));
        result.findings.extend(unread);
        result.verdict = verdict::judge(&result);
        result
    }

    /// Leaves out what could not be read back, so that it cannot stop the file from being written.
    fn leave_out(&mut self, unread: &[Unread]) {
        for unread in unread {
            if let (Series::Round(round), Some(second)) =
                (unread.series, self.seconds.get_mut(unread.second))
            {
                second.rounds.retain(|one| one.round != round);
            }
        }
    }

    /// Puts intervals to the response times of all kinds together, and of the only kind that was
    /// run, which are the same.
    fn give_intervals(&mut self, intervals: &Intervals) {
        let mut busy: Vec<&mut KindResult> =
            self.kinds.iter_mut().filter(|k| k.started > 0).collect();
        let only = match &mut busy[..] {
            [only] => Some(&mut **only),
            _ => None,
        };
        for kind in [Some(&mut self.all), only].into_iter().flatten() {
            kind.give_intervals(intervals);
        }
    }
}

/// Counts are of everything, so that nothing is lost; rates are of the headline phases.
fn load_result(
    facts: &RunFacts,
    samples: &Recorder,
    phased: Phased<'_>,
    totals: &Totals,
    all: &KindTally,
) -> LoadResult {
    let measured_s = phased.measured_s();
    let per_s = |count: u64| (measured_s > 0.0).then(|| count as f64 / measured_s);
    LoadResult {
        workload: facts.workload.clone(),
        planned: facts.planned,
        started: totals.started,
        not_started: NotStarted::ALL
            .into_iter()
            .map(|cause| (cause, samples.not_started_count(cause)))
            .filter(|(_, count)| *count > 0)
            .collect(),
        outcomes: by_outcome(totals.outcomes),
        rounds: totals.rounds,
        rounds_sent: totals.rounds_sent,
        never_sent: by_outcome(totals.never_sent),
        attempts: totals.attempts,
        attempts_sent: totals.attempts_sent,
        measured_s,
        offered_per_s: (facts.workload.arrival_rate_per_s)
            .and_then(|_| per_s(phased.sum(PhaseTally::offered))),
        started_per_s: per_s(phased.sum(PhaseTally::started)),
        throughput_per_s: per_s(phased.sum(|part| part.ended_ok)),
        rounds_per_s: per_s(phased.sum(|part| part.answered)),
        achieved: (!facts.partial)
            .then(|| achieved(facts, samples, all))
            .flatten(),
        in_flight: facts.in_flight.clone(),
    }
}

fn achieved(facts: &RunFacts, samples: &Recorder, all: &KindTally) -> Option<Achieved> {
    let seconds = samples.seconds.counts().iter();
    let by_second: Vec<u64> = seconds.map(|second| second.ended).collect();
    let ended = all.workflows.total().max(1);
    Achieved::of(&Ended {
        phases: samples.phases.list(),
        load_s: facts.clock.load_s,
        by_second: &by_second,
        think_s: all.think_ns as f64 / 1e9 / ended as f64,
    })
}

fn counts(outcomes: &ByOutcome) -> BTreeMap<Outcome, u64> {
    by_outcome(Outcome::ALL.map(|outcome| outcomes.count(outcome)))
}

/// Counts by outcome, without those that are 0.
fn by_outcome(counts: [u64; Outcome::COUNT]) -> BTreeMap<Outcome, u64> {
    let counts = Outcome::ALL.into_iter().zip(counts);
    counts.filter(|(_, count)| *count > 0).collect()
}

fn generator_result(
    facts: &RunFacts,
    samples: &Recorder,
    phased: Phased<'_>,
    load: &LoadResult,
    all: &KindResult,
) -> GeneratorResult {
    let lateness = LatencyFigures::of(&samples.lateness);
    let not_started = |cause: NotStarted| samples.not_started_count(cause);
    let own_failures = load.outcomes.get(&Outcome::GeneratorFault);
    let awake_s = samples.awake.map(|awake| awake.as_secs_f64());
    // What is burnt on request is no sign of having too much to do.
    let busy = GeneratorFacts {
        cpu_s: facts.generator.cpu_s.map(|s| s - awake_s.unwrap_or(0.0)),
        ..facts.generator.clone()
    };
    let (bound_by, bound_reason) = generator::judge(&Evidence {
        facts: &busy,
        duration_s: facts.clock.duration_s,
        closed: facts.workload.arrival_rate_per_s.is_none(),
        interrupted: facts.interrupted,
        planned: facts.planned,
        no_free_worker: not_started(NotStarted::NoFreeWorker),
        held_back: (load.never_sent.get(&Outcome::Throttled)).map_or(0, |count| *count),
        own_faults: not_started(NotStarted::GeneratorFault)
            + not_started(NotStarted::RunEnded)
            + not_started(NotStarted::Late)
            + own_failures.copied().unwrap_or(0),
        connections: facts.connections.asked,
        slot_wait_ns: SlotLimit::ALL.map(|limit| {
            let waits = samples.wire.waits(limit);
            waits.map_or(0, Latency::sum_ns)
        }),
        backlog: Backlog::of(
            samples.seconds.counts(),
            &phased.whole_seconds(),
            shortest_ns(all),
        ),
        response_sum_ns: responses(samples).map(Latency::sum_ns).sum(),
        lateness: lateness.as_ref(),
        response_mean_ns: all
            .rounds
            .first()
            .and_then(|round| round.ok()?.response.as_ref())
            .map(|response| response.mean_ns),
    });
    GeneratorResult {
        facts: facts.generator.clone(),
        lateness,
        awake_s,
        inverted_intervals: samples.inverted,
        bound_by,
        bound_reason,
    }
}

/// The shortest service time of any successful round; 0 without one.
fn shortest_ns(all: &KindResult) -> u64 {
    let services = all
        .rounds
        .iter()
        .filter_map(|round| round.ok()?.service.as_ref());
    services.map(|service| service.min_ns).min().unwrap_or(0)
}

fn matrix(samples: &Recorder) -> Matrix {
    Matrix {
        replicas: samples.replicas.len(),
        cells: samples
            .matrix
            .cells()
            .map(|(minted_by, opened_by, cell)| MatrixCell {
                minted_by,
                opened_by,
                ok: cell.ok,
                state_rejected: cell.state_rejected,
                other: cell.other,
                service: cell.service.as_deref().and_then(LatencyFigures::of),
            })
            .collect(),
    }
}

fn replicas(facts: &[ReplicaFacts], samples: &Recorder) -> Vec<ReplicaResult> {
    let urls = samples.shape().replicas.iter();
    urls.zip(&samples.replicas)
        .enumerate()
        .map(|(index, (url, tally))| ReplicaResult {
            index,
            facts: facts.get(index).cloned().unwrap_or_else(|| ReplicaFacts {
                url: url.clone(),
                ..ReplicaFacts::default()
            }),
            rounds: counts(&tally.rounds),
            service: tally
                .rounds
                .service(Outcome::Ok)
                .and_then(LatencyFigures::of),
            connect: tally.connect.as_deref().and_then(LatencyFigures::of),
            reused_rounds: tally.reused,
            state_only_rounds: tally.state_only,
            too_large: tally.too_large,
            status_deviations: tally
                .deviations
                .sorted()
                .into_iter()
                .map(|(seen, count)| DeviationCount { seen, count })
                .collect(),
        })
        .collect()
}

fn throttle(samples: &Recorder, phased: Phased<'_>) -> Option<ThrottleResult> {
    let tally = samples.throttle.as_deref()?;
    let kinds = samples.parts.iter().flat_map(|part| &part.kinds);
    let superseded = kinds
        .flat_map(|kind| &kind.rounds)
        .map(|round| &round.superseded);
    let otherwise = superseded
        .map(|attempts| attempts.total() - attempts.count(Outcome::Throttled))
        .sum();
    let admitted = Admitted {
        ok: samples.seconds.counts().iter().map(|second| second.ok),
        seconds: phased.whole_seconds(),
    };
    Some(ThrottleResult::of(tally, otherwise, admitted))
}

fn connections(facts: ConnectionFacts, samples: &Recorder) -> ConnectionResult {
    let mut connect = None;
    for replica in &samples.replicas {
        merge_optional(&mut connect, replica.connect.as_deref());
    }
    ConnectionResult {
        facts,
        established: connect.as_deref().map_or(0, Latency::count),
        reused_rounds: samples.replicas.iter().map(|replica| replica.reused).sum(),
        resent: samples.wire.resent,
        moved: samples.wire.moved,
        slot_waits: SlotLimit::ALL
            .into_iter()
            .filter_map(|limit| Some((limit, LatencyFigures::of(samples.wire.waits(limit)?)?)))
            .collect(),
        connect: connect.as_deref().and_then(LatencyFigures::of),
    }
}

fn trace_context([attempts, body_bytes, header_bytes]: [u64; 3]) -> Option<TraceContextResult> {
    (attempts > 0).then_some(TraceContextResult {
        attempts,
        body_bytes,
        header_bytes,
    })
}

fn seconds(samples: &Recorder) -> Vec<SecondResult> {
    let mut seconds: Vec<SecondResult> = (0_u64..)
        .zip(samples.seconds.counts())
        .map(|(second, counts)| SecondResult {
            second,
            sent: counts.sent,
            done: counts.done,
            ok: counts.ok,
            not_started: counts.not_started,
            refused: counts.refused,
            failed: counts.done - counts.ok,
            rounds: Vec::new(),
        })
        .collect();
    let mut all = samples.seconds.rounds().peekable();
    let mut rounds = Vec::new();
    while let Some(((second, round), kept)) = all.next() {
        let SecondFigures {
            count,
            p50_ns,
            p99_ns,
            max_ns,
        } = kept.figures;
        rounds.push(SecondRound {
            round,
            count,
            p50_ns,
            p99_ns,
            max_ns,
            histogram: kept.packed,
        });
        if all.peek().is_none_or(|((next, _), _)| *next != second) {
            // No more room than they need: there are as many lists as seconds.
            seconds[second].rounds.reserve_exact(rounds.len());
            seconds[second].rounds.append(&mut rounds);
        }
    }
    seconds
}

/// That some seconds could not be read back from where the run had kept them.
fn unread_finding(unread: &[Unread]) -> Option<Finding> {
    let first = unread.first()?;
    let mut seconds: Vec<usize> = unread.iter().map(|unread| unread.second).collect();
    seconds.dedup();
    Some(Finding::new(
        FindingCode::SecondsUnread,
        format!(
            "response times of {} seconds are missing from `seconds`, intervals and steady state, \
             from second {} on: {}; all other figures have them",
            seconds.len(),
            first.second,
            first.why
        ),
    ))
}

fn clipped(samples: &Recorder) -> u64 {
    responses(samples).map(Latency::clipped).sum()
}

/// The response times of all rounds, by replica and outcome.
fn responses(samples: &Recorder) -> impl Iterator<Item = &Latency> {
    let replicas = samples.replicas.iter().map(|replica| &replica.rounds);
    replicas.chain([&samples.untried]).flat_map(|rounds| {
        let all = Outcome::ALL.into_iter();
        all.filter_map(|outcome| rounds.response(outcome))
    })
}
