use std::time::{Duration, SystemTime};

use loadgen_measure::{
    Bound, FindingCode, NotStarted, Outcome, Recorder, ReplicaDeath, RoundSample, RunClock,
    RunResult, ServerTiming, Status, WorkflowSample,
};

use crate::fixture::{MS, facts, in_flight, json, shape, threshold, wizards};

fn codes(result: &RunResult) -> Vec<FindingCode> {
    result.findings.iter().map(|finding| finding.code).collect()
}

#[test]
fn a_clean_run_is_good_and_adds_up() {
    let mut recorder = Recorder::new(&shape());
    wizards(&mut recorder, 90, |_, _| false);
    let mut facts = facts(90);
    facts.in_flight = Some(in_flight(0.0585));
    let result = RunResult::new(facts, &recorder);
    assert_eq!(result.verdict.status, Status::Good, "{:?}", result.verdict);
    assert_eq!(codes(&result), []);
    for check in &result.checks {
        assert_eq!(check.pass, Some(true), "{check:?}");
    }
    assert_eq!(result.load.rounds, 270);
    assert_eq!(result.load.throughput_per_s, Some(9.0));
    assert_eq!(result.generator.bound_by, Bound::Plan);
    assert!(result.matrix.cells.iter().all(|cell| cell.ok > 0));
    assert_eq!(result.matrix.total(), 180);
    let wizard = &result.kinds[1];
    assert_eq!(wizard.state_growth_bytes_per_round, Some(40.0));
    assert_eq!(wizard.mean_rounds, Some(3.0));
    let middle = &wizard.rounds[1];
    let share = middle.server.open_and_seal_share.unwrap();
    assert!((0.009..0.011).contains(&share), "{share}");
    assert!(wizard.rounds[2].state_received.is_none());
    let series: u64 = result.seconds.iter().map(|second| second.ok).sum();
    assert_eq!(series, 270);
    assert!(result.kinds[0].rounds.is_empty());
}

#[test]
fn an_unshared_key_is_named_and_the_rate_threshold_missed() {
    let mut recorder = Recorder::new(&shape());
    wizards(&mut recorder, 90, |minted_by, opened_by| {
        minted_by != opened_by
    });
    let result = RunResult::new(facts(90), &recorder);
    assert_eq!(result.verdict.status, Status::ThresholdMissed);
    assert_eq!(codes(&result), [FindingCode::KeyOrAudienceNotShared]);
    let rejected = &result.kinds[1].rounds[1].outcomes[&Outcome::StateRejected];
    assert!(rejected.response.is_some() && rejected.count > 0);
    // Headline figures are those of the successes alone.
    let ok = result.kinds[1].ok().unwrap();
    assert_eq!(ok.count + result.load.outcomes[&Outcome::StateRejected], 90);
}

#[test]
fn nothing_done_gives_no_figure_at_all() {
    let mut recorder = Recorder::new(&shape());
    recorder.given_up(NotStarted::Interrupted, 0, 5);
    let mut facts = facts(5);
    facts.interrupted = true;
    facts.clock = RunClock::new(
        SystemTime::UNIX_EPOCH,
        SystemTime::UNIX_EPOCH,
        Duration::ZERO,
        Duration::ZERO,
    );
    let result = RunResult::new(facts, &recorder);
    assert_eq!(result.verdict.status, Status::Interrupted);
    assert_eq!(result.verdict.status.exit_code(), 130);
    assert_eq!(result.load.throughput_per_s, None);
    assert_eq!(result.thresholds[0].value, None);
    assert!(!result.thresholds[0].pass);
    assert!(result.all.workflows.is_empty());
    let text = json(&result);
    assert!(!text.contains("NaN") && !text.contains("inf\""));
    let back: RunResult = serde_json::from_str(&text).unwrap();
    assert_eq!(back, result);
}

#[test]
fn a_run_of_refused_connections_has_times_to_error_only() {
    let mut recorder = Recorder::new(&shape());
    for _ in 0..10 {
        recorder.started(0, MS);
        recorder.round(&RoundSample {
            kind: 0,
            round: 0,
            outcome: Outcome::ConnectError,
            attempts: 1,
            intended: MS,
            ready: MS,
            first_sent: None,
            sent: None,
            done: 2 * MS,
            replica: 0,
            minted_by: None,
            request_bytes: 100,
            response_bytes: None,
            state_sent_bytes: None,
            state_received_bytes: None,
            server: ServerTiming::default(),
            reused_connection: false,
        });
        recorder.workflow(&WorkflowSample {
            kind: 0,
            outcome: Outcome::ConnectError,
            rounds: 1,
            intended: MS,
            started: MS,
            done: 2 * MS,
            think: Duration::ZERO,
        });
    }
    let result = RunResult::new(facts(10), &recorder);
    assert_eq!(result.verdict.status.exit_code(), 3);
    assert_eq!(codes(&result), [FindingCode::NoSuccess]);
    assert_eq!((result.load.rounds, result.load.rounds_sent), (10, 0));
    assert_eq!((result.load.attempts, result.load.attempts_sent), (10, 0));
    assert_eq!(result.load.never_sent[&Outcome::ConnectError], 10);
    assert_eq!(result.replicas[0].rounds[&Outcome::ConnectError], 10);
    let round = &result.all.rounds[0];
    assert!(round.ok().is_none());
    assert_eq!(round.with_failures.p50_ns, None);
    assert!(round.request.is_none(), "nothing left the machine");
    let refused = &round.outcomes[&Outcome::ConnectError];
    assert_eq!(refused.time_to_error.as_ref().unwrap().max_ns, 1_000_000);
}

#[test]
fn missing_workflows_make_the_result_invalid() {
    let mut recorder = Recorder::new(&shape());
    wizards(&mut recorder, 10, |_, _| false);
    recorder.started(0, MS);
    let result = RunResult::new(facts(11), &recorder);
    assert_eq!(result.verdict.status, Status::Invalid);
    assert_eq!(result.verdict.status.exit_code(), 5);
    assert_eq!(codes(&result), [FindingCode::CheckFailed]);
    // The same in a checkpoint only means that one is still in flight.
    let mut facts = facts(11);
    facts.partial = true;
    facts.thresholds.clear();
    assert_eq!(
        RunResult::new(facts, &recorder).verdict.status,
        Status::Good
    );
}

#[test]
fn a_number_in_flight_that_does_not_fit_is_told_with_both_sides() {
    let mut recorder = Recorder::new(&shape());
    wizards(&mut recorder, 90, |_, _| false);
    let mut facts = facts(90);
    facts.in_flight = Some(in_flight(5.0));
    let result = RunResult::new(facts, &recorder);
    assert_eq!(codes(&result), [FindingCode::LittlesLawBroken]);
    let sentence = &result.findings[0].sentence;
    assert!(sentence.contains("5.000 and 0.05"), "{sentence}");
    // The looks are a sample, so this alone does not make the run invalid.
    assert_eq!(result.verdict.status, Status::Good);
}

#[test]
fn thresholds_and_deaths_are_told() {
    let mut recorder = Recorder::new(&shape());
    wizards(&mut recorder, 30, |_, _| false);
    let mut facts = facts(30);
    facts.thresholds = vec![
        threshold("round2.response.p99_ms < 1"),
        threshold("workflow.max_s < 1"),
    ];
    facts.replicas[2].died = Some(ReplicaDeath {
        status: "exit status: 101".into(),
        stderr_tail: "panicked".into(),
    });
    let result = RunResult::new(facts, &recorder);
    assert_eq!(codes(&result), [FindingCode::ReplicaDied]);
    assert_eq!(result.findings[0].replicas, [2]);
    assert!(!result.thresholds[0].pass && result.thresholds[1].pass);
    assert_eq!(result.verdict.status, Status::ThresholdMissed);
    assert!(result.verdict.reasons[0].starts_with("round2.response.p99_ms is 3."));
}

#[test]
fn intervals_hold_their_quantile_and_need_twenty_seconds() {
    for (seconds, given) in [(19_u32, false), (30, true)] {
        let mut recorder = Recorder::new(&shape());
        // 100 rounds a second of 1 to 100 ms, in an order of its own each second.
        for id in 0..100 * seconds {
            let intended = 10 * MS * id;
            let took = MS * (1 + id.wrapping_mul(2_654_435_761) % 100);
            recorder.started(0, intended);
            recorder.round(&RoundSample {
                kind: 0,
                round: 0,
                outcome: Outcome::Ok,
                attempts: 1,
                intended,
                ready: intended,
                first_sent: Some(intended),
                sent: Some(intended),
                done: intended + took,
                replica: 0,
                minted_by: None,
                request_bytes: 1,
                response_bytes: Some(1),
                state_sent_bytes: None,
                state_received_bytes: None,
                server: ServerTiming::default(),
                reused_connection: true,
            });
            recorder.workflow(&WorkflowSample {
                kind: 0,
                outcome: Outcome::Ok,
                rounds: 1,
                intended,
                started: intended,
                done: intended + took,
                think: Duration::ZERO,
            });
        }
        let mut facts = facts(u64::from(100 * seconds));
        let lasted = Duration::from_secs(u64::from(seconds));
        let now = SystemTime::UNIX_EPOCH;
        facts.clock = RunClock::new(now, now + lasted, lasted, lasted);
        let result = RunResult::new(facts, &recorder);
        for figures in [&result.all.rounds[0].outcomes, &result.kinds[0].workflows] {
            let response = figures[&Outcome::Ok].response.as_ref().unwrap();
            let intervals = response.intervals_95.unwrap();
            assert_eq!(intervals.p50_ns.is_some(), given);
            assert_eq!(intervals.p999_ns, None, "3 values are beyond it");
            if let Some((low, high)) = intervals.p50_ns {
                assert!(
                    low < response.p50_ns && response.p50_ns < high,
                    "{intervals:?}"
                );
                assert!(high - low < 10_000_000, "{intervals:?}");
            }
        }
        let kinds_rounds = &result.kinds[0].rounds[0].outcomes[&Outcome::Ok];
        assert!(
            kinds_rounds
                .response
                .as_ref()
                .unwrap()
                .intervals_95
                .is_some()
        );
    }
}
