//! Samples in, a result file out.
//!
//! A driver thread hands [`RoundSample`]s and [`WorkflowSample`]s to its own [`Recorder`]; at the
//! end the recorders are merged, and [`RunResult::new`] makes a result of them and of the
//! [`RunFacts`]: figures, checks, findings, verdict. Times live in [`Latency`] histograms, sizes
//! in [`Sizes`]. Nothing here knows HTTP, an async runtime or a chart.

mod archive;
mod backends;
mod bench;
mod buckets;
mod by_outcome;
mod compare;
mod deviation;
mod environment;
mod finished;
mod growth;
mod json;
mod judgement;
mod kind;
mod latency;
mod matrix;
mod outcome;
mod packed;
mod paired;
mod pairs;
mod phase;
mod phase_tally;
mod principal;
mod process;
mod recorder;
mod refused_body;
mod replay;
mod result;
mod sample;
mod seconds;
mod sizes;
mod spill;
mod stats;
mod tally;
mod throttle;
mod trend;
mod wire;

pub use archive::Archive;
pub use backends::{
    AgainstBase, BACKENDS_SCHEMA_VERSION, BackendsFacts, BackendsResult, Contender,
    ContenderFigure, Figure, FigureComparison, TurnRun, backends_schema,
};
pub use bench::{
    BENCH_SCHEMA_VERSION, BenchChange, BenchComparison, BenchError, BenchPlace, ToolVerdict,
    bench_comparison_schema, instruction_counts,
};
pub use compare::{
    COMPARISON_SCHEMA_VERSION, Change, ComparedFigure, ComparedRun, FigureChange, FigureGroup,
    Obstacle, ObstacleCode, Part, RunComparison, Unit, comparison_schema,
};
pub use deviation::StatusDeviation;
pub use environment::Environment;
pub use finished::FinishedSeconds;
pub use growth::{MemoryLooks, Slope};
pub use judgement::{Better, Judgement, RatioInterval};
pub use latency::Latency;
pub use outcome::{NotStarted, Outcome, TimeMeaning};
pub use packed::PackedLatency;
pub use paired::KindPair;
pub use pairs::{
    Evidence, Look, PAIRS_SCHEMA_VERSION, PairedChange, PairedControl, PairedFigure, PairsEnd,
    PairsFacts, PairsResult, Rule, Side, SideFacts, SideKind, SideRun, TURN, pair_order,
    pairs_schema,
};
pub use phase::Phase;
pub use principal::PrincipalTally;
pub use process::ProcessUsage;
pub use recorder::Recorder;
pub use refused_body::RefusedBody;
pub use replay::Replay;
pub use result::{
    Achieved, AeadResult, AeadRound, BadThreshold, BodyRefusals, Bound, Check, Comparison,
    ConnectionFacts, ConnectionResult, Counting, DeviationCount, Drift, EventResult, ExchangeKind,
    ExchangeResult, FailureExample, Finding, FindingCode, FleetCpu, GeneratorFacts,
    GeneratorResult, Growth, HlogError, InFlight, KeyTurn, KeyUse, KindResult, LatencyFigures, Law,
    LimitMode, LimitSpan, LoadError, LoadResult, Matrix, MatrixCell, Metric, Needs, OutcomeFigures,
    PayloadKind, PayloadResult, PhaseRates, PhaseResult, PrincipalRates, PrincipalResult,
    PrincipalsResult, QuantileIntervals, QuantileRatios, RateLimitResult, Ratio, ReplayedKind,
    ReplicaCpu, ReplicaDeath, ReplicaFacts, ReplicaLimit, ReplicaResult, RetryResult, RetryRound,
    RoundResult, RunClock, RunFacts, RunResult, SCHEMA_VERSION, SaveError, ScenarioRecord,
    SdkViews, Sealing, SecondResult, SecondRound, ServerFigures, ServiceGrowth, SignalResult,
    SingleUseResult, SizeFigures, SpreadComparison, Staircase, Status, Steady, SteadyRound, Step,
    Threshold, ThresholdResult, ThrottleResult, Times, TooLarge, Tool, TraceContextResult,
    UnknownMetric, Verdict, WithFailures, Workload, diagnose, result_schema, rising_steps,
    save_atomically,
};
pub use sample::{RoundSample, ServerTiming, Shape, SupersededAttempt, WorkflowSample};
pub use sizes::Sizes;
pub use spill::SpillError;
pub use stats::{ChangePoint, TurnMedian, change_fence, change_points, turns_for};
pub use tally::HistogramError;
pub use throttle::{Refusal, SdkView, ThrottleSignal};
pub use trend::{Jump, Trend, TrendPoint};
pub use wire::SlotLimit;
