use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::findings::FindingCode;
use super::run::RunResult;

/// The judgement on a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// The judgement, for machines.
    pub status: Status,
    /// Why, one sentence each; empty when good.
    pub reasons: Vec<String>,
}

/// Judgements. When several apply, the first of interrupted, invalid, threshold missed is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Every threshold was kept.
    Good,
    /// A threshold was missed, or nothing ended well.
    ThresholdMissed,
    /// The load generator was the bottleneck, an event did not happen, or the result contradicts
    /// itself.
    Invalid,
    /// An interrupt ended it early.
    Interrupted,
}

impl Status {
    /// The exit code of the program for it.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Good => 0,
            Self::ThresholdMissed => 3,
            Self::Invalid => 5,
            Self::Interrupted => 130,
        }
    }
}

/// The judgement on a result that is complete but for the verdict.
pub(super) fn judge(result: &RunResult) -> Verdict {
    let about = |wanted: &[FindingCode]| -> Vec<String> {
        let wanted = result.findings.iter().filter(|f| wanted.contains(&f.code));
        wanted.map(|finding| finding.sentence.clone()).collect()
    };
    let invalid = about(&[
        FindingCode::CheckFailed,
        FindingCode::EventFailed,
        FindingCode::GeneratorBound,
    ]);
    let mut missed: Vec<String> = result
        .thresholds
        .iter()
        .filter(|threshold| !threshold.pass)
        .map(|t| {
            let value = t.value_text();
            format!(
                "{} is {value}, must be {} {}",
                t.name, t.comparison, t.limit
            )
        })
        .collect();
    missed.extend(about(&[FindingCode::NoSuccess]));
    let (status, mut reasons) = if result.interrupted {
        let mut reasons = vec!["interrupted".to_owned()];
        reasons.extend(invalid);
        (Status::Interrupted, reasons)
    } else if !invalid.is_empty() {
        (Status::Invalid, invalid)
    } else if !missed.is_empty() {
        (Status::ThresholdMissed, std::mem::take(&mut missed))
    } else {
        (Status::Good, Vec::new())
    };
    reasons.append(&mut missed);
    Verdict { status, reasons }
}
