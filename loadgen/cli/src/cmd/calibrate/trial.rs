use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use loadgen_driver::FleetPlan;
use loadgen_measure::{ProcessUsage, RunResult};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

use crate::failure::Failure;
use crate::fleet::Fleet;
use crate::input;

/// How often the run is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How much longer a run may take than its scenario says before it is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// One run of the driver against one replica that is wrong in a known way.
#[derive(Debug, Clone)]
pub(super) struct Trial {
    /// The scenario, without a fleet.
    pub(super) scenario: String,
    /// Options of `loadgen replica`.
    pub(super) replica: Vec<String>,
    /// A line that the replica is told so long after the run was started.
    pub(super) told: Option<(Duration, String)>,
    /// Longest time that the load and its drain can take.
    pub(super) longest: Duration,
}

/// What a trial has shown.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) result: RunResult,
    /// Share of the time in which a thread of the driver or the replica stood ready without a
    /// processor; `None` when the kernel does not say.
    pub(super) starved: Option<f64>,
}

impl Trial {
    /// Starts the replica, runs the scenario as `loadgen run` does, in a process of its own, and
    /// reads its result.
    pub(super) fn conduct(&self, runtime: &Runtime) -> Result<Seen, Failure> {
        let desk = tempfile::tempdir().context("cannot make a temporary folder")?;
        let scenario = desk.path().join("calibrate.toml");
        std::fs::write(&scenario, &self.scenario).context("cannot write the scenario")?;
        let mut plan = FleetPlan::plain(1);
        plan.replicas[0].options.clone_from(&self.replica);
        let mut fleet = Fleet::start(&plan)?;
        let before = waited(&fleet);
        let mut driver = Driver::start(desk.path(), &scenario, &fleet.urls())?;
        let status = runtime.block_on(self.watch(&mut driver, &mut fleet))?;
        let after = waited(&fleet);
        let result = RunResult::load(&desk.path().join("out/result.json")).map_err(|e| {
            let said = input::text(&desk.path().join("stderr")).unwrap_or_default();
            let said = said.lines().last().unwrap_or("it said nothing").to_owned();
            anyhow!("the run ended with {status} and left no result ({e}): {said}")
        })?;
        let own = result.generator.facts.run_queue_delay_s;
        let replica = before.zip(after);
        let replica = replica.map(|(before, after)| after.saturating_sub(before).as_secs_f64());
        let waits = own.into_iter().chain(replica).reduce(f64::max);
        Ok(Seen {
            starved: waits.map(|s| s / result.clock.duration_s),
            result,
        })
    }

    async fn watch(&self, driver: &mut Driver, fleet: &mut Fleet) -> Result<ExitStatus, Failure> {
        let mut interrupt = signal(SignalKind::interrupt()).context("cannot handle SIGINT")?;
        let mut terminate = signal(SignalKind::terminate()).context("cannot handle SIGTERM")?;
        let mut told = self.told.clone();
        let started = Instant::now();
        loop {
            tokio::select! {
                _ = interrupt.recv() => return Err(Failure::interrupted()),
                _ = terminate.recv() => return Err(Failure::interrupted()),
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
            let elapsed = started.elapsed();
            if let Some((_, line)) = told.take_if(|(at, _)| elapsed >= *at) {
                fleet.tell(&line)?;
            }
            if let Some(status) = driver.0.try_wait().context("the run cannot be watched")? {
                return Ok(status);
            }
            if elapsed > self.longest + PATIENCE {
                return Err(anyhow!("the run did not end in its time").into());
            }
        }
    }
}

/// Time that the replicas stood ready without a processor, since they began.
fn waited(fleet: &Fleet) -> Option<Duration> {
    let waits = fleet
        .used()
        .into_iter()
        .map(|used: ProcessUsage| used.run_queue_delay);
    waits.reduce(|a, b| Some(a? + b?)).flatten()
}

/// The process that runs the scenario. Dropping it ends it.
#[derive(Debug)]
struct Driver(Child);

impl Driver {
    fn start(desk: &Path, scenario: &Path, urls: &[String]) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("this program's own file is not known")?;
        let stderr = std::fs::File::create(desk.join("stderr"))?;
        let mut command = Command::new(program);
        command
            .arg("run")
            .arg(scenario)
            .args(["--format", "quiet", "--out"])
            .arg(desk.join("out"));
        for url in urls {
            command.args(["--target", url]);
        }
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(stderr)
            .spawn()
            .context("cannot start the run")?;
        Ok(Self(child))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // It has ended already, unless this ends before it.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
