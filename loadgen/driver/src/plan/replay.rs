use toml::Spanned;

use super::StateFault;
use super::check::Check;
use crate::scenario::ScenarioError;

/// Most requests with one state.
const MOST: u16 = 16;

impl Check<'_> {
    /// How many requests carry a state back at once.
    pub(super) fn replay(
        &self,
        value: Option<&Spanned<u16>>,
        fault: Option<StateFault>,
    ) -> Result<u16, ScenarioError> {
        match value {
            None => Ok(1),
            Some(count) if fault == Some(StateFault::Omitted) => Err(self.wrong(
                count,
                "with break_state = \"omitted\" no state is sent back, so none can be replayed",
            )),
            Some(count) if (2..=MOST).contains(count.get_ref()) => Ok(*count.get_ref()),
            Some(count) => {
                let text = format!("replay must be 2 to {MOST}, the ordinary request included");
                Err(self.wrong(count, &text))
            }
        }
    }
}
