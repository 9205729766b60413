//! The result of a run: its types, how it is made, written and read.

mod achieved;
mod aead;
mod assemble;
mod backlog;
mod body_refusals;
mod checks;
mod clock;
mod conclude;
mod delayed_ack;
mod diagnose;
mod event;
mod exchange;
mod figures;
mod findings;
mod fleet;
mod generator;
mod hlog;
mod intervals;
mod law;
mod load;
mod metric;
mod payload;
mod phase;
mod principals;
mod rate_limit;
mod ratio;
mod retry;
mod run;
mod schema;
mod selection;
mod senders;
mod single_use;
mod spread;
mod staircase;
mod statistic;
mod steady;
mod store;
mod threshold;
mod throttle;
mod verdict;
mod work;

pub use achieved::Achieved;
pub use aead::{AeadResult, AeadRound, FleetCpu, KeyUse, ReplicaCpu, Sealing, Times};
pub use assemble::RunFacts;
pub use body_refusals::BodyRefusals;
pub use checks::Check;
pub use clock::RunClock;
pub use diagnose::diagnose;
pub use event::{EventResult, KeyTurn};
pub use exchange::{ExchangeKind, ExchangeResult};
pub use figures::{LatencyFigures, OutcomeFigures, QuantileIntervals, SizeFigures, WithFailures};
pub use findings::{FailureExample, Finding, FindingCode};
pub use fleet::{
    DeviationCount, Matrix, MatrixCell, ReplicaDeath, ReplicaFacts, ReplicaResult, TooLarge,
};
pub use generator::{Bound, GeneratorFacts, GeneratorResult};
pub use hlog::HlogError;
pub use law::{Growth, Law};
pub use load::{
    ConnectionFacts, ConnectionResult, InFlight, LoadResult, SecondResult, SecondRound,
    TraceContextResult, Workload,
};
pub use metric::{Metric, Needs, UnknownMetric};
pub use payload::{PayloadKind, PayloadResult, ServiceGrowth};
pub use phase::PhaseResult;
pub use principals::{PrincipalResult, PrincipalsResult};
pub use rate_limit::{
    Counting, LimitMode, LimitSpan, PhaseRates, PrincipalRates, RateLimitResult, ReplicaLimit,
};
pub use ratio::{QuantileRatios, Ratio};
pub use retry::{RetryResult, RetryRound};
pub use run::{RunResult, SCHEMA_VERSION, ScenarioRecord, Tool};
pub use schema::result_schema;
pub use single_use::{ReplayedKind, SingleUseResult};
pub use spread::SpreadComparison;
pub use staircase::{Staircase, Step, rising_steps};
pub use steady::{Drift, Steady, SteadyRound};
pub use store::{LoadError, SaveError, save_atomically};
pub use threshold::{BadThreshold, Comparison, Threshold, ThresholdResult};
pub use throttle::{SdkViews, SignalResult, ThrottleResult};
pub use verdict::{Status, Verdict};
pub use work::{KindResult, RoundResult, ServerFigures};
