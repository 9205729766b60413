use std::borrow::Cow;

use crate::mrtr::answers::Answers;
use crate::mrtr::question::Question;

/// What a handler knows of the round beside its arguments.
pub(crate) struct Turn<'a> {
    /// The state that the previous round sealed, opened; `None` in round 0.
    pub(crate) state: Option<&'a [u8]>,
    /// The answers of this round.
    pub(crate) answers: &'a Answers<'a>,
}

/// How a round ends.
#[derive(Debug)]
pub(crate) enum Step<'a> {
    /// The workflow is complete, with this text.
    Done(Cow<'a, str>),
    /// The tool itself failed; a result all the same, marked as an error.
    Failed(String),
    /// The client must answer first.
    Ask(Ask),
}

/// Questions, and what the server wants to have back with the answers.
#[derive(Debug)]
pub(crate) struct Ask {
    pub(crate) questions: Vec<Question>,
    pub(crate) state: Vec<u8>,
}

impl Step<'_> {
    /// Asks one question.
    pub(crate) fn ask(question: Question, state: Vec<u8>) -> Self {
        Self::Ask(Ask {
            questions: vec![question],
            state,
        })
    }
}
