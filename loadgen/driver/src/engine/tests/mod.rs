//! The engine over a transport double under paused time: every figure is exact.

mod answered;
mod answers;
mod arrivals;
mod double;
mod endings;
mod overload;
mod phases;
mod principals;
mod replay;
mod routing;
mod size;
mod statuses;
mod throttle;
mod times;
mod traced;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use loadgen_measure::{
    ConnectionFacts, Environment, FailureExample, GeneratorFacts, InFlight, NotStarted, Outcome,
    RunClock, RunFacts, RunResult, Shape, Tool,
};
use loadgen_timer::{Alarms, Pacer, Timer};
use tokio::sync::watch;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{Instant, sleep};

use self::double::{Answer, Asked, Double};
use super::core::{Core, Shared};
use super::flight::Flying;
use super::load::offer;
use super::part::Part;
use super::run::Stop;
use crate::plan::Plan;
use crate::scenario::{Scenario, Source};

/// What to play.
pub(super) struct Play {
    /// Lines of `[load]`.
    load: &'static str,
    /// More lines of the one `[[workflow]]`.
    workflow: &'static str,
    /// Lines of `[throttle]`.
    pub(super) throttle: &'static str,
    /// Lines of `[client]`.
    pub(super) client: &'static str,
    replicas: usize,
    /// When the run is asked to end, in milliseconds, and how.
    stops: Vec<(u64, Stop)>,
    /// Whether somebody holds the run after that.
    held: bool,
    part: Part,
    seed: u64,
}

impl Play {
    pub(super) fn new(load: &'static str) -> Self {
        Self {
            load,
            workflow: "",
            throttle: "",
            client: "",
            replicas: 1,
            stops: Vec::new(),
            held: true,
            part: Part { index: 0, of: 1 },
            seed: 1,
        }
    }

    pub(super) fn plan(&self) -> Plan {
        let text = format!(
            "seed = {}\n[load]\n{}\n[[workflow]]\ntool = \"t\"\n{}\n[throttle]\n{}\n[client]\n{}\n",
            self.seed, self.load, self.workflow, self.throttle, self.client
        );
        let source = Source::new("play.toml", text);
        let mut plan = Plan::new(&Scenario::parse(&source).unwrap(), &source).unwrap();
        let principals = &mut plan.client.principals;
        if principals.program().is_some() {
            // In a runtime of its own: the clock of this one stands still.
            let prepare = || {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build();
                runtime.unwrap().block_on(principals.prepare()).unwrap();
            };
            std::thread::scope(|scope| scope.spawn(prepare).join().unwrap());
        }
        plan
    }

    async fn with<S: Fn(&Asked) -> Answer + 'static>(self, script: S) -> Played {
        let plan = Arc::new(self.plan());
        let shape = Shape {
            kinds: plan.kinds.iter().map(|kind| kind.name.clone()).collect(),
            replicas: (0..self.replicas).map(|n| format!("r{n}")).collect(),
        };
        let asked = Rc::new(RefCell::new(Vec::new()));
        let double = Double {
            script,
            asked: Rc::clone(&asked),
        };
        let (stop, stopped) = watch::channel(Stop::No);
        let epoch = Instant::now();
        let play = async {
            let core = Rc::new(Core::new(
                Arc::clone(&plan),
                &shape,
                double,
                epoch,
                Arc::new(Shared::of(shape.replicas.len())),
                Alarms::new(Timer::coarse()),
            ));
            spawn_local(async move {
                for (at_ms, how) in self.stops {
                    tokio::time::sleep_until(epoch + Duration::from_millis(at_ms)).await;
                    stop.send_replace(how);
                }
                if self.held {
                    sleep(Duration::from_secs(1 << 30)).await;
                }
                drop(stop);
            });
            let load = offer(&core, self.part, &Pacer::new(Timer::coarse()), stopped).await;
            (core.into_parts(), load)
        };
        let ((samples, flying, failures, _), load) = LocalSet::new().run_until(play).await;
        let elapsed = epoch.elapsed();
        let failures = failures.into_examples();
        let facts = RunFacts {
            tool: Tool {
                name: "loadgen".to_owned(),
                version: "0".to_owned(),
            },
            scenario: plan.scenario.clone(),
            seed: plan.seed,
            options: BTreeMap::new(),
            targets: shape.replicas.clone(),
            replicas: Vec::new(),
            unused_answers: BTreeMap::new(),
            breaks_states: Vec::new(),
            events: Vec::new(),
            environment: Environment::default(),
            clock: RunClock::new(
                SystemTime::UNIX_EPOCH,
                SystemTime::UNIX_EPOCH + elapsed,
                elapsed,
                load,
            ),
            workload: plan.workload(),
            planned: plan.planned().unwrap_or(samples.started_count()),
            in_flight: Some(InFlight {
                mean: flying.area_ns as f64 / elapsed.as_nanos() as f64,
                max: flying.max,
                looks: flying.changes,
            }),
            connections: ConnectionFacts::default(),
            failures: failures.clone(),
            generator: GeneratorFacts::default(),
            thresholds: Vec::new(),
            interrupted: false,
            partial: false,
        };
        Played {
            result: RunResult::new(facts, &samples),
            asked: asked.take(),
            epoch,
            elapsed,
            flying,
            failures,
        }
    }
}

/// What came of it.
struct Played {
    result: RunResult,
    asked: Vec<Asked>,
    epoch: Instant,
    elapsed: Duration,
    flying: Flying,
    failures: Vec<FailureExample>,
}

impl Played {
    fn outcome(&self, outcome: Outcome) -> u64 {
        let outcomes = &self.result.load.outcomes;
        outcomes.get(&outcome).copied().unwrap_or(0)
    }

    fn not_started(&self, cause: NotStarted) -> u64 {
        let causes = &self.result.load.not_started;
        causes.get(&cause).copied().unwrap_or(0)
    }

    /// Holds in every ending: nothing is lost, and the result agrees with itself.
    fn assert_accounts(&self) {
        let load = &self.result.load;
        let not_started: u64 = load.not_started.values().sum();
        assert_eq!(load.planned, load.started + not_started, "{load:?}");
        assert_eq!(
            load.started,
            load.outcomes.values().sum::<u64>(),
            "{load:?}"
        );
        assert_eq!(self.flying.now, 0, "nothing is in flight at the end");
        for check in &self.result.checks {
            assert_ne!(check.pass, Some(false), "{check:?}");
        }
        assert_eq!(self.result.generator.inverted_intervals, 0);
    }

    /// When the requests of a round came, in milliseconds from the start, in order.
    fn times_ms(&self, round: u16) -> Vec<u64> {
        let of_round = self.asked.iter().filter(|asked| asked.round == round);
        of_round
            .map(|asked| (asked.at - self.epoch).as_millis() as u64)
            .collect()
    }
}
