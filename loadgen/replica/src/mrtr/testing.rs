//! Short ways for the unit tests of handlers to say what goes in and what came out.

use loadgen_protocol::names::meta;
use loadgen_protocol::{Meta, Params};
use serde_json::json;
use serde_json::value::RawValue;

use super::{Answers, Question, Step, Turn};
use crate::content::Content;

pub(crate) fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap()
}

/// What a client says of itself that says nothing; it lives until the test ends.
pub(crate) fn no_meta() -> Meta<'static> {
    let params = json!({ "_meta": { meta::PROTOCOL_VERSION: "x", meta::CLIENT_CAPABILITIES: {} } });
    Params::parse(Some(Box::leak(raw(&params.to_string()))))
        .and_then(|params| params.meta())
        .unwrap()
}

/// A round with this state and these answers; both live until the test ends.
pub(crate) fn turn_of<'a>(state: Option<&'a [u8]>, answers: &str) -> Turn<'a> {
    let answers: &'static RawValue = Box::leak(raw(answers));
    Turn {
        state,
        asked: None,
        suffix: None,
        answers: Box::leak(Box::new(Answers::parse(Some(answers)).unwrap())),
    }
}

pub(crate) fn done(step: Step<'_>) -> String {
    match step {
        Step::Done(Content::Text(text)) | Step::Once(Content::Text(text)) => text.into_owned(),
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
