/// What is wrong with a scenario, in one line for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct ScenarioError {
    pub(crate) place: String,
    pub(crate) message: String,
}
