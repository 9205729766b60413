//! Short ways for the unit tests of handlers to say what goes in and what came out.

use serde_json::value::RawValue;

use super::{Answers, Ask, Step, Turn};

pub(crate) fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap()
}

/// A round with this state and these answers; both live until the test ends.
pub(crate) fn turn_of<'a>(state: Option<&'a [u8]>, answers: &str) -> Turn<'a> {
    let answers: &'static RawValue = Box::leak(raw(answers));
    Turn {
        state,
        answers: Box::leak(Box::new(Answers::parse(Some(answers)).unwrap())),
    }
}

pub(crate) fn done(step: Step<'_>) -> String {
    match step {
        Step::Done(text) => text.into_owned(),
        other => panic!("not done: {other:?}"),
    }
}

pub(crate) fn ask(step: Step<'_>) -> Ask {
    match step {
        Step::Ask(ask) => ask,
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
