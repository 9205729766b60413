use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Better;

/// A figure by which two results are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComparedFigure {
    /// Workflows that ended well in measured time, per second of it.
    Throughput,
    /// Share of the ended workflows that did not end well.
    FailedWorkflows,
    /// Share of the planned workflows that were not taken up.
    NotStarted,
    /// Processor time of the run's own fleet by workflow that was taken up.
    CpuPerWorkflow,
    /// Resident memory of the run's own replicas at the end, all together.
    FleetMemory,
    /// Quantile 0.5 of the response times that ended well, of workflows or of rounds.
    ResponseP50,
    /// Quantile 0.99 of the same.
    ResponseP99,
    /// Quantile 0.5 of the service times of the rounds that ended well.
    ServiceP50,
    /// Quantile 0.99 of the same.
    ServiceP99,
    /// Quantile 0.5 of the time in which servers opened states, as they report it.
    OpenP50,
    /// Quantile 0.99 of the same.
    OpenP99,
    /// Quantile 0.5 of the time that servers took for the tool's own work.
    HandleP50,
    /// Quantile 0.99 of the same.
    HandleP99,
    /// Quantile 0.5 of the time in which servers sealed states.
    SealP50,
    /// Quantile 0.99 of the same.
    SealP99,
    /// Share of the rounds that did not end well.
    FailedRounds,
    /// Mean size of request bodies.
    RequestBytes,
    /// Mean size of response bodies.
    ResponseBytes,
    /// Mean size of the states that were received.
    StateBytes,
}

/// What a figure is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Bytes.
    Bytes,
    /// Things in a second.
    PerS,
    /// A share, 0 to 1.
    Share,
    /// Instructions of a processor.
    Instructions,
}

impl ComparedFigure {
    /// Its name in print.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput ok",
            Self::FailedWorkflows => "failed workflows",
            Self::NotStarted => "not started",
            Self::CpuPerWorkflow => "fleet CPU a workflow",
            Self::FleetMemory => "fleet memory at end",
            Self::ResponseP50 => "response p50",
            Self::ResponseP99 => "response p99",
            Self::ServiceP50 => "service p50",
            Self::ServiceP99 => "service p99",
            Self::OpenP50 => "open p50",
            Self::OpenP99 => "open p99",
            Self::HandleP50 => "handle p50",
            Self::HandleP99 => "handle p99",
            Self::SealP50 => "seal p50",
            Self::SealP99 => "seal p99",
            Self::FailedRounds => "failed rounds",
            Self::RequestBytes => "request mean",
            Self::ResponseBytes => "response mean",
            Self::StateBytes => "state mean",
        }
    }

    /// What it is counted in.
    pub const fn unit(self) -> Unit {
        match self {
            Self::Throughput => Unit::PerS,
            Self::FailedWorkflows | Self::NotStarted | Self::FailedRounds => Unit::Share,
            Self::FleetMemory | Self::RequestBytes | Self::ResponseBytes | Self::StateBytes => {
                Unit::Bytes
            }
            Self::CpuPerWorkflow
            | Self::ResponseP50
            | Self::ResponseP99
            | Self::ServiceP50
            | Self::ServiceP99
            | Self::OpenP50
            | Self::OpenP99
            | Self::HandleP50
            | Self::HandleP99
            | Self::SealP50
            | Self::SealP99 => Unit::Ns,
        }
    }

    /// Which way it is better.
    pub const fn better(self) -> Better {
        match self {
            Self::Throughput => Better::Higher,
            _ => Better::Lower,
        }
    }
}
