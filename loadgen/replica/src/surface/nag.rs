use std::slice;

use serde_json::{Value, json};

use crate::mrtr::{Question, Step, Turn};
use crate::surface::{Call, Entry, Turned};

/// Asks for ever, a new question each round, whatever is answered, even to a client that declines
/// or cancels: only the client's own limit ends this.
pub(super) struct Nag;

impl Entry for Nag {
    fn listing() -> Value {
        json!({
            "description": "Asks for ever: a new question each round, whatever is answered.",
            "inputSchema": { "type": "object" },
        })
    }

    async fn turn<'b>(call: &Call<'b, '_>) -> Turned<'b> {
        turn(&call.turn)
    }
}

/// The state is the number of the question it waits for, 4 bytes, big endian.
fn turn(turn: &Turn<'_>) -> Turned<'static> {
    let next = match turn.state {
        None => 1,
        Some(bytes) => {
            let Ok(bytes) = bytes.try_into() else {
                return Ok(Step::failed("nag: the state is of another version"));
            };
            let asked = u32::from_be_bytes(bytes);
            let asked_for = question(asked);
            // Nothing that is said matters, as long as it can be understood.
            turn.answers_to(slice::from_ref(&asked_for))
                .text(&asked_for.key, "answer")?;
            asked.saturating_add(1)
        }
    };
    Ok(Step::ask(question(next), next.to_be_bytes().to_vec()))
}

fn question(number: u32) -> Question {
    Question::text(
        format!("more{number}"),
        format!("Question {number}, of how many?"),
        "answer",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrtr::testing::{ask, turn_of};

    #[test]
    fn every_round_has_a_new_question_whatever_is_answered() {
        let mut state = None;
        for (round, answers) in [
            "{}",
            r#"{"more1":{"action":"accept","content":{"answer":"enough"}}}"#,
            r#"{"more2":{"action":"decline"}}"#,
            r#"{"more3":{"action":"cancel"}}"#,
            "{}",
        ]
        .into_iter()
        .enumerate()
        {
            let asked = ask(turn(&turn_of(state.as_deref(), answers)).unwrap());
            assert_eq!(asked.questions[0].key, format!("more{}", round + 1));
            assert_eq!(asked.state.len(), 4);
            state = Some(asked.state);
        }
    }

    #[test]
    fn an_answer_that_cannot_be_understood_is_malformed() {
        let first = ask(turn(&turn_of(None, "{}")).unwrap());
        let number = r#"{"more1":{"action":"accept","content":{"answer":5}}}"#;
        assert!(turn(&turn_of(Some(&first.state), number)).is_err());
    }

    #[test]
    fn the_numbers_do_not_start_again() {
        let last = u32::MAX.to_be_bytes();
        let asked = ask(turn(&turn_of(Some(&last), "{}")).unwrap());
        assert_eq!(asked.state, last);
    }
}
