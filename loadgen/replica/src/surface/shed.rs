use serde::Deserialize;
use serde_json::{Value, json};

use crate::mrtr::Step;
use crate::surface::whole::whole;
use crate::surface::{Call, Entry, Turned};

/// The longest that one call is put off, ten minutes.
const FOR_MAX_MS: u32 = 600_000;

/// Sends the client away without a question until `for_ms` have passed since the first round, then
/// completes and says in how many rounds: what a server does that sheds load.
///
/// Whoever measures the time is whoever gets the round, by the wall clock: replicas whose clocks
/// differ complete that much sooner or later.
pub(super) struct Shed;

#[derive(Deserialize)]
struct Arguments {
    #[serde(default = "two_seconds", deserialize_with = "whole")]
    for_ms: u32,
}

/// What comes back each time: 12 bytes, both numbers big endian.
struct Since {
    /// When the first round came, in milliseconds since 1970.
    first_ms: u64,
    /// Rounds that were sent away.
    rounds: u32,
}

impl Entry for Shed {
    fn listing() -> Value {
        json!({
            "description": "Sends the client away, without a question, until for_ms have passed.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "for_ms": {
                        "type": "integer", "default": two_seconds(),
                        "minimum": 0, "maximum": FOR_MAX_MS,
                    },
                },
            },
        })
    }

    async fn turn<'b>(call: &Call<'b, '_>) -> Turned<'b> {
        Ok(turn(call.arguments, call.turn.state, call.now_ms))
    }
}

fn turn(arguments: &str, state: Option<&[u8]>, now_ms: u64) -> Step<'static> {
    let Arguments { for_ms } = match serde_json::from_str(arguments) {
        Ok(arguments) => arguments,
        Err(e) => return Step::failed(super::bad_arguments("shed", &e)),
    };
    if for_ms > FOR_MAX_MS {
        return Step::failed(format!("shed: for_ms goes up to {FOR_MAX_MS}"));
    }
    let since = match state {
        None => Since {
            first_ms: now_ms,
            rounds: 0,
        },
        Some(bytes) => match Since::decode(bytes) {
            Some(since) => since,
            None => return Step::failed("shed: the state is of another version"),
        },
    };
    let waited_ms = now_ms.saturating_sub(since.first_ms);
    let rounds = since.rounds.saturating_add(1);
    if waited_ms >= u64::from(for_ms) {
        return Step::done(json!({ "rounds": rounds, "waited_ms": waited_ms }).to_string());
    }
    Step::ask_all(Vec::new(), Since { rounds, ..since }.encode())
}

impl Since {
    fn encode(&self) -> Vec<u8> {
        [
            &self.first_ms.to_be_bytes()[..],
            &self.rounds.to_be_bytes()[..],
        ]
        .concat()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (first_ms, rounds) = bytes.split_first_chunk()?;
        Some(Self {
            first_ms: u64::from_be_bytes(*first_ms),
            rounds: u32::from_be_bytes(rounds.try_into().ok()?),
        })
    }
}

const fn two_seconds() -> u32 {
    2000
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrtr::testing::{ask, done};

    const START_MS: u64 = 1_900_000_000_250;

    #[test]
    fn rounds_are_sent_away_until_the_time_has_passed() {
        let arguments = r#"{"for_ms":2000}"#;
        let mut state = None;
        for (round, after_ms) in [0, 250, 1999].into_iter().enumerate() {
            let away = ask(turn(arguments, state.as_deref(), START_MS + after_ms));
            assert!(away.questions.is_empty(), "{round}");
            assert_eq!(away.state.len(), 12);
            state = Some(away.state);
        }
        let last = turn(arguments, state.as_deref(), START_MS + 2000);
        assert_eq!(done(last), r#"{"rounds":4,"waited_ms":2000}"#);
    }

    #[test]
    fn no_time_completes_at_once() {
        let step = turn(r#"{"for_ms":0}"#, None, START_MS);
        assert_eq!(done(step), r#"{"rounds":1,"waited_ms":0}"#);
    }

    #[test]
    fn a_clock_that_is_behind_goes_on_waiting() {
        let first = ask(turn("{}", None, START_MS));
        let away = ask(turn("{}", Some(&first.state), START_MS - 5000));
        assert!(away.questions.is_empty());
        let last = turn("{}", Some(&away.state), START_MS + 2000);
        assert_eq!(done(last), r#"{"rounds":3,"waited_ms":2000}"#);
    }

    #[test]
    fn what_cannot_be_waited_for_fails() {
        for bad in [r#"{"for_ms":600001}"#, r#"{"for_ms":"1"}"#] {
            assert!(matches!(turn(bad, None, START_MS), Step::Failed(_)));
        }
        for strange in [&[0; 11][..], &[0; 13]] {
            assert!(matches!(
                turn("{}", Some(strange), START_MS),
                Step::Failed(_)
            ));
        }
    }
}
