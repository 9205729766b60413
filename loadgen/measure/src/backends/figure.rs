use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RunResult;

/// What backends are compared by. All are in nanoseconds, and less is better.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// Quantile 0.5 of the open times that the server reported.
    OpenP50,
    /// Quantile 0.5 of the seal times that the server reported.
    SealP50,
    /// Quantile 0.5 of both together in one round.
    OpenAndSealP50,
    /// Quantile 0.5 of the client's service times of the rounds of those positions.
    ServiceP50,
    /// Quantile 0.99 of the same.
    ServiceP99,
    /// Processor time of the whole fleet by workflow.
    CpuPerWorkflow,
}

impl Figure {
    /// All of them, what is nearest to the backend first.
    pub const ALL: [Self; 6] = [
        Self::OpenP50,
        Self::SealP50,
        Self::OpenAndSealP50,
        Self::ServiceP50,
        Self::ServiceP99,
        Self::CpuPerWorkflow,
    ];

    /// Its name in print.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenP50 => "open p50",
            Self::SealP50 => "seal p50",
            Self::OpenAndSealP50 => "open + seal p50",
            Self::ServiceP50 => "service p50",
            Self::ServiceP99 => "service p99",
            Self::CpuPerWorkflow => "CPU a workflow",
        }
    }

    /// Its value in the result of a run, in nanoseconds; `None` where that has none.
    pub fn of(self, result: &RunResult) -> Option<f64> {
        let aead = result.aead.as_ref()?;
        let ns = |ns: u64| ns as f64;
        match self {
            Self::OpenP50 => aead.open.map(|times| ns(times.p50_ns)),
            Self::SealP50 => aead.seal.map(|times| ns(times.p50_ns)),
            Self::OpenAndSealP50 => Some(ns(aead.open_and_seal.p50_ns)),
            Self::ServiceP50 => aead.service.map(|times| ns(times.p50_ns)),
            Self::ServiceP99 => aead.service.map(|times| ns(times.p99_ns)),
            Self::CpuPerWorkflow => aead.cpu.as_ref()?.per_workflow_ns,
        }
    }
}
