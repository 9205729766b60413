//! Phases, shortfall, warm-up and drift, as the result tells them.

use std::time::Duration;

use loadgen_measure::{Bound, FindingCode, Latency, NotStarted, Outcome, PhaseResult, RunResult};

use super::{Answer, Asked, Play, Stop};

const MS: u64 = 1_000_000;

fn has(result: &RunResult, code: FindingCode) -> bool {
    result.findings.iter().any(|finding| finding.code == code)
}

fn longest_ms(phase: &PhaseResult) -> u64 {
    phase.work.ok().unwrap().response.as_ref().unwrap().max_ns / MS
}

#[tokio::test(start_paused = true)]
async fn headline_figures_leave_the_warm_up_out_and_counts_do_not() {
    let play = Play::new("rate_per_s = 10\nduration_s = 3\nwarmup_s = 1");
    let played = play
        .with(|asked| Answer::complete(if asked.workflow < 10 { 500 } else { 20 }))
        .await;
    played.assert_accounts();
    let result = &played.result;
    assert_eq!((result.load.planned, result.load.started), (30, 30));
    let response = result.workflow_response().unwrap();
    assert_eq!((response.count, response.max_ns), (20, 20 * MS));
    assert_eq!(result.load.measured_s, 2.0);
    // Those due at 0.5 s and later in the warm-up ended after it: a rate counts what ended.
    assert_eq!(result.load.throughput_per_s, Some(12.5));
    assert_eq!(result.load.offered_per_s, Some(10.0));
    assert_eq!(result.load.started_per_s, Some(10.0));
    let [warmup, measured] = &result.phases[..] else {
        panic!("two phases");
    };
    assert!(warmup.warmup && !measured.warmup);
    assert_eq!((warmup.work.started, longest_ms(warmup)), (10, 500));
    assert_eq!((measured.work.started, longest_ms(measured)), (20, 20));
    assert!(!result.warmup_only);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_ends_in_its_warm_up_has_figures_that_say_so() {
    let mut play = Play::new("rate_per_s = 10\nduration_s = 90\nwarmup_s = 60");
    play.stops = vec![(4950, Stop::Drain)];
    let played = play.with(|_| Answer::complete(20)).await;
    played.assert_accounts();
    let result = &played.result;
    assert!(result.warmup_only && has(result, FindingCode::WarmUpOnly));
    assert_eq!(result.workflow_response().unwrap().count, 50);
    assert_eq!(result.load.throughput_per_s, Some(50.0 / 4.95));
    assert_eq!(result.load.offered_per_s, result.load.started_per_s);
    assert_eq!(played.not_started(NotStarted::Interrupted), 850);
    let left = result.phases.iter().map(|phase| {
        let causes = phase.not_started.values();
        causes.sum::<u64>()
    });
    assert_eq!(left.collect::<Vec<_>>(), [550, 300]);
}

#[tokio::test(start_paused = true)]
async fn histograms_of_stages_together_are_the_whole() {
    let play = Play::new(
        "[[load.stage]]\nname = \"low\"\nrate_per_s = 20\nduration_s = 2\n\
         [[load.stage]]\nname = \"high\"\nrate_per_s = 100\nduration_s = 1",
    );
    let played = play
        .with(|asked| Answer::complete(1 + asked.workflow * 7 % 50))
        .await;
    played.assert_accounts();
    let result = &played.result;
    let mut together = Latency::new();
    for (phase, (name, count)) in result.phases.iter().zip([("low", 40), ("high", 100)]) {
        let response = phase.work.ok().unwrap().response.as_ref().unwrap();
        assert_eq!((phase.name.as_str(), response.count), (name, count));
        together.merge(&response.latency().unwrap());
    }
    let whole = result.workflow_response().unwrap();
    assert!(together.buckets().eq(whole.latency().unwrap().buckets()));
    assert_eq!(together.sum_ns(), whole.sum_ns);
}

#[tokio::test(start_paused = true)]
async fn what_found_no_worker_is_counted_when_it_was_due() {
    for (load, short) in [
        ("rate_per_s = 10\nduration_s = 20\nmax_in_flight = 1", true),
        (
            "rate_per_s = 10\nduration_s = 20\nmax_in_flight = 100",
            false,
        ),
    ] {
        let played = Play::new(load).with(|_| Answer::complete(1850)).await;
        played.assert_accounts();
        let seconds = &played.result.seconds;
        assert_eq!(seconds[0].not_started > 0, short);
        let sum: u64 = seconds.iter().map(|second| second.not_started).sum();
        assert_eq!(sum, played.not_started(NotStarted::NoFreeWorker));
        let findings = played.result.findings.iter();
        let sentence = findings
            .filter(|finding| finding.code == FindingCode::RateNotReached)
            .map(|finding| finding.sentence.as_str());
        let want = "rate not reached (5.5 %): 11 of 200 planned workflows were started; not \
                    started: no free worker 189, the first in second 0";
        let wanted = short.then_some(want);
        assert!(sentence.eq(wanted), "{:?}", played.result.findings);
    }
}

/// So many milliseconds, up to a twentieth more by the workflow's number.
fn about(ms: f64, asked: &Asked) -> Answer {
    let more = (asked.workflow.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / 2e7;
    Answer::complete((ms * (1.0 + more)).round() as u64)
}

#[tokio::test(start_paused = true)]
async fn a_slow_start_is_cut_from_headline_times_and_said() {
    let begin = tokio::time::Instant::now();
    let play = Play::new("rate_per_s = 20\nduration_s = 60");
    let played = play
        .with(move |asked| {
            let left = 1.0 - (asked.at - begin).as_secs_f64() / 10.0;
            about(200.0 + 1000.0 * left.max(0.0), asked)
        })
        .await;
    played.assert_accounts();
    let result = &played.result;
    let steady = result.steady.as_ref().unwrap();
    let cut = steady.warmup_cut_s.unwrap();
    assert!((8.0..=12.0).contains(&cut), "{steady:?}");
    assert!(has(result, FindingCode::WarmUpCut) && !has(result, FindingCode::Drifting));
    let kept = result.workflow_response().unwrap();
    assert!(kept.max_ns < 400 * MS, "{}", kept.max_ns);
    assert!(result.all.ok().unwrap().response.as_ref().unwrap().max_ns > 1000 * MS);
    assert_eq!(result.round_response(0).unwrap().count, kept.count);
    assert!(kept.intervals_95.unwrap().p50_ns.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_steady_run_is_left_whole_and_a_drift_is_named() {
    for (per_s, drifts) in [(0.0, false), (5.0, true)] {
        let play = Play::new("rate_per_s = 20\nduration_s = 60\nwarmup_s = 2");
        let start = tokio::time::Instant::now();
        let played = play
            .with(move |asked| {
                let at = (asked.at - start).as_secs_f64();
                about(200.0 + per_s * at, asked)
            })
            .await;
        played.assert_accounts();
        let result = &played.result;
        let drift = result.steady.as_ref().unwrap().drift.unwrap();
        assert_eq!(drift.drifts, drifts, "{drift:?}");
        assert_eq!(has(result, FindingCode::Drifting), drifts);
        assert_eq!(drift.change > 1.0, drifts, "{drift:?}");
        assert_eq!(result.steady.as_ref().unwrap().warmup_cut_s, None);
    }
    let whole = Play::new("rate_per_s = 20\nduration_s = 60");
    let played = whole.with(|asked| about(200.0, asked)).await;
    let steady = played.result.steady.unwrap();
    // Of the first second only the shorter ones have ended in it, so it may be cut.
    assert!(
        steady.warmup_cut_s.is_some_and(|cut| cut <= 3.0),
        "{steady:?}"
    );
}

/// A queue that serves 200/s under 400/s: what it answers in the drain is no throughput.
#[tokio::test(start_paused = true)]
async fn an_overloaded_target_is_no_faster_for_its_drain_and_is_named() {
    let played = Play::new("rate_per_s = 400\nduration_s = 4\ndrain_s = 10")
        .with(|asked| {
            // Arrival n is due at n / 400 and done at (n + 1) / 200 s.
            let done_us = (asked.workflow + 1) * 5000;
            Answer::complete(0).taking_us(done_us - asked.workflow * 2500)
        })
        .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 1600);
    let load = &played.result.load;
    // The one that ends with the load belongs to the drain.
    assert_eq!(load.throughput_per_s, Some(799.0 / 4.0));
    assert_eq!(load.rounds_per_s, load.throughput_per_s);
    assert_eq!(load.offered_per_s, Some(400.0));
    let generator = &played.result.generator;
    assert_eq!(generator.bound_by, Bound::Target);
    let reason = &generator.bound_reason;
    assert!(
        reason.starts_with("the target, which fell behind: in the last 2 s of the load 800"),
        "{reason}"
    );
    let half = Play::new("rate_per_s = 200\nduration_s = 4");
    let kept_up = half.with(|_| Answer::complete(300)).await;
    assert_eq!(kept_up.result.generator.bound_by, Bound::Plan);
    assert_eq!(kept_up.result.load.throughput_per_s, Some(740.0 / 4.0));
}

/// What ends after the user has ended the load is in no rate either.
#[tokio::test(start_paused = true)]
async fn an_interrupted_load_has_rates_of_the_time_that_it_had() {
    let mut play = Play::new("rate_per_s = 10\nduration_s = 60\ndrain_s = 5");
    play.stops = vec![(2050, Stop::Drain)];
    let played = play.with(|_| Answer::complete(1000)).await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 21);
    let load = &played.result.load;
    // Due from 0 to 2.0 s; those from 1.1 s on end in the drain.
    assert_eq!(load.throughput_per_s, Some(11.0 / 2.05));
    assert_eq!(load.offered_per_s, Some(21.0 / 2.05));
    assert_eq!(load.started_per_s, load.offered_per_s);
}

#[tokio::test(start_paused = true)]
async fn a_phase_has_the_throughput_of_its_own_time() {
    let play = Play::new(
        "[[load.stage]]\nname = \"busy\"\nrate_per_s = 20\nduration_s = 2\n\
         [[load.stage]]\nname = \"pause\"\nrate_per_s = 0\nduration_s = 2",
    );
    let played = play.with(|_| Answer::complete(1025)).await;
    played.assert_accounts();
    let per_s = played.result.phases.iter().map(|p| p.throughput_per_s);
    assert_eq!(per_s.collect::<Vec<_>>(), [Some(10.0), Some(10.0)]);
}

/// Rate x mean time is the number in flight, and one user is one.
#[tokio::test(start_paused = true)]
async fn one_user_has_one_workflow_in_flight() {
    let played = Play::new("concurrency = 1\nduration_s = 1")
        .with(|asked| Answer::complete(1 + asked.workflow % 9))
        .await;
    played.assert_accounts();
    let result = &played.result;
    let mean_s = result.workflow_response().unwrap().mean_ns / 1e9;
    let product = result.load.throughput_per_s.unwrap() * mean_s;
    assert!((0.99..=1.01).contains(&product), "{product}");
    assert!(played.elapsed >= Duration::from_secs(1));
}
