//! What is remembered of a principal, and by which thread.

use std::collections::BTreeMap;

use loadgen_measure::{NotStarted, Outcome};

use super::{Answer, Asked, Part, Play, Stop};

const TWO: &str = "tokens_command = [\"seq\", \"2\"]";
const THREE: &str = "tokens_command = [\"seq\", \"3\"]";

fn play(load: &'static str, client: &'static str, throttle: &'static str) -> Play {
    let mut play = Play::new(load);
    play.client = client;
    play.throttle = throttle;
    play
}

fn is(asked: &Asked, token: &str) -> bool {
    asked.token.as_deref().unwrap().ends_with(token)
}

#[tokio::test(start_paused = true)]
async fn a_limit_of_one_principal_holds_no_other() {
    let epoch = tokio::time::Instant::now();
    let play = play(
        "rate_per_s = 10\nduration_s = 8",
        TWO,
        "on = \"probe\"\njitter_s = 0\nmax_attempts = 10",
    );
    let played = play
        .with(move |asked| match (asked.at - epoch).as_millis() {
            1000..4000 if is(asked, " 1") => Answer::throttled(1, "1"),
            _ => Answer::complete(1),
        })
        .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 80);
    let times = |token| -> Vec<(u64, u64)> {
        let asked = played.asked.iter().filter(|asked| is(asked, token));
        asked
            .map(|a| (a.workflow, (a.at - played.epoch).as_millis() as u64))
            .collect()
    };
    for (workflow, at) in times(" 2") {
        assert_eq!(at, 100 * workflow, "as planned");
    }
    let closed = times(" 1");
    let closed = closed.iter().filter(|(_, at)| (1000..4000).contains(at));
    let closed: Vec<u64> = closed.map(|(_, at)| *at).collect();
    assert!(closed.len() == 3 || closed.len() == 2, "{closed:?}");
    assert!(
        closed.windows(2).all(|pair| pair[1] - pair[0] == 1001),
        "{closed:?}"
    );
    let throttle = played.result.throttle.as_ref().unwrap();
    assert_eq!(throttle.recovery.as_ref().unwrap().count, 1);
}

#[tokio::test(start_paused = true)]
async fn a_principal_spends_its_own_budget() {
    let play = play(
        "rate_per_s = 40\nduration_s = 1",
        TWO,
        "on = \"honour\"\njitter_s = 0\nbudget = { tokens = 10, cost = 5, refund = 0 }",
    );
    let played = play
        .with(|asked| match asked.attempt {
            0 => Answer::throttled(1, "1"),
            _ => Answer::complete(1),
        })
        .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 4, "two new attempts for each");
    assert!(["1", "2"].iter().all(|token| {
        let of = |asked: &&Asked| asked.attempt > 0 && is(asked, token);
        played.asked.iter().filter(of).count() == 2
    }));
}

#[tokio::test(start_paused = true)]
async fn a_user_of_a_closed_load_keeps_its_token() {
    let play = play("concurrency = 4\nduration_s = 1", THREE, "");
    let played = play.with(|_| Answer::complete(100)).await;
    assert_eq!(played.asked.len(), 40);
    for asked in &played.asked {
        let user = asked.workflow % 4;
        assert!(is(asked, &format!(" {}", user % 3 + 1)), "{asked:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn principals_and_not_threads_say_who_sends_what() {
    for load in [
        "rate_per_s = 30\nduration_s = 2",
        "concurrency = 60\nduration_s = 0.1",
    ] {
        let mut whole = None;
        for of in [1, 2, 3] {
            let mut sent = BTreeMap::new();
            let mut owners = BTreeMap::new();
            for index in 0..of {
                let mut play = play(load, THREE, "on = \"probe\"");
                play.part = Part { index, of };
                let played = play.with(|_| Answer::complete(100)).await;
                for asked in played.asked {
                    let token = asked.token.unwrap();
                    assert_eq!(*owners.entry(token.clone()).or_insert(index), index);
                    assert_eq!(sent.insert(asked.workflow, token), None, "sent once");
                }
            }
            assert_eq!((sent.len(), owners.len()), (60, 3), "{load}");
            assert_eq!(*whole.get_or_insert_with(|| sent.clone()), sent);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_lost_when_such_a_run_is_ended_early() {
    let (mut started, mut not_started) = (0, 0);
    for index in 0..2 {
        let mut play = play(
            "rate_per_s = 100\nduration_s = 10\nwarmup_s = 2",
            THREE,
            "on = \"probe\"",
        );
        play.part = Part { index, of: 2 };
        play.stops = vec![(1500, Stop::Drain)];
        let played = play.with(|_| Answer::complete(1)).await;
        started += played.result.load.started;
        not_started += played.not_started(NotStarted::Interrupted);
    }
    assert_eq!(started + not_started, 1000);
    assert!((149..=151).contains(&started), "{started}");
}

#[tokio::test(start_paused = true)]
async fn each_principal_is_counted() {
    let play = play(
        "rate_per_s = 40\nduration_s = 1\ndrain_s = 5",
        THREE,
        "on = \"honour\"\njitter_s = 0\nmax_attempts = 2",
    );
    // The first token is refused once each time, the second always, the third never.
    let played = play
        .with(|asked| {
            if is(asked, " 3") || (is(asked, " 1") && asked.attempt > 0) {
                Answer::complete(1)
            } else {
                Answer::throttled(1, "1")
            }
        })
        .await;
    played.assert_accounts();
    let principals = played.result.principals.as_ref().unwrap();
    assert_eq!((principals.count, principals.others), (3, None));
    let [once, always, never] = principals.each[..] else {
        panic!("{principals:?}");
    };
    for one in [once, always, never] {
        assert!(one.started >= 5, "40 were drawn for 3: {principals:?}");
        assert_eq!(one.started, one.ok + one.throttled);
    }
    assert_eq!(once.started + always.started + never.started, 40);
    assert_eq!((once.throttled, once.refused), (0, once.started));
    assert_eq!((always.ok, always.refused), (0, 2 * always.started));
    assert_eq!((never.refused, never.waited_s), (0, 0.0));
    for waiting in [once, always] {
        assert!((waiting.waited_s - waiting.started as f64).abs() < 1e-6);
    }
}

#[tokio::test(start_paused = true)]
async fn without_tokens_no_principal_is_counted() {
    let played = play("rate_per_s = 10\nduration_s = 1", "", "")
        .with(|_| Answer::complete(1))
        .await;
    assert_eq!(played.result.principals, None);
}
