use std::slice;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::mrtr::{Answer, Question, Step, Turn};
use crate::surface::whole::whole;
use crate::surface::{Call, Entry, Turned};

/// The most questions of one call.
const ROUNDS_MAX: u32 = 1000;
/// The most padding in one state, 8 MiB; the replica's own limit on states may be lower.
const PADDING_MAX_BYTES: u64 = 8 << 20;
/// What stands before the padding: the number of the question, big endian.
const NUMBER_BYTES: usize = 4;

/// Asks `rounds` questions, one a round, with a state whose size is known exactly.
///
/// The state that goes out with question k, 1 to `rounds`, holds 4 bytes for k and then P(k) bytes
/// of padding; b is `bytes_per_round`:
///
/// - linear: P(k) = b k,
/// - geometric: P(k) = b 2^(k-1),
/// - constant: P(k) = b.
///
/// The sealed token has 4/3 of 25 + P(k) + o bytes, rounded up to a whole character: 4 for k, 16
/// for the digest of the questions, 5 for the claims, and o for the algorithm's own.
pub(super) struct Grow;

#[derive(Deserialize)]
struct Arguments {
    #[serde(default = "kibibyte", deserialize_with = "whole")]
    bytes_per_round: u32,
    #[serde(default = "three", deserialize_with = "whole")]
    rounds: u32,
    #[serde(default)]
    law: Law,
}

/// How the padding grows.
#[derive(Deserialize, Clone, Copy, Default)]
#[serde(rename_all = "lowercase")]
enum Law {
    #[default]
    Linear,
    Geometric,
    Constant,
}

impl Entry for Grow {
    fn listing() -> Value {
        json!({
            "description": "Asks rounds questions, one a round, while requestState grows by a law.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "bytes_per_round": {
                        "type": "integer", "default": kibibyte(),
                        "minimum": 0, "maximum": PADDING_MAX_BYTES,
                    },
                    "rounds": {
                        "type": "integer", "default": three(),
                        "minimum": 0, "maximum": ROUNDS_MAX,
                    },
                    "law": {
                        "type": "string", "default": "linear",
                        "enum": ["linear", "geometric", "constant"],
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
        Err(e) => return Ok(Step::failed(super::bad_arguments("grow", &e))),
    };
    let rounds = arguments.rounds;
    if rounds > ROUNDS_MAX || arguments.padding(rounds) > PADDING_MAX_BYTES {
        return Ok(Step::failed(format!(
            "grow: rounds goes up to {ROUNDS_MAX}, and the last state's padding up to \
             {PADDING_MAX_BYTES} bytes"
        )));
    }
    let next = match turn.state {
        None => 1,
        Some(bytes) => {
            let Some((number, _)) = bytes.split_first_chunk::<NUMBER_BYTES>() else {
                return Ok(Step::failed("grow: the state is of another version"));
            };
            let number = u32::from_be_bytes(*number);
            let asked = question(number, rounds);
            match turn
                .answers_to(slice::from_ref(&asked))
                .text(&asked.key, "answer")?
            {
                Answer::Missing => number,
                Answer::Refused => {
                    return Ok(Step::done(format!("stopped at step {number}")));
                }
                Answer::Given(_) => number.saturating_add(1),
            }
        }
    };
    if next > rounds {
        let last = match rounds {
            0 => 0,
            _ => NUMBER_BYTES as u64 + arguments.padding(rounds),
        };
        let grown = json!({ "rounds": rounds, "state_bytes": last });
        return Ok(Step::done(grown.to_string()));
    }
    let padding = usize::try_from(arguments.padding(next)).expect("within its bound");
    let mut state = Vec::with_capacity(NUMBER_BYTES + padding);
    state.extend_from_slice(&next.to_be_bytes());
    state.resize(NUMBER_BYTES + padding, b'x');
    Ok(Step::ask(question(next, rounds), state))
}

impl Arguments {
    /// Bytes of padding behind question `k`, from 1; more than any bound when that is too much to
    /// count.
    fn padding(&self, k: u32) -> u64 {
        let b = u64::from(self.bytes_per_round);
        match self.law {
            Law::Linear => b * u64::from(k),
            Law::Geometric if b > 0 => 2_u64
                .checked_pow(k.saturating_sub(1))
                .map_or(u64::MAX, |factor| b.saturating_mul(factor)),
            Law::Geometric | Law::Constant => b,
        }
    }
}

fn question(number: u32, rounds: u32) -> Question {
    Question::text(
        format!("step{number}"),
        format!("Step {number} of {rounds}"),
        "answer",
    )
}

const fn kibibyte() -> u32 {
    1024
}

const fn three() -> u32 {
    3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrtr::testing::{ask, asked_keys, done, turn_of};

    fn accept(step: usize) -> String {
        format!(r#"{{"step{step}":{{"action":"accept","content":{{"answer":"a"}}}}}}"#)
    }

    /// The sizes of all states of one call, and how it ended.
    fn sizes(arguments: &str) -> (Vec<usize>, String) {
        let mut sizes = Vec::new();
        let mut step = turn(arguments, &turn_of(None, "{}")).unwrap();
        while let Step::Ask(_) = step {
            let asked = ask(step);
            sizes.push(asked.state.len());
            assert_eq!(asked.questions[0].key, format!("step{}", sizes.len()));
            let answers = accept(sizes.len());
            step = turn(arguments, &turn_of(Some(&asked.state), &answers)).unwrap();
        }
        (sizes, done(step))
    }

    #[test]
    fn states_have_exactly_the_size_that_the_law_says() {
        let b = 100;
        let four = |law: &str| {
            let arguments = format!(r#"{{"bytes_per_round":{b},"rounds":4,"law":"{law}"}}"#);
            let (sizes, end) = sizes(&arguments);
            assert_eq!(end, format!(r#"{{"rounds":4,"state_bytes":{}}}"#, sizes[3]));
            sizes
        };
        assert_eq!(four("linear"), [4 + b, 4 + 2 * b, 4 + 3 * b, 4 + 4 * b]);
        assert_eq!(four("geometric"), [4 + b, 4 + 2 * b, 4 + 4 * b, 4 + 8 * b]);
        assert_eq!(four("constant"), [4 + b; 4]);
    }

    #[test]
    fn defaults_are_three_rounds_of_a_kibibyte_in_a_line() {
        assert_eq!(sizes("{}").0, [4 + 1024, 4 + 2048, 4 + 3072]);
    }

    #[test]
    fn nothing_to_grow_is_fine_too() {
        assert_eq!(sizes(r#"{"bytes_per_round":0,"rounds":2}"#).0, [4, 4]);
        let endless = r#"{"bytes_per_round":0,"rounds":1000,"law":"geometric"}"#;
        assert_eq!(sizes(endless).0, [4; 1000]);
        let none = sizes(r#"{"rounds":0}"#);
        assert_eq!(none, (vec![], r#"{"rounds":0,"state_bytes":0}"#.to_owned()));
    }

    #[test]
    fn a_missing_answer_is_asked_for_again_and_a_refusal_stops() {
        let first = ask(turn("{}", &turn_of(None, "{}")).unwrap());
        let again = turn("{}", &turn_of(Some(&first.state), &accept(2))).unwrap();
        assert_eq!(asked_keys(again), ["step1"]);
        let no = r#"{"step1":{"action":"cancel"}}"#;
        let stopped = turn("{}", &turn_of(Some(&first.state), no)).unwrap();
        assert_eq!(done(stopped), "stopped at step 1");
    }

    #[test]
    fn what_would_grow_out_of_bounds_fails_before_it_grows() {
        for bad in [
            r#"{"rounds":1001}"#,
            r#"{"bytes_per_round":8389,"rounds":1000}"#,
            r#"{"bytes_per_round":1,"rounds":25,"law":"geometric"}"#,
            r#"{"bytes_per_round":1,"rounds":1000,"law":"geometric"}"#,
            r#"{"bytes_per_round":8388609,"rounds":1,"law":"constant"}"#,
            r#"{"law":"cubic"}"#,
        ] {
            let step = turn(bad, &turn_of(None, "{}")).unwrap();
            assert!(matches!(step, Step::Failed(_)), "{bad}");
        }
        let largest = r#"{"bytes_per_round":1,"rounds":24,"law":"geometric"}"#;
        assert_eq!(sizes(largest).0[23], 4 + (8 << 20));
    }
}
