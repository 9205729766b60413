use std::fmt;
use std::process::ExitCode;

use loadgen_driver::{ScenarioError, TargetError, Unusable};

/// Why a command ends before its work is done: an exit code and one line.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    error: anyhow::Error,
}

impl Failure {
    /// Usage or scenario error: exit code 2.
    pub(crate) fn usage(error: impl Into<anyhow::Error>) -> Self {
        Self {
            code: 2,
            error: error.into(),
        }
    }

    /// The user ended it: exit code 130.
    pub(crate) fn interrupted() -> Self {
        Self::left(anyhow::anyhow!("interrupted"))
    }

    /// The user ended it, and it could not be ended in order: exit code 130.
    pub(crate) fn left(error: anyhow::Error) -> Self {
        Self { code: 130, error }
    }

    /// With this exit code.
    pub(crate) fn with_code(code: u8, error: anyhow::Error) -> Self {
        Self { code, error }
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }

    /// The exit code as a number.
    pub(crate) fn code(&self) -> u8 {
        self.code
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Some errors end with the words of their cause already; those are not said twice.
        let mut said = String::new();
        for cause in self.error.chain().map(ToString::to_string) {
            if !said.ends_with(&cause) {
                let colon = if said.is_empty() { "" } else { ": " };
                said = format!("{said}{colon}{cause}");
            }
        }
        f.write_str(&said)
    }
}

/// Anything that is not the user's and not the target's: exit code 1.
impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self { code: 1, error }
    }
}

impl From<ScenarioError> for Failure {
    fn from(error: ScenarioError) -> Self {
        Self::usage(error)
    }
}

impl From<TargetError> for Failure {
    fn from(error: TargetError) -> Self {
        Self::usage(error)
    }
}

impl From<Unusable> for Failure {
    fn from(error: Unusable) -> Self {
        Self {
            code: 4,
            error: error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    use super::*;

    #[test]
    fn a_cause_is_said_once() {
        let error = Err::<(), _>(anyhow::anyhow!("no such file"))
            .context("cannot read x: no such file")
            .context("no result")
            .expect_err("an error");
        assert_eq!(
            Failure::from(error).to_string(),
            "no result: cannot read x: no such file"
        );
    }
}
