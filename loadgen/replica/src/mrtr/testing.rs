//! Short ways for the unit tests of handlers to say what goes in and what came out.

use serde_json::value::RawValue;

use super::{Answers, Question, Step, Turn};
use crate::outcome::Content;

pub(crate) fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap()
}

/// A round with this state and these answers; both live until the test ends.
pub(crate) fn turn_of<'a>(state: Option<&'a [u8]>, answers: &str) -> Turn<'a> {
    let answers: &'static RawValue = Box::leak(raw(answers));
    Turn {
        state,
        asked: None,
        answers: Box::leak(Box::new(Answers::parse(Some(answers)).unwrap())),
    }
}

pub(crate) fn done(step: Step<'_>) -> String {
    match step {
        Step::Done(Content::Text(text)) => text.into_owned(),
        other => panic!("not done: {other:?}"),
    }
}

/// What was asked, with its state.
pub(crate) struct Asked {
    pub(crate) questions: Vec<Question>,
    pub(crate) state: Vec<u8>,
}

pub(crate) fn ask(step: Step<'_>) -> Asked {
    match step {
        Step::Ask(ask) => Asked {
            questions: ask.questions,
            state: ask.state.expect("a state"),
        },
        other => panic!("asked nothing: {other:?}"),
    }
}

pub(crate) fn asked_keys(step: Step<'_>) -> Vec<String> {
    ask(step)
        .questions
        .into_iter()
        .map(|q| q.key.into_owned())
        .collect()
}
