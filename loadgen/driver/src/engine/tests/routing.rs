use loadgen_measure::{FindingCode, MatrixCell, Outcome};

use super::{Answer, Asked, Part, Play, Played};

/// Two retries; the state names the replica that minted it.
fn shared_keys(asked: &Asked) -> Answer {
    assert_eq!(asked.state().is_some(), asked.round > 0);
    match asked.round {
        0 | 1 => Answer::question(1, &format!("{}:{}", asked.to, asked.round)),
        _ => Answer::complete(1),
    }
}

/// The same, but a replica knows only its own states.
fn own_keys(asked: &Asked) -> Answer {
    let own = format!("{}:", asked.to);
    match asked.state() {
        Some(state) if !state.starts_with(&own) => Answer::rejected(1),
        _ => shared_keys(asked),
    }
}

fn play(load: &'static str) -> Play {
    let mut play = Play::new(load);
    play.replicas = 3;
    play
}

fn cell(played: &Played, minted_by: usize, opened_by: usize) -> MatrixCell {
    let cell = played.result.matrix.cell(minted_by, opened_by);
    cell.cloned().unwrap_or(MatrixCell {
        minted_by,
        opened_by,
        ok: 0,
        state_rejected: 0,
        other: 0,
        service: None,
    })
}

fn cells() -> impl Iterator<Item = (usize, usize)> {
    (0..9).map(|n| (n / 3, n % 3))
}

#[tokio::test(start_paused = true)]
async fn next_never_meets_the_replica_that_minted() {
    let played = play("rate_per_s = 30\nduration_s = 3\nspread = \"next\"")
        .with(shared_keys)
        .await;
    played.assert_accounts();
    for (minted_by, opened_by) in cells() {
        let want = if (minted_by + 1) % 3 == opened_by {
            60
        } else {
            0
        };
        assert_eq!(cell(&played, minted_by, opened_by).ok, want);
    }
}

#[tokio::test(start_paused = true)]
async fn sticky_meets_no_other() {
    let played = play("rate_per_s = 30\nduration_s = 3\nspread = \"sticky\"")
        .with(own_keys)
        .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 90);
    for (minted_by, opened_by) in cells() {
        let count = cell(&played, minted_by, opened_by).total();
        assert_eq!(count > 0, minted_by == opened_by);
    }
    assert_eq!(played.result.matrix.total(), 180);
}

#[tokio::test(start_paused = true)]
async fn a_kind_goes_where_its_own_spread_says() {
    let mut play = play("rate_per_s = 60\nduration_s = 30\nspread = \"next\"");
    play.workflow = "[[workflow]]\nname = \"stays\"\ntool = \"t\"\nspread = \"sticky\"";
    let played = play.with(shared_keys).await;
    played.assert_accounts();
    let [moves, stays] = &played.result.kinds[..] else {
        panic!("two kinds");
    };
    assert!(moves.started > 700 && stays.started > 700);
    let (mut same, mut other) = (0, 0);
    for (minted_by, opened_by) in cells() {
        let count = cell(&played, minted_by, opened_by).ok;
        *if minted_by == opened_by {
            &mut same
        } else {
            &mut other
        } += count;
    }
    assert_eq!((other, same), (2 * moves.started, 2 * stays.started));
    // Both take the same time in the double, so neither costs more, and that is sure.
    let retry = played.result.retry.as_ref().unwrap();
    let [spread] = &retry.spreads[..] else {
        panic!("{retry:?}");
    };
    assert_eq!(spread.kinds, ["stays", "t"]);
    assert_eq!(spread.spreads, ["sticky", "next"]);
    let (low, high) = spread.service.interval_95.unwrap();
    assert!(low > 0.999 && high < 1.001, "{spread:?}");
    assert!(
        retry.sentence.contains("within the noise"),
        "{}",
        retry.sentence
    );
}

#[tokio::test(start_paused = true)]
async fn random_fills_every_cell_evenly() {
    let played = play("rate_per_s = 900\nduration_s = 2")
        .with(shared_keys)
        .await;
    played.assert_accounts();
    assert_eq!(played.result.matrix.total(), 3600);
    for (minted_by, opened_by) in cells() {
        let count = cell(&played, minted_by, opened_by).ok;
        // Three sigma of a binomial with n = 3600, p = 1/9 is 57.
        assert!(
            count.abs_diff(400) < 58,
            "{minted_by} to {opened_by}: {count}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn keys_that_are_not_shared_fail_as_often_as_chance_says_and_are_named() {
    let played = play("rate_per_s = 900\nduration_s = 2")
        .with(own_keys)
        .await;
    played.assert_accounts();
    let ok = played.outcome(Outcome::Ok);
    // Three sigma of a binomial with n = 1800, p = 1/9 is 40.
    assert!(ok.abs_diff(200) < 41, "{ok}");
    assert_eq!(ok + played.outcome(Outcome::StateRejected), 1800);
    for (minted_by, opened_by) in cells() {
        let cell = cell(&played, minted_by, opened_by);
        assert!(cell.total() > 0);
        let rejected = if minted_by == opened_by {
            0
        } else {
            cell.total()
        };
        assert_eq!(cell.state_rejected, rejected);
    }
    let mut findings = played.result.findings.iter().map(|finding| finding.code);
    assert!(findings.any(|code| code == FindingCode::KeyOrAudienceNotShared));
}

#[tokio::test(start_paused = true)]
async fn keys_that_are_not_shared_never_work_under_next() {
    let played = play("rate_per_s = 30\nduration_s = 3\nspread = \"next\"")
        .with(own_keys)
        .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 0);
    assert_eq!(played.outcome(Outcome::StateRejected), 90);
}

#[tokio::test(start_paused = true)]
async fn a_question_without_a_state_has_no_minting_replica() {
    let played = play("rate_per_s = 30\nduration_s = 1")
        .with(|asked| match asked.round {
            0 => {
                let form = serde_json::json!({"resultType": "input_required", "inputRequests": {
                    "r": {"method": "roots/list"}}});
                Answer::result(1, &form)
            }
            _ => Answer::complete(1),
        })
        .await;
    played.assert_accounts();
    assert_eq!(played.result.all.rounds[1].ok().unwrap().count, 30);
    assert_eq!(played.result.matrix.total(), 0);
}

#[tokio::test(start_paused = true)]
async fn routes_belong_to_the_seed_and_not_to_the_threads() {
    async fn routes(load: &'static str, of: u32) -> Vec<(u64, u16, u16)> {
        let mut routes = Vec::new();
        for index in 0..of {
            let mut play = play(load);
            play.part = Part { index, of };
            let played = play.with(shared_keys).await;
            routes.extend(played.asked.iter().map(|a| (a.workflow, a.round, a.to)));
        }
        routes.sort_unstable();
        routes
    }
    let one = routes("rate_per_s = 40\nduration_s = 1", 1).await;
    assert_eq!(one.len(), 120);
    assert_eq!(one, routes("rate_per_s = 40\nduration_s = 1", 3).await);
    let concurrency = "concurrency = 40\nduration_s = 0.003";
    assert_eq!(one, routes(concurrency, 2).await, "nor to the workload");
}
