use super::check::Check;
use crate::scenario::{ScenarioError, WorkflowTable};

impl Check<'_> {
    pub(super) fn expect_text(
        &self,
        flow: &WorkflowTable,
    ) -> Result<Option<String>, ScenarioError> {
        match &flow.expect_text {
            Some(text) if text.get_ref().is_empty() => {
                Err(self.wrong(text, "an empty text would be in every result"))
            }
            text => Ok(text.as_ref().map(|text| text.get_ref().clone())),
        }
    }
}
