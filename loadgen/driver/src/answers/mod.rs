//! Answers made from the questions: seeded, valid by the question's own schema, or as the scenario
//! fixes them.

mod bounds;
mod form;
mod text;

use loadgen_protocol::{
    Action, ElicitAnswer, Entries, InputAnswer, InputRequest, Root, RootsAnswer, SamplingAnswer,
};
use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;
use serde_json::{json, to_string};

use self::bounds::{Budget, Excess, MOST_QUESTIONS, bounded};
use self::form::fill;
use crate::plan::AnswerPlan;

/// The answers to all questions of a reply, as JSON text.
///
/// # Errors
/// When there are too many questions or fields, or the answers would be too long.
pub(crate) fn answers(
    questions: &Entries<InputRequest>,
    plan: &AnswerPlan,
    rng: &mut Xoshiro256PlusPlus,
) -> Result<String, Excess> {
    if questions.len() > MOST_QUESTIONS {
        return Err(Excess::Questions);
    }
    let mut budget = Budget::default();
    let answers: Entries<_> = questions
        .iter()
        .map(|(key, question)| {
            budget.text(key)?;
            let made = answer(key, question, plan, rng, &mut budget)?;
            Ok((key.to_owned(), made))
        })
        .collect::<Result<_, _>>()?;
    bounded(to_string(&answers).expect("answers hold only JSON values"))
}

/// The answer to the question with this key. Forms are filled, URL visits consented to (the page is
/// never opened), or both turned down as often as the plan says; sampling and roots questions get a
/// canned answer.
fn answer(
    key: &str,
    question: &InputRequest,
    plan: &AnswerPlan,
    rng: &mut Xoshiro256PlusPlus,
    budget: &mut Budget,
) -> Result<InputAnswer, Excess> {
    Ok(match question {
        InputRequest::Form(form) => {
            let action = action(plan, rng);
            let content = (action == Action::Accept)
                .then(|| fill(key, &form.requested_schema, plan, rng, budget))
                .transpose()?;
            InputAnswer::Elicit(ElicitAnswer { action, content })
        }
        InputRequest::Url(_) => InputAnswer::Elicit(ElicitAnswer {
            action: action(plan, rng),
            content: None,
        }),
        InputRequest::Sampling(_) => {
            budget.text(&plan.sampling)?;
            InputAnswer::Sampling(SamplingAnswer {
                role: "assistant".to_owned(),
                content: json!({"type": "text", "text": plan.sampling}),
                model: "loadgen".to_owned(),
                stop_reason: Some("endTurn".to_owned()),
            })
        }
        InputRequest::Roots => {
            let roots = plan.roots.iter().map(|uri| {
                budget.text(uri)?;
                Ok(Root {
                    uri: uri.clone(),
                    name: Some("loadgen".to_owned()),
                })
            });
            InputAnswer::Roots(RootsAnswer {
                roots: roots.collect::<Result<_, _>>()?,
            })
        }
    })
}

/// Whether a workflow sends its answers before it is asked. Where none does nothing is drawn.
pub(crate) fn up_front<'a>(plan: &'a AnswerPlan, rng: &mut Xoshiro256PlusPlus) -> Option<&'a str> {
    let up_front = plan.up_front.as_ref()?;
    let others = plan.accept + plan.decline + plan.cancel;
    let sends = rng.random::<f64>() * (others + up_front.weight) < up_front.weight;
    sends.then_some(&*up_front.answers)
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

    fn answer(
        key: &str,
        question: &InputRequest,
        plan: &AnswerPlan,
        rng: &mut Xoshiro256PlusPlus,
    ) -> InputAnswer {
        super::answer(key, question, plan, rng, &mut Budget::default()).unwrap()
    }

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
    fn form(properties: &serde_json::Value) -> InputRequest {
        let form = json!({"method": "elicitation/create", "params": {"message": "?",
            "requestedSchema": {"type": "object", "properties": properties}}});
        serde_json::from_value(form).unwrap()
    }

    fn told(questions: &Entries<InputRequest>) -> Result<usize, Excess> {
        answers(questions, &AnswerPlan::default(), &mut workflow_rng(1, 1)).map(|text| text.len())
    }

    #[test]
    fn answers_to_many_questions_and_fields_have_bounds() {
        let asked = |count: usize| {
            let one = form(&json!({"a": {"type": "boolean"}}));
            told(&(0..count).map(|n| (format!("q{n}"), one.clone())).collect())
        };
        assert!(asked(MOST_QUESTIONS).is_ok());
        assert_eq!(asked(MOST_QUESTIONS + 1), Err(Excess::Questions));
        let fields = |count: usize| {
            let all: serde_json::Map<_, _> = (0..count)
                .map(|n| (format!("f{n}"), json!({"type": "integer"})))
                .collect();
            told(&Entries::from_iter([("q".to_owned(), form(&all.into()))]))
        };
        assert!(fields(bounds::MOST_FIELDS).is_ok());
        assert_eq!(fields(bounds::MOST_FIELDS + 1), Err(Excess::Fields));
    }

    #[test]
    fn a_short_question_gets_no_answer_without_end() {
        let long = "x".repeat(100_000);
        let texts: serde_json::Map<_, _> = (0..500)
            .map(|n| {
                (
                    format!("f{n}"),
                    json!({"type": "string", "minLength": 1_048_576}),
                )
            })
            .collect();
        for properties in [
            texts.into(),
            json!({"a": {"type": "array", "items": {"enum": [long]}, "minItems": 1000}}),
            // Short before it is written as JSON: each of these takes six bytes there.
            json!({"a": {"type": "string", "enum": ["\u{1}".repeat(1 << 20)]}}),
        ] {
            let asked = Entries::from_iter([("q".to_owned(), form(&properties))]);
            assert_eq!(told(&asked), Err(Excess::Bytes));
        }
        // One text of the longest kind is answered.
        let one = json!({"a": {"type": "string", "minLength": 1_048_576}});
        assert!(told(&Entries::from_iter([("q".to_owned(), form(&one))])).unwrap() > 1_048_576);
    }
}
