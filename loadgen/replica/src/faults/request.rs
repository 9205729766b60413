use std::sync::Arc;

use crate::faults::fault::Fault;
use crate::faults::handle::Faults;
use crate::faults::settings::Settings;
use crate::faults::snapshot::{Interruption, Retyped, Snapshot};
use crate::mrtr::Question;

/// One request to a replica with which something is wrong. What is wrong does not change while it
/// runs, but for freezes and stalls.
pub(crate) struct Misled {
    faults: Arc<Faults>,
    snapshot: Arc<Snapshot>,
    number: u64,
}

impl Misled {
    pub(super) fn new(faults: Arc<Faults>, snapshot: Arc<Snapshot>, number: u64) -> Self {
        Self {
            faults,
            snapshot,
            number,
        }
    }

    /// Waits for as long as the request is delayed, and leaks what it leaks.
    pub(crate) async fn begin(&self) {
        if let Some(leak) = self.settings().leak_bytes {
            self.faults.leak(leak.get());
        }
        if let Some(delay) = self.snapshot.latency(self.number) {
            self.count(Fault::Latency);
            tokio::time::sleep(delay).await;
            self.faults.wait().await;
        }
    }

    /// What happens instead of the execution.
    pub(super) fn interruption(&self) -> Option<Interruption> {
        let (fault, instead) = self.snapshot.interruption(self.number)?;
        self.count(fault);
        Some(instead)
    }

    /// Whether the connection will be cut, whatever comes of the request.
    pub(crate) fn will_be_cut(&self) -> bool {
        self.snapshot.closes_after(self.number)
    }

    /// Whether the connection is cut now that the request was executed.
    pub(super) fn closes_after(&self) -> bool {
        self.counted(Fault::CloseAfter, self.snapshot.closes_after(self.number))
    }

    /// Whether this tool call is one of those that fail.
    pub(crate) fn fails_call(&self) -> bool {
        let fails = self
            .settings()
            .tool_error_every
            .is_some_and(|every| self.faults.next_call().is_multiple_of(every.get().into()));
        self.counted(Fault::ToolError, fails)
    }

    /// The only revision that is spoken, if that is not the replica's own one.
    pub(crate) fn only_version(&self) -> Option<&str> {
        self.settings().only_version.as_ref().map(|text| text.get())
    }

    /// Whether answers that came are thrown away.
    pub(crate) fn ignores_answers(&self) -> bool {
        self.counted(Fault::IgnoreAnswers, self.settings().ignore_answers)
    }

    /// Whether questions that the client has not declared are asked all the same.
    pub(crate) fn asks_undeclared(&self) -> bool {
        self.counted(
            Fault::UndeclaredQuestions,
            self.settings().undeclared_questions,
        )
    }

    /// What every question ends with.
    pub(crate) fn question_suffix(&self) -> Option<&str> {
        self.settings().question_suffix.as_ref().map(|t| t.get())
    }

    /// Lets every question end in its own way, if that is wrong.
    pub(crate) fn reword(&self, questions: &mut [Question]) {
        if let Some(suffix) = self.question_suffix() {
            for question in questions {
                self.count(Fault::QuestionSuffix);
                question.reword(suffix);
            }
        }
    }

    /// Puts questions into another order, if that is wrong; called once they are sealed.
    pub(crate) fn shuffle(&self, questions: &mut [Question]) {
        if self.settings().shuffle_questions && questions.len() > 1 {
            self.count(Fault::ShuffleQuestions);
            self.snapshot.shuffle(questions, self.number);
        }
    }

    /// What becomes of the result's `resultType`.
    pub(super) fn retyped(&self) -> Option<Retyped<'_>> {
        let (fault, retyped) = self.snapshot.retyped(self.number)?;
        self.count(fault);
        Some(retyped)
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.snapshot.settings
    }

    pub(super) fn count(&self, fault: Fault) {
        self.faults.applied.count(fault);
    }

    fn counted(&self, fault: Fault, applies: bool) -> bool {
        if applies {
            self.count(fault);
        }
        applies
    }
}

#[cfg(test)]
impl Misled {
    pub(super) const fn number(&self) -> u64 {
        self.number
    }
}
