use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::anyhow;
use loadgen_driver::{FleetPlan, Plan, Target};
use loadgen_measure::{RunResult, SideFacts, SideKind};
use loadgen_seal::{Algorithm, Backend};

use super::program::Program;
use super::server::{PORT, Server};
use crate::failure::Failure;
use crate::interrupts::Interrupts;
use crate::session::{Job, resolve};
use crate::store::Store;

/// What was said of a side.
#[derive(Debug, Clone, Copy)]
pub(super) struct SideArgs<'a> {
    pub(super) name: &'static str,
    pub(super) command: Option<&'a str>,
    /// Where a server answers, with `{port}` in it.
    pub(super) url: &'a str,
    pub(super) targets: &'a [String],
    pub(super) backend: Option<Backend>,
    pub(super) scenario: &'a Path,
    pub(super) seconds: Option<Duration>,
}

/// One side, ready to be run.
#[derive(Debug)]
pub(super) struct Contender {
    plan: Plan,
    what: What,
}

#[derive(Debug)]
enum What {
    /// The plan's own, with this backend if one was named.
    Fleet(Option<Backend>),
    Targets(Vec<String>, Vec<Target>),
    /// So many of them.
    Servers(Server, usize),
    Program(Program),
}

impl SideArgs<'_> {
    /// What the side is.
    pub(super) fn kind(&self) -> SideKind {
        match self.command {
            Some(command) if command.contains(PORT) => SideKind::Server,
            Some(_) => SideKind::Program,
            None if self.targets.is_empty() => SideKind::Fleet,
            None => SideKind::Targets,
        }
    }

    /// Checks it as far as it can be before something is started.
    pub(super) async fn contender(&self, plan: Plan) -> Result<Contender, Failure> {
        let (kind, name) = (self.kind(), self.name);
        let file = self.scenario.display();
        let wrong = |why: String| Failure::usage(anyhow!("--{name}: {why}"));
        if plan.fleet.is_none() && matches!(kind, SideKind::Fleet) {
            return Err(Failure::usage(anyhow!(
                "{file} has no [fleet] that could be started: give the servers of both sides by --a and --b, or by --a-target and \
                 --b-target"
            )));
        }
        if !plan.events.is_empty() && matches!(kind, SideKind::Server | SideKind::Targets) {
            return Err(Failure::usage(anyhow!(
                "{file} has events, which happen to replicas of the scenario's own fleet only"
            )));
        }
        let what = match (kind, self.command) {
            (SideKind::Server, Some(command)) => {
                let server = Server::read(command, self.url).map_err(wrong)?;
                What::Servers(
                    server,
                    plan.fleet.as_ref().map_or(1, |fleet| fleet.replicas.len()),
                )
            }
            (_, Some(command)) => {
                if self.seconds.is_some() {
                    return Err(wrong(
                        "--seconds cannot be given with a loadgen program, which reads the scenario itself: change its duration_s"
                            .to_owned(),
                    ));
                }
                What::Program(Program::read(command, self.scenario).map_err(wrong)?)
            }
            (SideKind::Targets, None) => {
                What::Targets(self.targets.to_vec(), resolve(self.targets).await?)
            }
            (_, None) => What::Fleet(self.fitting(&plan)?),
        };
        Ok(Contender { plan, what })
    }

    /// The backend, if the fleet's algorithm has it here.
    fn fitting(&self, plan: &Plan) -> Result<Option<Backend>, Failure> {
        let (Some(backend), Some(fleet)) = (self.backend, &plan.fleet) else {
            return Ok(None);
        };
        let algorithm = match &fleet.algorithm {
            Some(name) => name.parse().map_err(Failure::usage)?,
            None => Algorithm::DEFAULT,
        };
        let here = Backend::available_for(algorithm);
        if here.contains(&backend) {
            return Ok(Some(backend));
        }
        let names: Vec<&str> = here.iter().map(|backend| backend.name()).collect();
        Err(Failure::usage(anyhow!(
            "--{}-backend: {backend} has no {algorithm} here; these have: {}",
            self.name,
            names.join(", ")
        )))
    }
}

impl Contender {
    /// What the result says of it, beside a comparison of this plan.
    pub(super) fn facts(&self, base: &Plan) -> SideFacts {
        let (kind, what) = match &self.what {
            What::Fleet(backend) => {
                let name = backend.map(|backend| backend.name().to_owned());
                (SideKind::Fleet, name.unwrap_or_default())
            }
            What::Targets(urls, _) => (SideKind::Targets, urls.join(" ")),
            What::Servers(server, _) => (SideKind::Server, server.command().to_owned()),
            What::Program(program) => (SideKind::Program, program.command().to_owned()),
        };
        let (own, of) = (&self.plan.scenario.sha256, &base.scenario.sha256);
        SideFacts {
            kind,
            what,
            scenario_sha256: (own != of).then(|| own.clone()),
        }
    }

    /// One run, whose files go into the store.
    ///
    /// # Errors
    /// When it does not come to a result.
    pub(super) async fn run(
        &self,
        seed: u64,
        store: &Store,
        interrupts: &mut Interrupts,
    ) -> Result<RunResult, Failure> {
        let mut plan = self.plan.clone();
        plan.seed = seed;
        match &self.what {
            What::Fleet(backend) => {
                if let (Some(backend), Some(fleet)) = (backend, &plan.fleet) {
                    plan.fleet = Some(FleetPlan {
                        backend: Some(backend.name().to_owned()),
                        ..fleet.clone()
                    });
                }
                loaded(plan, &[], Vec::new(), store, interrupts).await
            }
            What::Targets(urls, targets) => {
                loaded(plan, urls, targets.clone(), store, interrupts).await
            }
            What::Servers(server, count) => {
                let started = server.start(*count, store.folder());
                let started = interrupts.unless(started).await?;
                let targets = resolve(started.urls()).await?;
                loaded(plan, started.urls(), targets, store, interrupts).await
            }
            What::Program(program) => program.run(seed, store.folder(), interrupts).await,
        }
    }
}

/// Drives the load of this process, and keeps the result.
async fn loaded(
    plan: Plan,
    urls: &[String],
    targets: Vec<Target>,
    store: &Store,
    interrupts: &mut Interrupts,
) -> Result<RunResult, Failure> {
    let job = Job {
        plan,
        urls: urls.to_vec(),
        targets,
        options: BTreeMap::new(),
        quiet: true,
    };
    let (result, _fleet) = job.conduct(store, interrupts).await?;
    store.result(&result)?;
    Ok(result)
}
