use std::slice;

use serde_json::{Value, json};

use crate::mrtr::{Answer, Question, Step, Turn};
use crate::surface::{Call, Entry, Turned};

/// A prompt that first asks who it is for.
pub(super) struct Briefing;

impl Entry for Briefing {
    fn listing() -> Value {
        json!({
            "description": "A prompt that first asks who it is for.",
            "arguments": [{ "name": "topic", "required": false }],
        })
    }

    async fn turn<'b>(call: &Call<'b, '_>) -> Turned<'b> {
        let arguments = super::strings(call.arguments)?;
        let topic = arguments.get("topic").map_or("status", |topic| topic);
        turn(topic, &call.turn)
    }
}

/// What an argument may be completed to.
pub(super) fn suggestions(argument: &str) -> &'static [&'static str] {
    match argument {
        "topic" => &["status", "latency", "load", "outage", "tide"],
        _ => &[],
    }
}

fn turn(topic: &str, turn: &Turn<'_>) -> Turned<'static> {
    let question = Question::text("audience", "Who is the audience?", "audience");
    let answers = turn.answers_to(slice::from_ref(&question));
    let audience = match answers.text("audience", "audience")? {
        Answer::Missing => return Ok(Step::ask(question, Vec::new())),
        Answer::Refused => "nobody".into(),
        Answer::Given(audience) => audience,
    };
    Ok(Step::done(format!(
        "Write a briefing on {topic} for {audience}."
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrtr::testing::{asked_keys, done, turn_of};

    #[test]
    fn the_audience_is_asked_for_and_used() {
        let run = |answers| turn("load", &turn_of(None, answers)).unwrap();
        assert_eq!(asked_keys(run("{}")), ["audience"]);
        let given = r#"{"audience":{"action":"accept","content":{"audience":"crew"}}}"#;
        assert_eq!(done(run(given)), "Write a briefing on load for crew.");
        let declined = r#"{"audience":{"action":"decline"}}"#;
        assert_eq!(done(run(declined)), "Write a briefing on load for nobody.");
    }
}
