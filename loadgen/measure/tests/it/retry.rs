use std::time::{Duration, SystemTime};

use loadgen_measure::{QuantileRatios, Recorder, RefusedBody, RunClock, RunResult};

use crate::fixture::{facts, shape, wizards};

/// Wizards whose rounds take 1, 2 and 3 ms, ten a second for so long.
fn run(seconds: u32, more: impl FnOnce(&mut Recorder)) -> RunResult {
    let mut recorder = Recorder::new(&shape());
    wizards(&mut recorder, 10 * seconds, |_, _| false);
    more(&mut recorder);
    let mut facts = facts(u64::from(10 * seconds));
    let (start, time) = (SystemTime::UNIX_EPOCH, Duration::from_secs(seconds.into()));
    facts.clock = RunClock::new(start, start + time, time, time);
    RunResult::new(facts, &recorder)
}

fn holds(ratios: &QuantileRatios, truth: f64) -> bool {
    let near = (ratios.p50.ratio - truth).abs() < 0.1;
    let interval = ratios.p50.interval_95;
    near && interval.is_none_or(|(low, high)| low <= ratios.p50.ratio && ratios.p50.ratio <= high)
}

#[test]
fn retries_are_held_against_the_first_round() {
    let result = run(30, |_| ());
    let retry = result.retry.unwrap();
    assert_eq!(retry.kinds, ["wizard"]);
    let [one, two] = &retry.rounds[..] else {
        panic!("{retry:?}");
    };
    // A number of microseconds is added that is the same for all rounds of a workflow: 0 to 299.
    assert!(holds(&one.service, 1.87), "{one:?}");
    assert!(holds(&two.service, 2.74), "{two:?}");
    assert!(holds(&one.response, 1.80), "{one:?}");
    assert!(one.service.p50.interval_95.is_none(), "not kept by second");
    assert!(one.response.p50.interval_95.is_some(), "{one:?}");
    assert!(one.service.p99.is_some());
    let count = |figures: &Option<loadgen_measure::LatencyFigures>| {
        figures.as_ref().map_or(0, |figures| figures.count)
    };
    assert_eq!(
        count(&retry.same_replica) + count(&retry.other_replica),
        600
    );
    assert_eq!(count(&retry.new_connection), 6);
    assert_eq!(count(&retry.kept_connection), 594);
    assert!(retry.spreads.is_empty() && retry.service_mean.is_none());
}

#[test]
fn short_runs_and_mixed_seconds_have_ratios_without_intervals() {
    let short = run(10, |_| ()).retry.unwrap();
    assert!(short.response.p50.interval_95.is_none());
    assert!(
        short.rounds[0].service.p99.is_some(),
        "100 times are enough"
    );
    assert!(
        run(5, |_| ()).retry.unwrap().rounds[0]
            .service
            .p99
            .is_none()
    );
    let mixed = run(30, |recorder| recorder.started(0, Duration::ZERO));
    assert!(mixed.retry.unwrap().response.p50.interval_95.is_none());
    assert_eq!(
        RunResult::new(facts(0), &Recorder::new(&shape())).retry,
        None
    );
}

#[test]
fn bodies_that_are_too_large_are_those_of_their_kind() {
    let result = run(10, |recorder| {
        recorder.body_limit(1000);
        let mut other = Recorder::new(&shape());
        for (round, bytes) in [(2, 1500), (1, 1200), (3, 1100)] {
            let body = RefusedBody {
                replica: 0,
                kind: 1,
                round,
                bytes,
            };
            if round == 1 {
                &mut other
            } else {
                &mut *recorder
            }
            .too_large(&body);
        }
        recorder.merge(&other);
    });
    let payload = result.payload.unwrap();
    assert_eq!(payload.body_limit_bytes, Some(1000));
    let [wizard] = &payload.kinds[..] else {
        panic!("echo has no state: {payload:?}");
    };
    let refused = wizard.refused.unwrap();
    assert_eq!(
        (refused.count, refused.first_round, refused.smallest_bytes),
        (3, 1, 1100)
    );
    // Two rounds with a state have no law, so nothing is foretold.
    assert_eq!((wizard.state.rounds, wizard.limit_round), (2, None));
    assert!(
        wizard.sentence.contains("too few for a law"),
        "{}",
        wizard.sentence
    );
    assert_eq!(
        wizard.workflow_bytes,
        Some(400.0 + 500.0 + 600.0 + 3.0 * 600.0)
    );
}
