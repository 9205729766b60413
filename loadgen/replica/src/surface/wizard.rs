use std::slice;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::mrtr::{Answer, Question, Step, Turn};
use crate::surface::whole::whole;
use crate::surface::wizard_state::WizardState;
use crate::surface::{Call, Entry, Turned};

/// The most questions one wizard asks.
const ROUNDS_MAX: u32 = 1000;
/// The most padding one round adds, in bytes.
const PAD_MAX: u32 = 1 << 20;

/// Asks `rounds` questions, one a round; the answers and `pad_bytes` of padding a round pile up in
/// the state.
pub(super) struct Wizard;

#[derive(Deserialize)]
struct Arguments {
    #[serde(default = "three", deserialize_with = "whole")]
    rounds: u32,
    #[serde(default, deserialize_with = "whole")]
    pad_bytes: u32,
}

impl Entry for Wizard {
    fn listing() -> Value {
        json!({
            "description": "Asks `rounds` questions; answers and padding pile up in requestState.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "rounds": {
                        "type": "integer", "default": 3, "minimum": 0, "maximum": ROUNDS_MAX,
                    },
                    "pad_bytes": {
                        "type": "integer", "default": 0, "minimum": 0, "maximum": PAD_MAX,
                    },
                },
            },
        })
    }

    async fn turn<'b>(call: &Call<'b, '_>) -> Turned<'b> {
        turn(call.arguments, &call.turn)
    }
}

fn turn(arguments: &str, turn: &Turn<'_>) -> Turned<'static> {
    let arguments: Arguments = match serde_json::from_str(arguments) {
        Ok(arguments) => arguments,
        Err(e) => return Ok(Step::failed(super::bad_arguments("wizard", &e))),
    };
    let Arguments { rounds, pad_bytes } = arguments;
    if rounds > ROUNDS_MAX || pad_bytes > PAD_MAX {
        return Ok(Step::failed(format!(
            "wizard: rounds goes up to {ROUNDS_MAX} and pad_bytes up to {PAD_MAX}"
        )));
    }
    let mut state = match turn.state {
        None => WizardState::padded(pad_bytes),
        Some(bytes) => {
            // Only this function seals a wizard's state, and the binding names the tool.
            let Some(mut state) = WizardState::decode(bytes) else {
                return Ok(Step::failed(
                    "wizard: the state is of another version".to_owned(),
                ));
            };
            let question = question(state.answers.len(), rounds);
            let answers = turn.answers_to(slice::from_ref(&question));
            match answers.text(&question.key, "answer")? {
                Answer::Refused => {
                    let step = state.answers.len() + 1;
                    return Ok(Step::done(format!("stopped at step {step}")));
                }
                Answer::Given(answer) => {
                    state.answers.push(answer);
                    state.pad_bytes += pad_bytes;
                }
                Answer::Missing => {}
            }
            state
        }
    };
    if state.answers.len() >= rounds as usize {
        return Ok(Step::done(finished(&mut state)));
    }
    Ok(Step::ask(
        question(state.answers.len(), rounds),
        state.encode(),
    ))
}

/// The question that follows `answered` answers.
fn question(answered: usize, rounds: u32) -> Question {
    let step = answered + 1;
    Question::text(
        format!("step{step}"),
        format!("Step {step} of {rounds}"),
        "answer",
    )
}

fn finished(state: &mut WizardState<'_>) -> String {
    serde_json::json!({ "answers": std::mem::take(&mut state.answers) }).to_string()
}

const fn three() -> u32 {
    3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrtr::testing::{ask, asked_keys, done, turn_of};

    fn accept(step: usize, answer: &str) -> String {
        format!(r#"{{"step{step}":{{"action":"accept","content":{{"answer":"{answer}"}}}}}}"#)
    }

    #[test]
    fn answers_and_padding_pile_up_to_the_end() {
        let arguments = r#"{"rounds":3,"pad_bytes":1000}"#;
        let mut asked = ask(turn(arguments, &turn_of(None, "{}")).unwrap());
        let mut sizes = vec![asked.state.len()];
        for step in 1..3 {
            assert_eq!(asked.questions[0].key, format!("step{step}"));
            let answers = accept(step, &format!("a{step}"));
            asked = ask(turn(arguments, &turn_of(Some(&asked.state), &answers)).unwrap());
            sizes.push(asked.state.len());
        }
        assert!(sizes[0] >= 1000 && sizes[1] >= sizes[0] + 1000 && sizes[2] >= sizes[1] + 1000);
        let last = turn(arguments, &turn_of(Some(&asked.state), &accept(3, "a3"))).unwrap();
        assert_eq!(done(last), r#"{"answers":["a1","a2","a3"]}"#);
    }

    #[test]
    fn a_missing_answer_is_asked_for_again_with_the_same_state() {
        let arguments = "{}";
        let first = ask(turn(arguments, &turn_of(None, "{}")).unwrap());
        let again = ask(turn(arguments, &turn_of(Some(&first.state), &accept(2, "x"))).unwrap());
        assert_eq!(again.state, first.state);
        assert_eq!(again.questions[0].key, "step1");
    }

    #[test]
    fn decline_and_cancel_stop_at_their_step() {
        let arguments = "{}";
        let first = ask(turn(arguments, &turn_of(None, "{}")).unwrap());
        for action in ["decline", "cancel"] {
            let no = format!(r#"{{"step1":{{"action":"{action}"}}}}"#);
            let step = turn(arguments, &turn_of(Some(&first.state), &no)).unwrap();
            assert_eq!(done(step), "stopped at step 1");
        }
    }

    #[test]
    fn no_rounds_completes_at_once() {
        let step = turn(r#"{"rounds":0}"#, &turn_of(None, "{}")).unwrap();
        assert_eq!(done(step), r#"{"answers":[]}"#);
    }

    #[test]
    fn an_answer_of_the_wrong_type_is_malformed() {
        let arguments = "{}";
        let first = ask(turn(arguments, &turn_of(None, "{}")).unwrap());
        let number = r#"{"step1":{"action":"accept","content":{"answer":5}}}"#;
        assert!(turn(arguments, &turn_of(Some(&first.state), number)).is_err());
    }

    #[test]
    fn whole_numbers_are_taken_in_any_spelling_and_others_fail_the_tool() {
        for good in ["2", "2.0", "2e0", "0.2e1"] {
            let arguments = &format!(r#"{{"rounds":{good}}}"#);
            let step = turn(arguments, &turn_of(None, "{}")).unwrap();
            assert_eq!(asked_keys(step), ["step1"], "{good}");
        }
        for bad in ["-1", "2.5", "\"2\"", "1e300", "4294967296", "1001", "null"] {
            let arguments = &format!(r#"{{"rounds":{bad}}}"#);
            let step = turn(arguments, &turn_of(None, "{}")).unwrap();
            assert!(matches!(step, Step::Failed(_)), "{bad}");
        }
    }
}
