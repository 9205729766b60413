use std::borrow::Cow;
use std::slice;

use crate::content::Content;
use crate::mrtr::answers::{Answer, Answers, Malformed};
use crate::mrtr::pending::Pending;
use crate::mrtr::question::Question;

/// What a handler knows of the round beside its arguments.
pub(crate) struct Turn<'a> {
    /// The state that the previous round sealed, opened; `None` in round 0.
    pub(crate) state: Option<&'a [u8]>,
    /// The questions that the state was sealed with; `None` without a state.
    pub(crate) asked: Option<Pending>,
    /// The answers of this round.
    pub(crate) answers: &'a Answers<'a>,
    /// What every question ends with, when a fault changes their words.
    pub(crate) suffix: Option<&'a str>,
}

impl<'a> Turn<'a> {
    /// The answers, if they are answers to these very questions. A replica of another version may
    /// have asked in other words, and what was said to those is no answer to these: they have to be
    /// asked again. Without a state nothing says what was asked, and a handler that minds looks at
    /// `state` itself.
    pub(crate) fn answers_to<'q>(
        &self,
        questions: impl IntoIterator<Item = &'q Question>,
    ) -> &'a Answers<'a> {
        match self.asked {
            Some(asked) if asked != self.pending(questions) => Answers::NONE,
            _ => self.answers,
        }
    }

    /// The yes or no to this question's field, where that needs a state: an answer without one is an
    /// answer to nothing, and could be given again and again.
    ///
    /// # Errors
    /// When it is no answer to such a question.
    pub(crate) fn confirmed(
        &self,
        question: &Question,
        field: &str,
    ) -> Result<Answer<bool>, Malformed> {
        match self.state {
            Some(_) => self
                .answers_to(slice::from_ref(question))
                .boolean(&question.key, field),
            None => Ok(Answer::Missing),
        }
    }

    /// What a state waits for that these questions, in the words they go out in, are asked with.
    pub(super) fn pending<'q>(&self, questions: impl IntoIterator<Item = &'q Question>) -> Pending {
        let Some(suffix) = self.suffix else {
            return Pending::of(questions);
        };
        let mut reworded: Vec<_> = questions.into_iter().cloned().collect();
        for question in &mut reworded {
            question.reword(suffix);
        }
        Pending::of(&reworded)
    }
}

/// How a round ends.
#[derive(Debug)]
pub(crate) enum Step<'a> {
    /// The workflow is complete.
    Done(Content<'a>),
    /// The workflow is complete if its state was not used before. Whoever ends so must have a state,
    /// with something in it that no other has.
    Once(Content<'a>),
    /// The tool itself failed; a result all the same, marked as an error.
    Failed(Cow<'a, str>),
    /// The client must answer first, or only come again.
    Ask(Ask),
}

/// Questions, and what the server wants to have back with the answers. Without questions the client
/// is only told to come again.
#[derive(Debug)]
pub(crate) struct Ask {
    pub(crate) questions: Vec<Question>,
    /// `None` where the answer alone is enough: nothing is sealed then.
    pub(crate) state: Option<Vec<u8>>,
}

impl<'a> Step<'a> {
    /// Completes with a text.
    pub(crate) fn done(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Done(Content::Text(text.into()))
    }

    /// Fails with what the model should read.
    pub(crate) fn failed(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Failed(text.into())
    }

    /// Asks one question.
    pub(crate) fn ask(question: Question, state: Vec<u8>) -> Self {
        Self::ask_all(vec![question], state)
    }

    /// Asks without a state: the answers alone are enough.
    pub(crate) fn ask_bare(questions: Vec<Question>) -> Self {
        Self::Ask(Ask {
            questions,
            state: None,
        })
    }

    /// Asks several questions at once.
    pub(crate) fn ask_all(questions: Vec<Question>, state: Vec<u8>) -> Self {
        Self::Ask(Ask {
            questions,
            state: Some(state),
        })
    }
}
