use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use loadgen_measure::{Bound, FindingCode, Outcome, ThrottleResult, ThrottleSignal};
use serde_json::json;

use super::{Answer, Asked, Play, Played, Stop};
use crate::transport::Failure;

const MS: u64 = 1_000_000;

fn play(load: &'static str, throttle: &'static str) -> Play {
    let mut play = Play::new(load);
    play.throttle = throttle;
    play
}

fn throttle(played: &Played) -> &ThrottleResult {
    played.result.throttle.as_ref().unwrap()
}

/// Refused at its first attempt.
fn refused_once(asked: &Asked, retry_after: &str) -> Answer {
    match asked.attempt {
        0 => Answer::throttled(3, retry_after),
        _ => Answer::complete(5),
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_ends_the_workflow_unless_the_scenario_says_otherwise() {
    let play = play("rate_per_s = 10\nduration_s = 1", "");
    let played = play.with(|asked| refused_once(asked, "1")).await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Throttled), 10);
    assert_eq!(played.asked.len(), 10);
    let throttle = throttle(&played);
    assert_eq!((throttle.refused, throttle.new_attempts), (10, 0));
    let signal = &throttle.signals[0];
    assert_eq!(signal.signal, ThrottleSignal::RetryAfterSeconds);
    assert_eq!((signal.count, signal.told_a_wait), (10, 10));
    assert_eq!(throttle.told.as_ref().unwrap().max_ns, 1000 * MS);
    assert!(throttle.waited.is_none());
    let mut findings = played.result.findings.iter().map(|finding| finding.code);
    assert!(findings.any(|code| code == FindingCode::Throttled));
}

#[tokio::test(start_paused = true)]
async fn without_refusals_there_is_nothing_about_them() {
    let honour = play("rate_per_s = 10\nduration_s = 1", "on = \"honour\"");
    let played = honour.with(|_| Answer::complete(5)).await;
    assert_eq!(played.result.throttle, None);
}

#[tokio::test(start_paused = true)]
async fn a_wait_is_in_the_response_time_and_in_no_service_time() {
    let honour = play(
        "rate_per_s = 10\nduration_s = 1",
        "on = \"honour\"\njitter_s = 0",
    );
    let played = honour.with(|asked| refused_once(asked, "2")).await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 10);
    let round = &played.result.all.rounds[0];
    let ok = round.ok().unwrap();
    let (service, response) = (ok.service.as_ref(), ok.response.as_ref());
    assert_eq!(service.unwrap().max_ns, 5 * MS);
    assert_eq!(response.unwrap().min_ns, 2008 * MS);
    assert_eq!(response.unwrap().max_ns, 2008 * MS);
    let superseded = &round.superseded[&Outcome::Throttled];
    assert_eq!(superseded.service.as_ref().unwrap().max_ns, 3 * MS);
    assert_eq!((round.attempts, round.sent), (20, 10));
    let throttle = throttle(&played);
    let waited = throttle.waited.as_ref().unwrap();
    assert_eq!(
        (waited.count, waited.min_ns, waited.max_ns),
        (10, 2000 * MS, 2000 * MS)
    );
    assert_eq!(throttle.rounds_by_attempts[&2], 10);
    assert_eq!((throttle.new_attempts, throttle.wasted_attempts), (10, 10));
    assert_eq!(played.result.generator.lateness.as_ref().unwrap().max_ns, 0);
    assert_eq!(played.result.all.mean_rounds, Some(1.0));
}

#[tokio::test(start_paused = true)]
async fn another_attempt_sends_the_same_answers_and_state() {
    let honour = play(
        "rate_per_s = 1\nduration_s = 1",
        "on = \"honour\"\njitter_s = 0",
    );
    let played = honour
        .with(|asked| match (asked.round, asked.attempt) {
            (0, _) => Answer::question(1, "kept"),
            (_, 0) => Answer::throttled(1, "1"),
            _ => Answer::complete(1),
        })
        .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 1);
    let [_, first, second] = &played.asked[..] else {
        panic!("{:?}", played.asked);
    };
    assert_eq!(first.params, second.params);
    assert_eq!(second.state(), Some("kept"));
    assert!(second.params["inputResponses"]["q"].is_object());
    assert_eq!(
        played.result.matrix.total(),
        1,
        "the last attempt's replica"
    );
}

#[tokio::test(start_paused = true)]
async fn huge_waits_are_clipped_and_nobody_comes_early() {
    for told in ["120", "9999999999", "9223372037", "18446744073709551616"] {
        let honour = play("concurrency = 1\nduration_s = 10", "on = \"honour\"");
        let played = honour.with(move |_| Answer::throttled(1, told)).await;
        played.assert_accounts();
        assert_eq!(
            played.asked.len(),
            1,
            "{told}: one attempt in the whole run"
        );
        assert_eq!(played.outcome(Outcome::Throttled), 1);
        assert_eq!(played.elapsed.as_millis(), 10_000, "it ends on time");
        assert_eq!(throttle(&played).clipped_waits, 1);
        assert!(played.failures[0].text.ends_with("rest of the run"));
        let round = &played.result.all.rounds[0].outcomes[&Outcome::Throttled];
        assert_eq!(round.service.as_ref().unwrap().max_ns, MS);
    }
}

#[tokio::test(start_paused = true)]
async fn a_bound_of_the_scenario_holds_the_user_and_then_the_next_workflow_begins() {
    let honour = play(
        "concurrency = 1\nduration_s = 10",
        "on = \"honour\"\nmax_wait_s = 4",
    );
    let played = honour.with(|_| Answer::throttled(0, "5")).await;
    played.assert_accounts();
    assert_eq!(played.times_ms(0), [0, 4000, 8000]);
    assert_eq!(throttle(&played).clipped_waits, 3);
}

#[tokio::test(start_paused = true)]
async fn jitter_spreads_those_who_were_refused_together() {
    let herd = |asked: &Asked| match (asked.workflow, asked.attempt) {
        (0..200, 0) => Answer::throttled(1, "2"),
        _ => Answer::complete(700),
    };
    let load = "concurrency = 200\nduration_s = 5";
    let together = play(load, "on = \"honour\"\njitter_s = 0").with(herd).await;
    assert_eq!(throttle(&together).burst_factor, Some(10.0));
    let spread = play(load, "on = \"honour\"\njitter_s = 1").with(herd).await;
    let factor = throttle(&spread).burst_factor.unwrap();
    assert!(factor < 2.0, "{factor}");
    let told = 2001;
    let new = spread.asked.iter().filter(|asked| asked.attempt == 1);
    assert!(
        new.clone()
            .all(|asked| asked.at - spread.epoch >= std::time::Duration::from_millis(told))
    );
    assert_eq!(new.count(), 200);
}

#[tokio::test(start_paused = true)]
async fn attempts_end_at_their_number() {
    let honour = play(
        "rate_per_s = 1\nduration_s = 1",
        "on = \"honour\"\njitter_s = 0\nmax_attempts = 4",
    );
    let played = honour.with(|_| Answer::throttled(1, "0")).await;
    played.assert_accounts();
    assert_eq!(played.asked.len(), 4);
    assert_eq!(played.outcome(Outcome::Throttled), 1);
    assert_eq!(throttle(&played).rounds_by_attempts[&4], 1);
    assert!(played.failures[0].text.ends_with("; no attempt is left"));
}

#[tokio::test(start_paused = true)]
async fn where_no_wait_is_told_the_back_off_is_random_and_bounded() {
    let honour = play(
        "rate_per_s = 100\nduration_s = 1",
        "on = \"honour\"\nback_off = { base_s = 2, cap_s = 2 }\nmax_attempts = 2",
    );
    let played = honour.with(|asked| refused_once(asked, "")).await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 100);
    let waited = throttle(&played).waited.as_ref().unwrap();
    assert!(
        waited.max_ns < 2001 * MS && waited.max_ns > 1800 * MS,
        "{}",
        waited.max_ns
    );
    assert!(waited.min_ns < 200 * MS, "{}", waited.min_ns);
    assert!(throttle(&played).told.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_spent_budget_ends_rounds_and_says_so() {
    let honour = play(
        "rate_per_s = 10\nduration_s = 1",
        "on = \"honour\"\njitter_s = 0\nbudget = { tokens = 10, cost = 5, refund = 0 }",
    );
    let played = honour.with(|asked| refused_once(asked, "1")).await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 2);
    assert_eq!(played.outcome(Outcome::Throttled), 8);
    assert_eq!(throttle(&played).budget_refusals, 8);
    assert!(
        played.failures[0]
            .text
            .ends_with("; the retry budget is spent")
    );
}

#[tokio::test(start_paused = true)]
async fn other_endings_are_attempted_again_only_where_the_scenario_names_them() {
    let script = |asked: &Asked| match (asked.attempt, asked.workflow % 3) {
        (0, 0) => Answer::broken(1, 503),
        (0, 1) => Answer::never(),
        (0, _) => Answer::failure(1, Failure::Connection("connection refused".to_owned())),
        _ => Answer::complete(1),
    };
    let load = "rate_per_s = 3\nduration_s = 1\ntimeout_s = 0.5";
    for (keys, ok) in [
        ("", 0),
        ("retry_on = [\"5xx\"]", 1),
        ("retry_on = [\"timeout\"]", 1),
        ("retry_on = [\"connect\"]", 1),
        (
            "on = \"honour\"\nretry_on = [\"5xx\", \"timeout\", \"connect\"]",
            3,
        ),
    ] {
        let played = play(load, keys).with(script).await;
        played.assert_accounts();
        assert_eq!(played.outcome(Outcome::Ok), ok, "{keys}");
        assert_eq!(played.asked.len() as u64, 3 + ok, "{keys}");
    }
    let broken = |asked: &Asked| match asked.attempt {
        0 => Answer::broken(1, 400),
        _ => Answer::complete(1),
    };
    let played = play(load, "retry_on = [\"5xx\"]").with(broken).await;
    assert_eq!(played.outcome(Outcome::ProtocolError), 3, "400 is no 5xx");
}

#[tokio::test(start_paused = true)]
async fn a_workflow_that_waits_when_the_run_is_ended_was_throttled() {
    let mut honour = play(
        "rate_per_s = 1\nduration_s = 1\ndrain_s = 9",
        "on = \"honour\"",
    );
    honour.stops = vec![(2500, Stop::Now)];
    let played = honour.with(|_| Answer::throttled(10, "5")).await;
    played.assert_accounts();
    assert_eq!(played.elapsed.as_millis(), 2500);
    assert_eq!(played.outcome(Outcome::Throttled), 1);
    let round = &played.result.all.rounds[0].outcomes[&Outcome::Throttled];
    assert_eq!(round.response.as_ref().unwrap().max_ns, 10 * MS);
    assert_eq!(throttle(&played).waited.as_ref().unwrap().max_ns, 2490 * MS);
    let said = &played.failures[0].text;
    assert!(said.ends_with("the run ended while it waited"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn an_attempt_in_flight_at_the_end_is_unfinished_with_all_its_attempts() {
    let honour = play(
        "rate_per_s = 1\nduration_s = 1\ndrain_s = 4",
        "on = \"honour\"\njitter_s = 0",
    );
    let played = honour
        .with(|asked| match asked.attempt {
            0 => Answer::throttled(0, "2"),
            _ => Answer::never(),
        })
        .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Unfinished), 1);
    assert_eq!(played.result.load.attempts, 2);
}

#[tokio::test(start_paused = true)]
async fn waits_beyond_the_run_do_not_prolong_it() {
    let honour = play(
        "rate_per_s = 10\nduration_s = 1\ndrain_s = 10",
        "on = \"honour\"",
    );
    let played = honour.with(|_| Answer::throttled(1, "30")).await;
    played.assert_accounts();
    assert_eq!(played.elapsed.as_millis(), 1000);
    assert_eq!(throttle(&played).clipped_waits, 10);
}

#[tokio::test(start_paused = true)]
async fn a_new_attempt_goes_where_the_spread_says() {
    let load = "rate_per_s = 1\nduration_s = 1\nspread = \"next\"";
    let mut honour = play(load, "on = \"honour\"\njitter_s = 0");
    honour.replicas = 3;
    let played = honour
        .with(|asked| match (asked.round, asked.attempt) {
            (0, 0) => Answer::throttled(1, "1"),
            (0, _) => Answer::question(1, "s"),
            _ => Answer::complete(1),
        })
        .await;
    let to: Vec<u16> = played.asked.iter().map(|asked| asked.to).collect();
    assert_eq!(to, [0, 1, 2], "and no round meets who minted its state");
}

/// Refuses everything that comes between 1 and 4 s.
fn closed_for_a_while(asked: &Asked, epoch: tokio::time::Instant) -> Answer {
    match (asked.at - epoch).as_millis() {
        1000..4000 => Answer::throttled(1, "1"),
        _ => Answer::complete(1),
    }
}

#[tokio::test(start_paused = true)]
async fn one_workflow_tests_a_replica_while_the_others_hold_back() {
    let epoch = tokio::time::Instant::now();
    let probe = play(
        "rate_per_s = 10\nduration_s = 8",
        "on = \"probe\"\njitter_s = 0\nmax_attempts = 10",
    );
    let played = probe.with(move |a| closed_for_a_while(a, epoch)).await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 80);
    let times = played
        .asked
        .iter()
        .map(|a| (a.at - played.epoch).as_millis());
    let refused: Vec<u128> = times.filter(|ms| (1000..4000).contains(ms)).collect();
    assert_eq!(refused, [1000, 2001, 3002], "one test a second");
    let throttle = throttle(&played);
    let recovery = throttle.recovery.as_ref().unwrap();
    assert_eq!((recovery.count, recovery.max_ns), (1, 3003 * MS));
    assert_eq!(throttle.new_attempts, 3);
    // From 1.1 s to 4 s, 30 arrived; each waited until the test was admitted.
    let waited = throttle.waited.as_ref().unwrap();
    assert_eq!(waited.count, 3 + 30);
    let lateness = played.result.generator.lateness.as_ref().unwrap();
    assert_eq!((lateness.count, lateness.max_ns), (80, 0));
    assert_eq!(played.result.generator.bound_by, Bound::Plan);
}

#[tokio::test(start_paused = true)]
async fn when_the_test_gives_up_another_workflow_tests() {
    let epoch = tokio::time::Instant::now();
    let probe = play(
        "rate_per_s = 10\nduration_s = 8",
        "on = \"probe\"\njitter_s = 0\nmax_attempts = 2",
    );
    let played = probe.with(move |a| closed_for_a_while(a, epoch)).await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Throttled), 1);
    assert_eq!(played.outcome(Outcome::Ok), 79);
    assert_eq!(throttle(&played).recovery.as_ref().unwrap().count, 1);
}

#[tokio::test(start_paused = true)]
async fn whoever_is_held_back_to_the_end_was_never_sent() {
    let probe = play(
        "rate_per_s = 10\nduration_s = 1\ndrain_s = 1",
        "on = \"probe\"\nmax_attempts = 1000",
    );
    let played = probe.with(|_| Answer::throttled(1, "0")).await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Throttled), 10);
    let (result, load) = (&played.result, &played.result.load);
    let round = &result.all.rounds[0];
    assert_eq!((round.count, round.sent), (10, 1), "the one that tested");
    assert_eq!((load.rounds, load.rounds_sent), (10, 1));
    assert_eq!(load.never_sent[&Outcome::Throttled], 9);
    let limited_by = &result.generator.bound_reason;
    assert!(
        limited_by.starts_with("the target's rate limit: 9 rounds"),
        "{limited_by}"
    );
    assert_eq!(result.replicas[0].rounds[&Outcome::Throttled], 1);
    let times = round.outcomes[&Outcome::Throttled].response.as_ref();
    assert_eq!(
        times.unwrap().count,
        1,
        "nothing was answered to the others"
    );
    assert_eq!(result.all.mean_rounds, Some(0.1));
    let mut findings = result.findings.iter().map(|finding| finding.code);
    assert!(findings.all(|code| code != FindingCode::Unfinished));
}

/// Connections are refused for a while: what is sent later on purpose is not late.
#[tokio::test(start_paused = true)]
async fn every_attempt_counts_whether_or_not_it_could_be_sent() {
    let again = play(
        "rate_per_s = 10\nduration_s = 1\ndrain_s = 30",
        "retry_on = [\"connect\"]\nmax_attempts = 3",
    );
    let played = again
        .with(|asked| match (asked.workflow, asked.attempt) {
            (0..3, _) => Answer::refused(1),
            (3, 0..2) => Answer::refused(1),
            (4..6, 0) => Answer::refused(1),
            _ => Answer::complete(20),
        })
        .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 7);
    assert_eq!(played.outcome(Outcome::ConnectError), 3);
    let load = &played.result.load;
    assert_eq!((load.attempts, load.attempts_sent), (9 + 3 + 4 + 4, 7));
    assert_eq!((load.rounds, load.rounds_sent), (10, 7));
    let round = &played.result.all.rounds[0];
    assert_eq!((round.attempts, round.attempts_sent), (20, 7));
    assert_eq!(round.superseded[&Outcome::ConnectError].count, 10);
    let throttle = throttle(&played);
    assert_eq!((throttle.new_attempts, throttle.wasted_attempts), (10, 10));
    let by_attempts = throttle.rounds_by_attempts.iter();
    assert!(by_attempts.eq([(&2, &2), (&3, &4)]));
    assert_eq!(played.result.replicas[0].rounds[&Outcome::ConnectError], 3);
    let lateness = played.result.generator.lateness.as_ref().unwrap();
    assert_eq!(lateness.count, 7);
    // Back-offs of up to 2 s end on a millisecond of the timer.
    assert!(lateness.max_ns <= MS, "{lateness:?}");
    assert_eq!(played.result.generator.bound_by, Bound::Plan);
}

/// A counter that admits 5 requests in each window of 10 s: for each replica, or one for all.
fn counted(shared: bool) -> impl Fn(&Asked) -> Answer {
    let epoch = tokio::time::Instant::now();
    let counts = RefCell::new(HashMap::new());
    move |asked| {
        let window = (asked.at - epoch).as_secs() / 10;
        let key = (window, if shared { 0 } else { asked.to });
        let mut counts = counts.borrow_mut();
        let count = counts.entry(key).or_insert(0);
        *count += 1;
        if *count > 5 {
            Answer::throttled(1, "")
        } else {
            Answer::complete(1)
        }
    }
}

#[tokio::test(start_paused = true)]
async fn counters_that_are_not_shared_admit_a_multiple_of_the_limit() {
    for (load, shared, blocked, ratio) in [
        (
            "rate_per_s = 1\nduration_s = 60\nspread = \"next\"",
            true,
            30,
            1.0,
        ),
        (
            "rate_per_s = 1\nduration_s = 60\nspread = \"next\"",
            false,
            0,
            2.0,
        ),
        (
            "rate_per_s = 2\nduration_s = 60\nspread = \"next\"",
            false,
            30,
            3.0,
        ),
    ] {
        let mut play = play(load, "limit_per_s = 0.5");
        play.replicas = 3;
        let played = play.with(counted(shared)).await;
        played.assert_accounts();
        assert_eq!(played.outcome(Outcome::Throttled), blocked, "{load}");
        let seen = throttle(&played).admitted_over_limit.unwrap();
        // The first window is cut where its first refusal came.
        assert!((seen - ratio).abs() < 0.1 * ratio, "{load}: {seen}");
    }
}

#[tokio::test(start_paused = true)]
async fn three_ways_to_say_it_are_one_outcome() {
    let way = Cell::new(0);
    let played = Play::new("rate_per_s = 100\nduration_s = 3")
        .with(move |asked| {
            if asked.workflow % 10 > 2 {
                return Answer::complete(1);
            }
            way.set((way.get() + 1) % 3);
            match way.get() {
                0 => Answer::throttled(1, ""),
                1 => Answer::error(1, &json!({"code": -32000, "message": "Rate limit exceeded"})),
                _ => Answer::result(
                    1,
                    &json!({"isError": true, "content": [{"type": "text", "text": "Too many requests"}]}),
                ),
            }
        })
        .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Throttled), 90);
    assert_eq!(played.outcome(Outcome::Ok), 210);
    assert_eq!(
        played.result.load.outcomes.len(),
        2,
        "nothing is a failure of the transport"
    );
    let signals = throttle(&played)
        .signals
        .iter()
        .map(|s| (s.count, s.guessed > 0));
    let mut signals: Vec<_> = signals.collect();
    signals.sort_unstable();
    assert_eq!(signals, [(30, true), (60, true)]);
}
