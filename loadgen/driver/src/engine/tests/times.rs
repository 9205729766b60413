use loadgen_measure::{LatencyFigures, Outcome};
use serde_json::json;

use super::{Answer, Play, Played};

const MS: u64 = 1_000_000;

/// All of one outcome and round: service and response time, in whole milliseconds, when each was
/// the same in every sample.
fn exact_ms(played: &Played, round: usize, outcome: Outcome) -> (u64, u64) {
    let one = |figures: &Option<LatencyFigures>| {
        let figures = figures.as_ref().unwrap();
        assert_eq!(figures.min_ns, figures.max_ns, "all the same");
        assert_eq!(figures.max_ns % MS, 0);
        figures.max_ns / MS
    };
    let figures = &played.result.all.rounds[round].outcomes[&outcome];
    (one(&figures.service), one(&figures.response))
}

#[tokio::test(start_paused = true)]
async fn thinking_is_in_the_workflow_and_in_no_round() {
    let mut play = Play::new("rate_per_s = 10\nduration_s = 1");
    play.workflow = "think_s = 0.5";
    let played = play
        .with(|asked| match asked.round {
            0 => Answer::question(20, "s"),
            _ => Answer::complete(30),
        })
        .await;
    played.assert_accounts();
    assert_eq!(exact_ms(&played, 0, Outcome::Ok), (20, 20));
    assert_eq!(exact_ms(&played, 1, Outcome::Ok), (30, 30));
    assert_eq!(
        played.times_ms(1),
        (0..10).map(|n| n * 100 + 520).collect::<Vec<_>>()
    );
    let whole = played.result.all.ok().unwrap().response.as_ref().unwrap();
    assert_eq!((whole.min_ns, whole.max_ns), (550 * MS, 550 * MS));
    assert_eq!(played.result.all.mean_think_ns, Some(500e6));
    assert_eq!(played.result.all.mean_rounds, Some(2.0));
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_a_connection_is_in_the_response_time_alone() {
    let play = Play::new("rate_per_s = 10\nduration_s = 1");
    let played = play
        .with(|asked| match asked.round {
            0 => Answer::question(20, "s").held(7),
            _ => Answer::complete(30).held(11),
        })
        .await;
    played.assert_accounts();
    assert_eq!(exact_ms(&played, 0, Outcome::Ok), (20, 27));
    assert_eq!(exact_ms(&played, 1, Outcome::Ok), (30, 41));
    let lateness = played.result.generator.lateness.unwrap();
    assert_eq!(lateness.count, 10, "only first rounds have a schedule");
    assert_eq!((lateness.min_ns, lateness.max_ns), (7 * MS, 7 * MS));
}

#[tokio::test(start_paused = true)]
async fn a_generator_that_stood_still_is_late_and_its_response_times_say_so() {
    let play = Play::new("rate_per_s = 10\nduration_s = 1");
    let played = play
        .with(|asked| match asked.workflow {
            2 => Answer::complete(20).frozen(250),
            _ => Answer::complete(20),
        })
        .await;
    played.assert_accounts();
    assert_eq!(played.result.load.started, 10, "it catches up");
    // Workflows 2, 3 and 4 were due at 200, 300 and 400 ms and sent at 450 ms.
    let lateness = played.result.generator.lateness.as_ref().unwrap();
    assert_eq!((lateness.max_ns, lateness.sum_ns), (250 * MS, 450 * MS));
    let figures = &played.result.all.rounds[0].outcomes[&Outcome::Ok];
    assert_eq!(figures.response.as_ref().unwrap().max_ns, 270 * MS);
    assert_eq!(figures.service.as_ref().unwrap().max_ns, 20 * MS);
}

#[tokio::test(start_paused = true)]
async fn a_replica_that_sheds_load_is_asked_again_at_its_pace() {
    let begin = tokio::time::Instant::now();
    let play = Play::new("rate_per_s = 1\nduration_s = 1");
    let played = play
        .with(move |asked| {
            assert!(asked.params.get("inputResponses").is_none());
            if (asked.at - begin).as_secs() < 2 {
                Answer::state_only(1, "later")
            } else {
                Answer::complete(1)
            }
        })
        .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 1);
    let sends: Vec<u64> = played
        .asked
        .iter()
        .map(|asked| u64::from(asked.round))
        .collect();
    assert_eq!(sends, (0..9).collect::<Vec<_>>());
    assert_eq!(played.times_ms(8), [8 * 251]);
    for round in 0..9 {
        assert_eq!(exact_ms(&played, round, Outcome::Ok), (1, 1));
    }
    assert_eq!(played.result.all.mean_think_ns, Some(2e9));
}

#[tokio::test(start_paused = true)]
async fn a_workflow_of_one_round_takes_as_long_as_its_round() {
    let play = Play::new("rate_per_s = 10\nduration_s = 1");
    let played = play
        .with(|_| Answer::complete(20).looked_at_us(15_000))
        .await;
    played.assert_accounts();
    assert_eq!(exact_ms(&played, 0, Outcome::Ok), (20, 20));
    let whole = played.result.all.ok().unwrap();
    let response = whole.response.as_ref().unwrap();
    assert_eq!((response.min_ns, response.max_ns), (20 * MS, 20 * MS));
    assert_eq!(played.flying.area_ns, u128::from(10 * 20 * MS));
}

#[tokio::test(start_paused = true)]
async fn the_area_in_flight_is_the_sum_of_the_times_in_flight() {
    let play = Play::new("rate_per_s = 20\nduration_s = 1\ndrain_s = 5");
    let played = play
        .with(|asked| Answer::complete(13 * asked.workflow + 1))
        .await;
    played.assert_accounts();
    let sum_ms: u64 = (0..20).map(|n| 13 * n + 1).sum();
    assert_eq!(played.flying.area_ns, u128::from(sum_ms * MS));
    // The number in flight just after each change, from the schedule alone.
    let landed = |id: u64| id * 50 + 13 * id + 1;
    let in_flight = |at: u64| {
        (0..20)
            .filter(|id| id * 50 <= at && at < landed(*id))
            .count()
    };
    let most = (0..1200).map(in_flight).max().unwrap();
    assert_eq!(played.flying.max, most as u64);
}

#[tokio::test(start_paused = true)]
async fn fast_refusals_do_not_blend_into_slow_successes() {
    let play = Play::new("rate_per_s = 100\nduration_s = 1");
    let played = play
        .with(|asked| match asked.workflow % 100 {
            0..73 => Answer::result(
                1,
                &json!({"isError": true, "content": [{"type": "text", "text": "Rate limit exceeded"}]}),
            ),
            _ => Answer::complete(2000),
        })
        .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Throttled), 73);
    assert_eq!(played.outcome(Outcome::Ok), 27);
    assert_eq!(exact_ms(&played, 0, Outcome::Throttled), (1, 1));
    assert_eq!(exact_ms(&played, 0, Outcome::Ok), (2000, 2000));
}

#[tokio::test(start_paused = true)]
async fn the_round_cap_decides_whether_nine_retries_end_well() {
    let nine = |asked: &super::Asked| match asked.round {
        0..9 => Answer::question(1, &format!("s{}", asked.round)),
        _ => Answer::complete(1),
    };
    let capped = Play::new("rate_per_s = 1\nduration_s = 1\nround_cap = 8")
        .with(nine)
        .await;
    capped.assert_accounts();
    assert_eq!(capped.outcome(Outcome::RoundCap), 1);
    assert_eq!(capped.asked.len(), 9, "round 0 and eight retries");
    let whole = Play::new("rate_per_s = 1\nduration_s = 1\nround_cap = 10")
        .with(nine)
        .await;
    whole.assert_accounts();
    assert_eq!(whole.outcome(Outcome::Ok), 1);
    assert_eq!(whole.result.all.mean_rounds, Some(10.0));
}
