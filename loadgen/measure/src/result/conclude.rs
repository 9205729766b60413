use std::collections::BTreeMap;

use super::diagnose::diagnose;
use super::event;
use super::findings::{Finding, FindingCode};
use super::fleet::TooLarge;
use super::generator::Bound;
use super::load::{LoadResult, SecondResult};
use super::phase::PhaseResult;
use super::run::RunResult;
use super::throttle::{SignalResult, ThrottleResult};
use crate::deviation::DeviationTally;
use crate::{Outcome, StatusDeviation};

/// What a reader should know about a result that is complete but for findings and verdict.
pub(crate) fn findings(result: &RunResult, clipped: u64) -> Vec<Finding> {
    let load = &result.load;
    let early = event::key_turns(result);
    let mut findings = if !result.breaks_states.is_empty() {
        // Who refuses whom says nothing about keys then.
        vec![broken(result)]
    } else if !early.is_empty() {
        // Nor does it where keys differed for a part of the run.
        early
    } else {
        diagnose(&result.matrix)
    };
    for replica in &result.replicas {
        if let Some(death) = &replica.facts.died {
            findings.push(Finding::about(
                FindingCode::ReplicaDied,
                vec![replica.index],
                format!(
                    "replica {} died during the run: {}",
                    replica.index, death.status
                ),
            ));
        }
        if let Some((slope, error)) = replica.facts.growth().filter(|_| is_even(result)) {
            findings.push(Finding::about(
                FindingCode::ReplicaGrows,
                vec![replica.index],
                format!(
                    "replica {} grows by {:.1} KiB of memory a request (standard error {:.1}) in the \
                     second half of the load",
                    replica.index,
                    slope / 1024.0,
                    error / 1024.0
                ),
            ));
        }
    }
    findings.extend(event::failed(result));
    findings.extend(unused_answers(result));
    findings.extend(result.load.achieved.and_then(|achieved| achieved.finding()));
    findings.extend(steadiness(result));
    let mut add = |holds: bool, code: FindingCode, sentence: String| {
        if holds {
            findings.push(Finding::new(code, sentence));
        }
    };
    let outcome = |outcome: Outcome| load.outcomes.get(&outcome).copied().unwrap_or(0);
    // Where every state is broken, none should be taken.
    let hopeless = result.breaks_states.len() == result.kinds.len();
    add(
        outcome(Outcome::Ok) == 0 && !result.partial && !hopeless,
        FindingCode::NoSuccess,
        "no workflow ended well".to_owned(),
    );
    add(
        load.started < load.planned && !result.partial && !result.interrupted,
        FindingCode::RateNotReached,
        shortfall(result),
    );
    if let Some(sentence) = result.connections.facts.shortfall(unanswered(result)) {
        add(true, FindingCode::ConnectionsNotAnswered, sentence);
    }
    let too_large = result.replicas.iter().map(|replica| replica.too_large);
    if let Some(refused) = too_large.fold(None, TooLarge::together) {
        let refusing = result.replicas.iter().filter(|r| r.too_large.is_some());
        let by: Vec<String> = refusing.map(|replica| replica.index.to_string()).collect();
        let by = match &by[..] {
            [one] if result.replicas.len() > 1 => format!(", all of them by replica {one}"),
            _ => String::new(),
        };
        let sentence = format!(
            "{} requests were refused as too large (HTTP 413){by}, the smallest of {} bytes",
            refused.count, refused.smallest_bytes
        );
        add(true, FindingCode::TooLarge, sentence);
    }
    if let Some(sentence) = deviations(result) {
        add(true, FindingCode::StatusDeviates, sentence);
    }
    add(
        outcome(Outcome::Unfinished) > 0,
        FindingCode::Unfinished,
        unfinished(load),
    );
    add(
        outcome(Outcome::StaleConnection) > 0,
        FindingCode::StaleConnections,
        format!(
            "{} ended on a kept-alive connection that the server had closed: it went away, \
             or its idle timeout is shorter than the client's",
            workflows(outcome(Outcome::StaleConnection))
        ),
    );
    if let Some(sentence) = result.throttle.as_ref().and_then(throttled) {
        add(true, FindingCode::Throttled, sentence);
    }
    let again = result.single_use.as_ref();
    if let Some(used) = again.filter(|used| used.carried_out_again() > 0) {
        add(true, FindingCode::CarriedOutAgain, used.sentence());
    }
    let exceeded = result.rate_limit.as_ref().filter(|r| r.exceeded);
    if let Some(rates) = exceeded.filter(|_| !result.partial) {
        add(true, FindingCode::LimitExceeded, rates.sentence());
    }
    add(
        result.clock.clocks_disagree,
        FindingCode::ClocksDisagree,
        format!(
            "wall clock and monotonic clock disagree by {:.1} s; durations are monotonic",
            result.clock.wall_less_monotonic_s
        ),
    );
    add(
        result.generator.inverted_intervals > 0,
        FindingCode::InvertedIntervals,
        format!(
            "{} measured intervals ended before they began and were taken as 0",
            result.generator.inverted_intervals
        ),
    );
    add(
        clipped > 0,
        FindingCode::ClippedTimes,
        format!("{clipped} rounds took longer than an hour and stand in the histograms as one"),
    );
    for check in result
        .checks
        .iter()
        .filter(|check| check.pass == Some(false))
    {
        if check.tolerance > 0.0 {
            let side = |side: Option<f64>| side.map_or_else(String::new, |s| format!("{s:.3}"));
            add(
                true,
                FindingCode::LittlesLawBroken,
                format!(
                    "times and counts do not fit together: {}: {} and {}",
                    check.name,
                    side(check.left),
                    side(check.right)
                ),
            );
        } else {
            let sentence = format!(
                "the result contradicts itself: {} does not hold",
                check.name
            );
            add(true, FindingCode::CheckFailed, sentence);
        }
    }
    add(
        result.generator.bound_by == Bound::Generator,
        FindingCode::GeneratorBound,
        result.generator.bound_reason.clone(),
    );
    findings
}

/// How many workflows did not end, and of how many nothing was outstanding.
fn unfinished(load: &LoadResult) -> String {
    let of = |counts: &BTreeMap<Outcome, u64>| counts.get(&Outcome::Unfinished).copied();
    let count = of(&load.outcomes).unwrap_or(0);
    let unsent = of(&load.never_sent).map_or_else(String::new, |unsent| {
        format!(" ({unsent} of them had no connection, and had not sent their round)")
    });
    format!(
        "{} still under way when the drain ended{unsent}; their ages are lower bounds",
        were(count)
    )
}

/// Whether a replica that answers left rounds without an answer. One that answers nothing is down, and
/// its connections say nothing of how many it takes.
fn unanswered(result: &RunResult) -> bool {
    let silent = [Outcome::ConnectError, Outcome::Timeout, Outcome::Unfinished];
    result.replicas.iter().any(|replica| {
        let ended = |outcome: &Outcome| replica.rounds.contains_key(outcome);
        ended(&Outcome::Ok) && silent.iter().any(ended)
    })
}

/// Which errors came with another HTTP status than theirs, over all replicas.
fn deviations(result: &RunResult) -> Option<String> {
    let mut together = DeviationTally::default();
    for deviation in result.replicas.iter().flat_map(|r| &r.status_deviations) {
        together.add(deviation.seen, deviation.count);
    }
    let together = together.sorted();
    let all: u64 = together.iter().map(|(_, count)| count).sum();
    let seen: Vec<String> = together
        .iter()
        .take(4)
        .map(|(seen, count)| {
            let StatusDeviation {
                code,
                status,
                expected,
            } = seen;
            format!("{code} with HTTP {status}, not {expected} ({count})")
        })
        .collect();
    (all > 0).then(|| {
        format!(
            "{all} errors came with another HTTP status than the protocol gives to their code: {}",
            seen.join(", ")
        )
    })
}

/// How often, in which words, and who else could have seen it.
fn throttled(throttle: &ThrottleResult) -> Option<String> {
    let first = throttle.signals.first()?;
    let ways = |signal: &&SignalResult| signal.signal == first.signal;
    let by_first: u64 = throttle.signals.iter().filter(ways).map(|s| s.count).sum();
    let (view, _) = first.sdk.present().max_by_key(|(_, count)| *count)?;
    let others = match throttle.refused - by_first {
        0 => String::new(),
        others => format!(" ({others} in other ways)"),
    };
    let guessed = match first.guessed {
        0 => "",
        _ => ", as its words say",
    };
    Some(format!(
        "{} attempts were refused by a rate limit, said by {}{others}{guessed}; {view}",
        throttle.refused, first.signal
    ))
}

/// By how much the load fell short of the plan, why, and when that began.
fn shortfall(result: &RunResult) -> String {
    let load = &result.load;
    let causes: Vec<String> = load
        .not_started
        .iter()
        .map(|(cause, count)| format!("{cause} {count}"))
        .collect();
    let passed_over = |second: &&SecondResult| second.not_started > 0;
    let first = result.seconds.iter().find(passed_over);
    format!(
        "rate not reached ({:.1} %): {} of {} planned workflows were started; not started: {}{}",
        100.0 * load.started as f64 / load.planned.max(1) as f64,
        load.started,
        load.planned,
        causes.join(", "),
        first.map_or_else(String::new, |second| format!(
            ", the first in second {}",
            second.second
        ))
    )
}

fn workflows(count: u64) -> String {
    match count {
        1 => "1 workflow".to_owned(),
        count => format!("{count} workflows"),
    }
}

fn were(count: u64) -> String {
    format!(
        "{} {}",
        workflows(count),
        if count == 1 { "was" } else { "were" }
    )
}

/// What became of states that the scenario broke.
fn broken(result: &RunResult) -> Finding {
    let refused: u64 = result
        .matrix
        .cells
        .iter()
        .map(|cell| cell.state_rejected)
        .sum();
    Finding::new(
        FindingCode::StatesBrokenByScenario,
        format!(
            "the scenario breaks the states of {}: {refused} of {} returned states were refused",
            result.breaks_states.join(", "),
            result.matrix.total()
        ),
    )
}

/// Fixed answers without a question, of kinds that had workflows.
fn unused_answers(result: &RunResult) -> impl Iterator<Item = Finding> {
    let over = !result.partial && !result.interrupted;
    let kinds = result
        .kinds
        .iter()
        .filter(move |kind| over && kind.started > 0);
    kinds.filter_map(|kind| {
        let names = result.unused_answers.get(&kind.name)?;
        Some(Finding::new(
            FindingCode::UnusedAnswers,
            format!(
                "no question of {} asked for `{}`, for which the scenario fixes an answer",
                kind.name,
                names.join("`, `")
            ),
        ))
    })
}

/// Whether the load was the same all the time and was kept up with: else memory follows the number of
/// connections and of requests that wait, and not that of requests answered.
fn is_even(result: &RunResult) -> bool {
    let rate = |phase: &PhaseResult| (phase.from_rate_per_s, phase.to_rate_per_s);
    let mut rates = result.phases.iter().map(rate);
    let first = rates.next();
    let is_steady =
        first.is_none_or(|(from, to)| from == to && rates.all(|rate| rate == (from, to)));
    let behind = result.load.achieved.and_then(|achieved| achieved.finding());
    is_steady && behind.is_none()
}

/// What is to say about warm-up and drift.
fn steadiness(result: &RunResult) -> Vec<Finding> {
    let mut findings = Vec::new();
    if result.warmup_only {
        findings.push(Finding::new(
            FindingCode::WarmUpOnly,
            "warm-up only: the run ended before its measured part, and every figure is of the \
             warm-up"
                .to_owned(),
        ));
    }
    let Some(steady) = &result.steady else {
        return findings;
    };
    if steady.refused {
        let sentence = format!("warm-up not cut: {}", steady.reason);
        findings.push(Finding::new(FindingCode::NeverSettled, sentence));
    }
    if steady.warmup_cut_s.is_some_and(|cut| cut > 0.0) {
        let sentence = format!("warm-up cut: {}", steady.reason);
        findings.push(Finding::new(FindingCode::WarmUpCut, sentence));
    }
    if let Some(drift) = steady.drift.filter(|drift| drift.drifts) {
        let (word, change) = if drift.change > 0.0 {
            ("longer", drift.change)
        } else {
            ("shorter", -drift.change)
        };
        findings.push(Finding::new(
            FindingCode::Drifting,
            format!(
                "response times drift: {:.0} % {word} at the end than at the start of what was \
                 measured (Mann-Kendall z = {:.1})",
                100.0 * change,
                drift.z
            ),
        ));
    }
    findings
}
