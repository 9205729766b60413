use std::cell::Cell;

use loadgen_measure::FindingCode;
use tokio::time::Instant;

use super::{Answer, Play, Played};

/// One queue in the generator, as of a single connection: 10 ms a request, 100 of them a second.
async fn play(load: &'static str) -> Played {
    let begin = Instant::now();
    let free_ms = Cell::new(0);
    let play = Play::new(load);
    let played = play
        .with(move |asked| {
            let now_ms = (asked.at - begin).as_millis() as u64;
            let wait_ms = free_ms.get().max(now_ms) - now_ms;
            free_ms.set(now_ms + wait_ms + 10);
            Answer::complete(10).held(wait_ms)
        })
        .await;
    played.assert_accounts();
    played
}

fn said(played: &Played) -> Option<&str> {
    let mut findings = played.result.findings.iter();
    let finding = findings.find(|finding| finding.code == FindingCode::NotKeptUp)?;
    Some(&finding.sentence)
}

#[tokio::test(start_paused = true)]
async fn twice_what_is_achieved_is_said_and_only_response_times_grow() {
    let played = play("rate_per_s = 200\nduration_s = 10\ndrain_s = 60").await;
    let achieved = played.result.load.achieved.unwrap();
    assert_eq!(achieved.offered_over_achieved, Some(2.0));
    assert!(
        said(&played)
            .unwrap()
            .starts_with("offered 2.0x achieved: ")
    );
    let ok = played.result.all.rounds[0].ok().unwrap();
    let service = ok.service.as_ref().unwrap();
    assert_eq!((service.min_ns, service.max_ns), (10_000_000, 10_000_000));
    // Workflow n was due at n / 200 s and done at (n + 1) / 100 s: the last after 10.005 s.
    let response = ok.response.as_ref().unwrap();
    assert_eq!((response.count, response.max_ns), (2000, 10_005_000_000));
    assert!(
        response.p50_ns.abs_diff(5_000_000_000) < 10_000_000,
        "{}",
        response.p50_ns
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_kept_up_with_is_achieved() {
    let played = play("rate_per_s = 100\nduration_s = 10").await;
    let achieved = played.result.load.achieved.unwrap();
    assert_eq!(achieved.offered_over_achieved, Some(1.0));
    assert_eq!(said(&played), None);
    let closed = play("concurrency = 3\nduration_s = 10").await;
    assert_eq!(closed.result.load.achieved, None, "nothing is offered");
}
