//! From a scenario file to samples: scenario, schedule, plan, target, answers, spread, classify,
//! workflow, transport, probe, engine, in this order; a module uses only those before it.
//!
//! A [`Scenario`] mirrors the file; [`Plan`] is the checked value that everything after it trusts.
//! [`probe`] asks each target once whether it can be loaded at all, [`Run`] then sends the planned
//! workflows and gives the samples. What a request state holds is never looked at: this crate cannot
//! even name the crate that seals it.

mod answers;
mod classify;
mod engine;
mod plan;
mod probe;
mod scenario;
mod schedule;
mod spread;
mod target;
mod transport;
mod workflow;

pub use engine::{Progress, Run, RunOutput, Stop};
pub use plan::{FleetPlan, KeyPlan, Kind, Load, Plan, Spread};
pub use probe::{ProbeReport, Unusable, probe};
pub use scenario::{
    FleetTable, LoadTable, Scenario, ScenarioError, Source, StageTable, WorkflowTable,
};
pub use schedule::{RateCurve, Schedule, Spacing, Stretch};
pub use target::{Target, TargetError};
