use loadgen_measure::{Bound, FindingCode, NotStarted, Outcome, SlotLimit};

use super::{Answer, Asked, Part, Play, Stop};
use crate::transport::Failure;

const MS: u64 = 1_000_000;

fn quick(_: &Asked) -> Answer {
    Answer::complete(5)
}

#[tokio::test(start_paused = true)]
async fn arrivals_are_sent_at_n_over_rate_and_all_end() {
    let played = Play::new("rate_per_s = 10\nduration_s = 1")
        .with(quick)
        .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 10);
    assert_eq!(
        played.times_ms(0),
        (0..10).map(|n| n * 100).collect::<Vec<_>>()
    );
    assert_eq!(
        played.elapsed.as_millis(),
        1000,
        "the load lasts its whole time"
    );
}

#[tokio::test(start_paused = true)]
async fn arrivals_above_the_limit_in_flight_are_not_started() {
    let play = Play::new("rate_per_s = 10\nduration_s = 1\nmax_in_flight = 1");
    let played = play.with(|_| Answer::complete(250)).await;
    played.assert_accounts();
    assert_eq!(played.times_ms(0), [0, 300, 600, 900]);
    assert_eq!(played.not_started(NotStarted::NoFreeWorker), 6);
    assert_eq!(played.flying.max, 1);
}

#[tokio::test(start_paused = true)]
async fn one_worker_cannot_reach_the_rate_and_the_result_says_so() {
    let play = Play::new("rate_per_s = 100\nduration_s = 30\nmax_in_flight = 1");
    let played = play.with(|_| Answer::complete(95)).await;
    played.assert_accounts();
    assert_eq!(played.result.load.started, 300);
    assert_eq!(played.not_started(NotStarted::NoFreeWorker), 2700);
    let mut findings = played.result.findings.iter().map(|finding| finding.code);
    assert!(findings.any(|code| code == FindingCode::RateNotReached));
}

#[tokio::test(start_paused = true)]
async fn what_hangs_at_the_end_of_the_drain_is_unfinished_with_its_age() {
    let play = Play::new("rate_per_s = 10\nduration_s = 1\ndrain_s = 2");
    let played = play
        .with(|asked| match asked.workflow % 5 {
            0 => Answer::never(),
            _ => Answer::complete(5),
        })
        .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 8);
    assert_eq!(played.outcome(Outcome::Unfinished), 2);
    assert_eq!(played.elapsed.as_millis(), 3000);
    for figures in [
        &played.result.all.workflows[&Outcome::Unfinished],
        &played.result.all.rounds[0].outcomes[&Outcome::Unfinished],
    ] {
        let age = figures.age.as_ref().unwrap();
        assert_eq!((age.min_ns, age.max_ns), (2500 * MS, 3000 * MS));
        assert!(figures.response.is_none() && figures.service.is_none());
    }
    assert_eq!(played.failures[0].outcome, Outcome::Unfinished);
    assert_eq!(played.failures[0].count, 2);
}

#[tokio::test(start_paused = true)]
async fn without_a_drain_the_last_one_is_unfinished() {
    let play = Play::new("rate_per_s = 10\nduration_s = 1\ndrain_s = 0");
    let played = play.with(|_| Answer::complete(150)).await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 9);
    let age = played.result.all.workflows[&Outcome::Unfinished]
        .age
        .clone();
    assert_eq!(age.unwrap().max_ns, 100 * MS);
    assert_eq!(played.elapsed.as_millis(), 1000);
}

#[tokio::test(start_paused = true)]
async fn a_workflow_that_thinks_at_the_end_is_unfinished_but_none_of_its_rounds_is() {
    let mut play = Play::new("rate_per_s = 1\nduration_s = 1\ndrain_s = 1");
    play.workflow = "think_s = 60";
    let played = play.with(|_| Answer::question(5, "s")).await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Unfinished), 1);
    assert_eq!(played.result.all.rounds.len(), 1);
    assert_eq!(played.result.all.rounds[0].ok().unwrap().count, 1);
    assert_eq!(played.result.all.mean_rounds, Some(1.0));
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_starts_nothing_more_and_waits_for_what_flies() {
    let mut play = Play::new("rate_per_s = 10\nduration_s = 1");
    play.stops = vec![(450, Stop::Drain)];
    let played = play.with(|_| Answer::complete(100)).await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 5);
    assert_eq!(played.not_started(NotStarted::Interrupted), 5);
    assert_eq!(played.elapsed.as_millis(), 500);
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_waits_no_longer_than_the_drain() {
    let mut play = Play::new("rate_per_s = 10\nduration_s = 1\ndrain_s = 2");
    play.stops = vec![(450, Stop::Drain)];
    let played = play.with(|_| Answer::never()).await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Unfinished), 5);
    assert_eq!(played.elapsed.as_millis(), 2450);
}

#[tokio::test(start_paused = true)]
async fn a_second_interrupt_abandons_what_flies() {
    let mut play = Play::new("rate_per_s = 10\nduration_s = 1");
    play.stops = vec![(250, Stop::Drain), (450, Stop::Now)];
    let played = play.with(|_| Answer::never()).await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Abandoned), 3);
    assert_eq!(played.not_started(NotStarted::Interrupted), 7);
    assert_eq!(played.elapsed.as_millis(), 450);
    let age = played.result.all.workflows[&Outcome::Abandoned].age.clone();
    assert_eq!(age.unwrap().max_ns, 450 * MS);
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_at_once_is_one_in_every_workload() {
    for load in [
        "rate_per_s = 10\nduration_s = 1",
        "concurrency = 3\nduration_s = 1",
    ] {
        let mut play = Play::new(load);
        play.stops = vec![(1, Stop::Now)];
        let played = play.with(|_| Answer::never()).await;
        played.assert_accounts();
        assert_eq!(
            played.outcome(Outcome::Abandoned),
            played.result.load.started
        );
        assert_eq!(played.elapsed.as_millis(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_nobody_holds_ends() {
    for load in [
        "rate_per_s = 10\nduration_s = 100",
        "concurrency = 1\nduration_s = 100",
    ] {
        let mut play = Play::new(load);
        play.stops = vec![(450, Stop::No)];
        play.held = false;
        let played = play.with(|_| Answer::complete(100)).await;
        played.assert_accounts();
        assert_eq!(played.result.load.started, 5);
        assert_eq!(played.elapsed.as_millis(), 450);
    }
}

#[tokio::test(start_paused = true)]
async fn a_generator_that_is_too_late_gives_up_the_rest() {
    let play = Play::new("rate_per_s = 10\nduration_s = 1\ndrain_s = 2");
    let played = play
        .with(|asked| match asked.workflow {
            2 => Answer::complete(5).frozen(20_000),
            _ => Answer::complete(5),
        })
        .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 3);
    assert_eq!(played.not_started(NotStarted::RunEnded), 7);
}

#[tokio::test(start_paused = true)]
async fn what_the_generator_comes_to_late_is_skipped_on_request() {
    // The generator stands still from 200 to 450 ms: workflow 3 is 150 ms late then, and 4 is 50.
    for (load, skipped) in [
        ("rate_per_s = 10\nduration_s = 1", 0),
        ("rate_per_s = 10\nduration_s = 1\ncatch_up = \"skip\"", 1),
        (
            "rate_per_s = 10\nduration_s = 1\ncatch_up = \"skip\"\nskip_after_s = 0.04",
            2,
        ),
        (
            "rate_per_s = 10\nduration_s = 1\ncatch_up = \"skip\"\nskip_after_s = 0.2",
            0,
        ),
    ] {
        let played = Play::new(load)
            .with(|asked| match asked.workflow {
                2 => Answer::complete(20).frozen(250),
                _ => Answer::complete(20),
            })
            .await;
        played.assert_accounts();
        assert_eq!(played.not_started(NotStarted::Late), skipped, "{load}");
        assert_eq!(played.result.load.started, 10 - skipped);
        assert_eq!(played.result.seconds[0].not_started, skipped);
    }
}

#[tokio::test(start_paused = true)]
async fn users_of_a_closed_workload_begin_when_their_last_one_ended() {
    let play = Play::new("concurrency = 3\nduration_s = 1");
    let played = play.with(|_| Answer::complete(100)).await;
    played.assert_accounts();
    let want: Vec<u64> = (0..30).map(|n| n / 3 * 100).collect();
    assert_eq!(played.times_ms(0), want);
    assert_eq!(played.flying.max, 3);
    assert_eq!(played.result.load.in_flight.as_ref().unwrap().mean, 3.0);
    let mut ids: Vec<u64> = played.asked.iter().map(|asked| asked.workflow).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..30).collect::<Vec<_>>(), "each number once");
}

#[tokio::test(start_paused = true)]
async fn parts_together_are_the_whole_whatever_they_are() {
    for load in [
        "rate_per_s = 10\nduration_s = 1",
        "concurrency = 10\nduration_s = 0.1",
    ] {
        let mut ids = Vec::new();
        for index in 0..3 {
            let mut play = Play::new(load);
            play.part = Part { index, of: 3 };
            let played = play.with(|_| Answer::complete(100)).await;
            ids.extend(played.asked.iter().map(|asked| asked.workflow));
        }
        ids.sort_unstable();
        assert_eq!(ids, (0..10).collect::<Vec<_>>(), "{load}");
    }
    let plan = Play::new("rate_per_s = 10\nduration_s = 1").plan();
    let share = |index, of| Part { index, of }.share(10, &plan);
    let shares = |of| (0..of).map(move |index| share(index, of));
    assert_eq!(shares(3).collect::<Vec<_>>(), [4, 3, 3]);
    assert_eq!(shares(7).sum::<u32>(), 10);
}

#[tokio::test(start_paused = true)]
async fn failures_without_a_reply_have_their_class_and_no_latency() {
    let play = Play::new("rate_per_s = 10\nduration_s = 1\ntimeout_s = 0.5");
    let played = play
        .with(|asked| match asked.workflow % 5 {
            0 => Answer::failure(3, Failure::Connection("connection refused".to_owned())),
            1 => Answer::failure(3, Failure::Stale),
            2 => Answer::failure(3, Failure::Generator("too many open files".to_owned())),
            3 => Answer::never(),
            _ => Answer::complete(3),
        })
        .await;
    played.assert_accounts();
    for (outcome, ms) in [
        (Outcome::ConnectError, 3),
        (Outcome::StaleConnection, 3),
        (Outcome::GeneratorFault, 3),
        (Outcome::Timeout, 500),
    ] {
        let figures = &played.result.all.rounds[0].outcomes[&outcome];
        assert_eq!(figures.count, 2, "{outcome}");
        assert!(figures.response.is_none() && figures.service.is_none());
        assert_eq!(figures.time_to_error.as_ref().unwrap().max_ns, ms * MS);
        assert!(played.failures.iter().any(|f| f.outcome == outcome));
    }
    assert_eq!(played.result.all.ok().unwrap().count, 2);
}

#[tokio::test(start_paused = true)]
async fn without_any_success_there_is_no_figure_of_one() {
    let play = Play::new("rate_per_s = 10\nduration_s = 1");
    let played = play
        .with(|_| Answer::failure(1, Failure::Connection("connection refused".to_owned())))
        .await;
    played.assert_accounts();
    assert!(played.result.all.ok().is_none());
    let mut findings = played.result.findings.iter().map(|finding| finding.code);
    assert!(findings.any(|code| code == FindingCode::NoSuccess));
}

#[tokio::test(start_paused = true)]
async fn users_without_a_connection_pause_before_they_try_again() {
    let play = Play::new("concurrency = 2\nduration_s = 1");
    let refused = || Failure::Connection("connection refused".to_owned());
    let played = play.with(move |_| Answer::failure(0, refused())).await;
    played.assert_accounts();
    // One try each at 0, 100, …, 900 ms, and not as many as the machine can fail.
    assert_eq!(played.outcome(Outcome::ConnectError), 20);
}

#[tokio::test(start_paused = true)]
async fn what_had_no_connection_when_the_run_ended_was_not_sent() {
    let play = Play::new("rate_per_s = 10\nduration_s = 1\ndrain_s = 1");
    let played = play
        .with(|asked| match asked.workflow {
            0..2 => Answer::complete(20),
            2..4 => Answer::never(),
            _ => Answer::in_line(),
        })
        .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Unfinished), 8);
    let (result, load) = (&played.result, &played.result.load);
    assert_eq!((load.rounds, load.rounds_sent), (10, 4));
    assert_eq!((load.attempts, load.attempts_sent), (10, 4));
    assert_eq!(load.never_sent[&Outcome::Unfinished], 6);
    assert_eq!(result.replicas[0].rounds[&Outcome::Unfinished], 2);
    assert_eq!(result.all.rounds[0].request.as_ref().unwrap().count, 4);
    // Due from 0.4 to 0.9 s, in line until 2 s: 8.1 s of the 8.1 + 3.5 + 0.04 s of all response time.
    let waits = &result.connections.slot_waits[&SlotLimit::Connections];
    assert_eq!((waits.count, waits.sum_ns / MS), (6, 8100));
    assert_eq!(result.generator.bound_by, Bound::Generator);
    let reason = &result.generator.bound_reason;
    assert!(reason.starts_with("connection cap: 70 %"), "{reason}");
    let mut said: Vec<_> = played
        .failures
        .iter()
        .map(|failure| (failure.count, failure.text.as_str()))
        .collect();
    said.sort_unstable();
    assert_eq!(
        said,
        [
            (2, "no reply by the end of the run to round 0"),
            (6, "no connection by the end of the run for round 0"),
        ]
    );
    let mut findings = result.findings.iter().map(|f| f.sentence.as_str());
    assert!(findings.any(|sentence| sentence
        == "8 workflows were still under way when the drain ended (6 of them had no connection, and \
            had not sent their round); their ages are lower bounds"));
}
