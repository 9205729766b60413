use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use loadgen_measure::Outcome;
use serde_json::json;

use super::{Answer, Play};

#[tokio::test(start_paused = true)]
async fn accepting_declining_cancelling_and_answering_up_front_come_as_often_as_weighted() {
    let ran: Rc<RefCell<HashSet<u64>>> = Rc::default();
    let tool = Rc::clone(&ran);
    let mut play = Play::new("rate_per_s = 1000\nduration_s = 1");
    play.workflow = "answers = { accept = 70, decline = 10, cancel = 10, up_front = 10, \
        up_front_fields = { q = { sure = true } } }";
    let played = play
        .with(move |asked| match &asked.params["inputResponses"]["q"] {
            answer if answer.is_null() => Answer::question(1, "s"),
            answer => {
                if answer["action"] == "accept" {
                    tool.borrow_mut().insert(asked.workflow);
                }
                Answer::complete(1)
            }
        })
        .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 1000);

    let mut counts = [0_u32; 4];
    for asked in &played.asked {
        let answer = &asked.params["inputResponses"]["q"];
        let way = match answer["action"].as_str() {
            Some("accept") if asked.round == 0 => {
                assert_eq!(
                    answer,
                    &json!({"action": "accept", "content": {"sure": true}})
                );
                assert_eq!(asked.state(), None, "nothing was asked yet");
                3
            }
            Some("accept") => 0,
            Some("decline") => 1,
            Some("cancel") => 2,
            _ => continue,
        };
        counts[way] += 1;
        let ran = ran.borrow().contains(&asked.workflow);
        assert_eq!(ran, way == 0 || way == 3, "{answer}");
    }
    // Three sigma of binomials with n = 1000.
    for (count, (mean, three_sigma)) in
        counts
            .into_iter()
            .zip([(700, 44), (100, 29), (100, 29), (100, 29)])
    {
        assert!(count.abs_diff(mean) < three_sigma, "{counts:?}");
    }
    assert_eq!(counts.iter().sum::<u32>(), 1000, "each answers once");
    let requests = 2000 - u64::from(counts[3]);
    assert_eq!(
        played.result.load.attempts, requests,
        "one for those who answer up front"
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_all_the_same_is_answered() {
    let mut play = Play::new("rate_per_s = 10\nduration_s = 1");
    play.workflow = "answers = { up_front = 1, up_front_fields = { q = {} } }";
    let played = play
        .with(|asked| match asked.round {
            0 => Answer::question(1, "s"),
            _ => Answer::complete(1),
        })
        .await;
    played.assert_accounts();
    assert_eq!(played.outcome(Outcome::Ok), 10);
    for asked in &played.asked {
        assert_eq!(asked.params["inputResponses"]["q"]["action"], "accept");
    }
}
