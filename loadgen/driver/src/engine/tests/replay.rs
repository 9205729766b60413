use std::cell::Cell;
use std::collections::HashMap;

use loadgen_measure::{Outcome, ReplayedKind};

use super::{Answer, Asked, Play, Played};

async fn play(replicas: usize, script: impl Fn(&Asked) -> Answer + 'static) -> Played {
    let mut play = Play::new("rate_per_s = 10\nduration_s = 3");
    play.replicas = replicas;
    play.workflow = "replay = 3";
    play.with(script).await
}

/// What became of the replays of the only kind.
fn replays(played: &Played) -> &ReplayedKind {
    let used = played.result.single_use.as_ref();
    &used.expect("states were replayed").kinds[0]
}

/// One question, whose state is the workflow's number.
fn once(asked: &Asked, last: Answer) -> Answer {
    match asked.round {
        0 => Answer::question(1, &format!("state {}", asked.workflow)),
        _ => last,
    }
}

#[tokio::test(start_paused = true)]
async fn a_state_goes_to_several_replicas_at_once_and_other_figures_do_not_change() {
    let played = play(3, |asked| {
        once(asked, Answer::complete(2 + u64::from(asked.to)))
    })
    .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 30);
    assert_eq!(played.result.load.rounds, 60, "replays are no rounds");
    assert_eq!(played.result.load.attempts, 60);
    assert_eq!(played.asked.len(), 120);
    let mut by_state: HashMap<(u64, String), Vec<&Asked>> = HashMap::new();
    for asked in played.asked.iter().filter(|asked| asked.round == 1) {
        let key = (asked.workflow, asked.params.to_string());
        by_state.entry(key).or_default().push(asked);
    }
    assert_eq!(by_state.len(), 30, "the same bytes");
    for together in by_state.values() {
        let mut to: Vec<u16> = together.iter().map(|asked| asked.to).collect();
        to.sort_unstable();
        assert_eq!(to, [0, 1, 2]);
        assert!(together.iter().all(|asked| asked.at == together[0].at));
    }
    let kind = replays(&played);
    assert_eq!((kind.states, kind.requests, kind.ok), (30, 90, 90));
    assert_eq!((kind.carried_out_again, kind.most_ok), (30, 3));
}

#[tokio::test(start_paused = true)]
async fn whoever_may_use_a_state_once_ends_well_although_others_refuse_first() {
    let used = Cell::new(u64::MAX);
    let played = play(2, move |asked| {
        if asked.round == 0 {
            return once(asked, Answer::complete(1));
        }
        // The last of the three requests is the one that has it.
        let before = if used.get() / 10 == asked.workflow {
            used.get() % 10
        } else {
            0
        };
        used.set(asked.workflow * 10 + before + 1);
        match before {
            2 => Answer::complete(5),
            _ => Answer::rejected(1),
        }
    })
    .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 30);
    let kind = replays(&played);
    assert_eq!((kind.ok, kind.refused, kind.other), (30, 60, 0));
    assert_eq!(kind.carried_out_again, 0);
    // The reply that decides is that of the last, with its own time.
    let round = &played.result.all.rounds[1];
    let service = round.ok().and_then(|ok| ok.service.clone()).expect("times");
    assert!(
        (5_000_000..5_010_000).contains(&service.min_ns),
        "{service:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn replays_without_a_reply_are_neither_done_nor_refused() {
    let played = play(3, |asked| match (asked.round, asked.to) {
        (1, 2) => Answer::refused(1),
        _ => once(asked, Answer::rejected(1)),
    })
    .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 0);
    let kind = replays(&played);
    assert_eq!((kind.ok, kind.refused, kind.other), (0, 60, 30));
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_replays_nothing_says_nothing() {
    let mut play = Play::new("rate_per_s = 10\nduration_s = 3");
    play.replicas = 3;
    let played = play.with(|asked| once(asked, Answer::complete(1))).await;
    assert_eq!(played.asked.len(), 60);
    assert_eq!(played.result.single_use, None);
}
