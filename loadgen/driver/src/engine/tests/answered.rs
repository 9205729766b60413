//! What replies count as, and for which replica.

use loadgen_measure::{FindingCode, Outcome};
use serde_json::json;

use super::{Answer, Play};

#[tokio::test(start_paused = true)]
async fn an_error_inside_a_result_is_no_success_and_has_times_of_its_own() {
    let played = Play::new("rate_per_s = 100\nduration_s = 1")
        .with(|asked| match asked.workflow % 10 {
            0 => Answer::result(3, &json!({"isError": true, "content": []})),
            _ => Answer::complete(8),
        })
        .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 90);
    assert_eq!(played.outcome(Outcome::ToolError), 10);
    let rounds = &played.result.all.rounds[0].outcomes;
    for (outcome, ms) in [(Outcome::Ok, 8), (Outcome::ToolError, 3)] {
        let response = rounds[&outcome].response.as_ref().unwrap();
        assert_eq!(
            (response.min_ns, response.max_ns),
            (ms * 1_000_000, ms * 1_000_000)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_result_without_the_expected_text_is_no_success_and_has_times_of_its_own() {
    let mut play = Play::new("rate_per_s = 100\nduration_s = 1");
    play.workflow = "expect_text = \"docked\"";
    let told = |ms, text| Answer::result(ms, &json!({"content": [{"type": "text", "text": text}]}));
    let played = play
        .with(move |asked| match (asked.round, asked.workflow % 10) {
            (0, 1) => Answer::question(1, "a question is not looked at"),
            (_, 0) => told(3, "all adrift"),
            _ => told(8, "safely docked"),
        })
        .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 90);
    assert_eq!(played.outcome(Outcome::WrongContent), 10);
    let rounds = &played.result.all.rounds[0].outcomes;
    let response = rounds[&Outcome::WrongContent].response.as_ref().unwrap();
    assert_eq!((response.min_ns, response.max_ns), (3_000_000, 3_000_000));
    let [failure] = played.failures.as_slice() else {
        panic!("one sentence: {:?}", played.failures);
    };
    assert_eq!(
        failure.text,
        "expected the text `docked`, got a result with: all adrift"
    );
}

#[tokio::test(start_paused = true)]
async fn answers_that_a_server_does_not_take_are_a_protocol_error_and_end_the_workflow() {
    let played = Play::new("rate_per_s = 10\nduration_s = 1")
        .with(|asked| match asked.round {
            0 => Answer::question(1, "s"),
            _ => Answer::coded(1, -32602, 400),
        })
        .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::ProtocolError), 10);
    assert_eq!(played.asked.len(), 20);
}

#[tokio::test(start_paused = true)]
async fn states_without_questions_are_counted_apart_from_questions() {
    let mut play = Play::new("rate_per_s = 10\nduration_s = 1");
    play.replicas = 2;
    let played = play
        .with(|asked| match asked.round {
            0 => Answer::question(1, "a"),
            1 | 2 => Answer::state_only(1, "b"),
            _ => Answer::complete(1),
        })
        .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 10);
    let replicas = &played.result.replicas;
    let state_only: u64 = replicas.iter().map(|r| r.state_only_rounds).sum();
    assert_eq!(state_only, 20);
    for (at, replica) in replicas.iter().enumerate() {
        let asked = played.asked.iter();
        let here = asked.filter(|a| usize::from(a.to) == at && (a.round == 1 || a.round == 2));
        assert_eq!(replica.state_only_rounds, here.count() as u64);
    }
}

#[tokio::test(start_paused = true)]
async fn one_replica_of_another_revision_is_seen_by_replica() {
    let mut play = Play::new("rate_per_s = 30\nduration_s = 1\nspread = \"next\"");
    play.replicas = 3;
    let played = play
        .with(|asked| match asked.to {
            2 => Answer::coded(1, -32022, 400),
            _ => Answer::complete(1),
        })
        .await;
    played.assert_accounts();
    let failed = |at: usize| {
        let rounds = &played.result.replicas[at].rounds;
        let failed = rounds.get(&Outcome::ProtocolError).copied().unwrap_or(0);
        (failed, rounds.values().sum::<u64>())
    };
    assert_eq!(
        [failed(0), failed(1), failed(2)],
        [(0, 10), (0, 10), (10, 10)]
    );
    assert_eq!(played.failures.len(), 1);
    assert_eq!(played.failures[0].replica, 2);
}

#[tokio::test(start_paused = true)]
async fn the_size_at_which_a_server_turns_requests_away_is_said() {
    // The state grows by 1000 bytes a round; requests of more than 10 000 are refused.
    let sizes = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let seen = std::rc::Rc::clone(&sizes);
    let mut play = Play::new("rate_per_s = 10\nduration_s = 1\nround_cap = 50");
    play.client = "[payload]\nbody_limit_bytes = 10000";
    let played = play
        .with(move |asked| {
            if asked.body_bytes > 10_000 {
                seen.borrow_mut().push(asked.body_bytes as u64);
                return Answer::page(1, 413);
            }
            Answer::question(1, &"s".repeat(1000 * usize::from(asked.round + 1)))
        })
        .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::ProtocolError), 10);
    let too_large = played.result.replicas[0].too_large.unwrap();
    let smallest = *sizes.borrow().iter().min().unwrap();
    assert_eq!((too_large.count, too_large.smallest_bytes), (10, smallest));
    assert!(
        (10_001..11_001).contains(&smallest),
        "within one step: {smallest}"
    );
    let payload = played.result.payload.as_ref().unwrap();
    assert_eq!(payload.body_limit_bytes, Some(10_000));
    let kind = &payload.kinds[0];
    let refused = kind.refused.unwrap();
    assert_eq!((refused.count, refused.smallest_bytes), (10, smallest));
    let foretold = kind.limit_round.unwrap();
    assert!(
        foretold.abs_diff(refused.first_round.into()) <= 1,
        "{kind:?}"
    );
    let said = [
        "grows linearly, 1000 B + 1000 B a round",
        "a body limit of 10 000 B is met in round",
    ];
    assert!(
        said.iter().all(|said| kind.sentence.contains(said)),
        "{}",
        kind.sentence
    );
    let mut findings = played.result.findings.iter();
    let finding = findings.find(|f| f.code == FindingCode::TooLarge).unwrap();
    assert_eq!(
        finding.sentence,
        format!(
            "10 requests were refused as too large (HTTP 413), the smallest of {smallest} bytes"
        )
    );
}
