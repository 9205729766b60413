//! Arrivals as a replica sees them, against what the plan says.

use super::{Answer, Asked, Part, Play, Played};
use crate::plan::Load;

fn quick(_: &Asked) -> Answer {
    Answer::complete(5)
}

async fn played(load: &'static str, seed: u64) -> Played {
    let mut play = Play::new(load);
    play.seed = seed;
    play.with(quick).await
}

/// Greatest distance between the share of the requests up to a time and the share of the planned
/// arrivals up to it (Kolmogorov), for a constant rate over `time_s`.
fn distance(played: &Played, time_s: f64) -> f64 {
    let n = played.asked.len() as f64;
    let places = played.asked.iter().enumerate().map(|(i, asked)| {
        let place = (asked.at - played.epoch).as_secs_f64() / time_s;
        f64::max((i + 1) as f64 / n - place, place - i as f64 / n)
    });
    places.fold(0.0, f64::max)
}

const EVEN: &str = "rate_per_s = 100\nduration_s = 10";
const POISSON: &str = "rate_per_s = 100\nduration_s = 10\narrivals = \"poisson\"";

#[tokio::test(start_paused = true)]
async fn even_arrivals_reach_the_replica_as_planned() {
    let played = played(EVEN, 1).await;
    played.assert_accounts();
    assert_eq!(played.asked.len(), 1000);
    assert!(distance(&played, 10.0) <= 1.36 / 1000_f64.sqrt());
}

/// 5 of 100 samples of a true Poisson process are further away; three sigma above 1 of 20 is 4.
#[tokio::test(start_paused = true)]
async fn poisson_arrivals_reach_the_replica_as_planned() {
    let mut far = 0;
    for seed in 0..20 {
        let played = played(POISSON, seed).await;
        played.assert_accounts();
        assert_eq!(played.asked.len(), 1000);
        far += usize::from(distance(&played, 10.0) > 1.36 / 1000_f64.sqrt());
    }
    assert!(far <= 4, "{far} of 20");
}

#[tokio::test(start_paused = true)]
async fn no_arrival_is_early_or_moves_with_the_number_of_threads() {
    let plan = Play::new(POISSON).plan();
    let Load::Open { schedule, .. } = &plan.load else {
        panic!("a rate is an open load");
    };
    for of in [1, 3] {
        for index in 0..of {
            let mut play = Play::new(POISSON);
            play.part = Part { index, of };
            let played = play.with(quick).await;
            for asked in &played.asked {
                let due = schedule.due(plan.seed, asked.workflow);
                let late = (asked.at - played.epoch).checked_sub(due);
                // Paused time goes in whole milliseconds.
                assert!(late.is_some_and(|late| late.as_millis() < 1), "{late:?}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_ramp_a_pause_and_a_spike_reach_the_replica_as_planned() {
    let stages = "[[load.stage]]\nfrom_rate_per_s = 0\nrate_per_s = 20\nduration_s = 10\n\
        [[load.stage]]\nrate_per_s = 0\nduration_s = 5\n\
        [[load.stage]]\nrate_per_s = 500\nduration_s = 0.1";
    let played = played(stages, 1).await;
    played.assert_accounts();
    let times = played.times_ms(0);
    assert_eq!(times.len(), 150);
    // The integral over the ramp is t^2.
    assert_eq!([times[1], times[25], times[81]], [1000, 5000, 9000]);
    assert_eq!([times[100], times[149]], [15_000, 15_098]);
    assert_eq!(played.elapsed.as_millis(), 15_103, "the last one ends");
}
