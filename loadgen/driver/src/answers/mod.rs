//! Answers made from the questions: seeded, valid by the question's own schema, or as the scenario
//! fixes them.

mod form;
mod text;

use loadgen_protocol::{
    Action, ElicitAnswer, InputAnswer, InputRequest, Root, RootsAnswer, SamplingAnswer,
};
use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;
use serde_json::json;

use self::form::fill;
use crate::plan::AnswerPlan;

/// The answer to the question with this key. Forms are filled, URL visits consented to (the page is
/// never opened), or both turned down as often as the plan says; sampling and roots questions get a
/// canned answer.
pub(crate) fn answer(
    key: &str,
    question: &InputRequest,
    plan: &AnswerPlan,
    rng: &mut Xoshiro256PlusPlus,
) -> InputAnswer {
    match question {
        InputRequest::Form(form) => {
            let action = action(plan, rng);
            InputAnswer::Elicit(ElicitAnswer {
                content: (action == Action::Accept)
                    .then(|| fill(key, &form.requested_schema, plan, rng)),
                action,
            })
        }
        InputRequest::Url(_) => InputAnswer::Elicit(ElicitAnswer {
            action: action(plan, rng),
            content: None,
        }),
        InputRequest::Sampling(_) => InputAnswer::Sampling(SamplingAnswer {
            role: "assistant".to_owned(),
            content: json!({"type": "text", "text": plan.sampling}),
            model: "loadgen".to_owned(),
            stop_reason: Some("endTurn".to_owned()),
        }),
        InputRequest::Roots => InputAnswer::Roots(RootsAnswer {
            roots: plan
                .roots
                .iter()
                .map(|uri| Root {
                    uri: uri.clone(),
                    name: Some("loadgen".to_owned()),
                })
                .collect(),
        }),
    }
}

/// What the user does with an elicitation. Where nothing is ever turned down nothing is drawn.
fn action(plan: &AnswerPlan, rng: &mut Xoshiro256PlusPlus) -> Action {
    if plan.decline == 0.0 && plan.cancel == 0.0 {
        return Action::Accept;
    }
    let at = rng.random::<f64>() * (plan.accept + plan.decline + plan.cancel);
    if at < plan.accept {
        Action::Accept
    } else if at < plan.accept + plan.decline {
        Action::Decline
    } else {
        Action::Cancel
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::workflow_rng;
    use loadgen_protocol::ElicitUrl;

    fn url(plan: &AnswerPlan, seed: u64) -> InputAnswer {
        let url = InputRequest::Url(ElicitUrl {
            message: "?".into(),
            url: "https://load.example".into(),
        });
        answer("k", &url, plan, &mut workflow_rng(seed, 1))
    }

    #[test]
    fn a_url_is_consented_to_without_content() {
        let made = url(&AnswerPlan::default(), 1);
        assert_eq!(
            serde_json::to_value(made).unwrap(),
            json!({"action": "accept"})
        );
    }

    #[test]
    fn questions_are_turned_down_as_often_as_the_weights_say() {
        let plan = AnswerPlan {
            accept: 70.0,
            decline: 20.0,
            cancel: 10.0,
            ..AnswerPlan::default()
        };
        let mut counts = [0_u32; 3];
        for seed in 0..1000 {
            let InputAnswer::Elicit(made) = url(&plan, seed) else {
                panic!("an elicitation is answered by one");
            };
            counts[match made.action {
                Action::Accept => 0,
                Action::Decline => 1,
                Action::Cancel => 2,
            }] += 1;
        }
        // Three sigma of binomials with n = 1000.
        for (count, (mean, three_sigma)) in
            counts.into_iter().zip([(700, 44), (200, 38), (100, 29)])
        {
            assert!(count.abs_diff(mean) < three_sigma, "{counts:?}");
        }
    }

    #[test]
    fn canned_answers_are_those_of_the_plan() {
        let plan = AnswerPlan {
            sampling: "Fair winds.".to_owned(),
            roots: vec!["file:///srv/a".to_owned(), "file:///srv/b".to_owned()],
            ..AnswerPlan::default()
        };
        let made = answer("k", &InputRequest::Roots, &plan, &mut workflow_rng(1, 1));
        let made = serde_json::to_value(made).unwrap();
        assert_eq!(made["roots"][1]["uri"], "file:///srv/b");
        let asked = r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":9}}"#;
        let asked: InputRequest = serde_json::from_str(asked).unwrap();
        let made =
            serde_json::to_value(answer("k", &asked, &plan, &mut workflow_rng(1, 1))).unwrap();
        assert_eq!(made["content"]["text"], "Fair winds.");
    }
}
