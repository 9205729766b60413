//! From a scenario file to samples: scenario, schedule, draw, content, plan, target, answers, spread,
//! throttle, classify, deviation, workflow, transport, probe, engine, in this order; a module uses
//! only those before it.
//!
//! A [`Scenario`] mirrors the file; [`Plan`] is the checked value that everything after it trusts.
//! [`probe`] asks each target once whether it can be loaded at all, [`Run`] then sends the planned
//! workflows and gives the samples. What a request state holds is never looked at: this crate cannot
//! even name the crate that seals it.

mod answers;
mod classify;
mod content;
mod deviation;
mod draw;
mod engine;
mod plan;
mod probe;
mod scenario;
mod schedule;
mod spread;
mod target;
mod throttle;
mod transport;
mod workflow;

pub use content::{Arguments, Rows};
pub use draw::Draw;
pub use engine::{Progress, Run, RunOutput, Stop};
pub use plan::{
    Act, AnswerPlan, BackOff, ClientPlan, Departure, Event, FixedFields, FleetPlan, HttpPlan,
    HttpVersion, KeyPlan, Kind, LimitRate, LimitSource, Load, Mirrored, OnThrottle, Pace,
    PayloadPlan, Plan, Principals, ReplicaPlan, RetryBudget, RetryOn, Spread, StateFault,
    ThrottlePlan, Trust, UpFront,
};
pub use probe::{ProbeReport, Unusable, probe};
pub use scenario::{
    AnswersTable, BackOffTable, BudgetTable, ClientTable, DataTable, EventTable, FleetTable,
    HttpTable, LoadTable, PayloadTable, ReplicaTable, Scenario, ScenarioError, Source, StageTable,
    ThinkTable, ThrottleTable, WorkflowTable,
};
pub use schedule::{RateCurve, Schedule, Spacing, Stretch};
pub use target::{Target, TargetError};
