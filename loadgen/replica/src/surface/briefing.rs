use std::slice;

use crate::mrtr::{Answer, Malformed, Question, Step, Turn};

/// A prompt that first asks who it is for.
pub(super) fn turn(topic: &str, turn: &Turn<'_>) -> Result<Step<'static>, Malformed> {
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
