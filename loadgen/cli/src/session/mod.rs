//! One run, from the start of its fleet to its result.

mod drive;
mod facts;

use std::collections::BTreeMap;

use anyhow::{Context as _, anyhow};
use loadgen_driver::{FleetPlan, Plan, Target, probe};
use loadgen_measure::RunResult;
use tokio::sync::oneshot;

use self::drive::Session;
use self::facts::Facts;
use crate::console;
use crate::failure::Failure;
use crate::fleet::{Fleet, Script, WrongOptions};
use crate::interrupts::Interrupts;
use crate::store::Store;

/// A run that was asked for.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) plan: Plan,
    /// URLs of servers to load, as given; without any the plan's own fleet is started.
    pub(crate) urls: Vec<String>,
    /// The same, resolved.
    pub(crate) targets: Vec<Target>,
    /// Options of the run that are not in the scenario, for its result.
    pub(crate) options: BTreeMap<String, serde_json::Value>,
    /// Whether nothing is said of how the run goes.
    pub(crate) quiet: bool,
}

impl Job {
    /// Starts what has to be started, drives the load to its end and makes the result. The store gets
    /// checkpoints of it meanwhile. Gives the fleet too: to end it takes time, in which the result
    /// should be written already.
    ///
    /// # Errors
    /// When the run cannot begin, is interrupted before its load, or has to be left to itself.
    pub(crate) async fn conduct(
        self,
        store: &Store,
        interrupts: &mut Interrupts,
    ) -> Result<(RunResult, Fleet), Failure> {
        let Self {
            mut plan,
            urls,
            targets,
            options,
            quiet,
        } = self;
        let begun = interrupts.unless(begin(&mut plan, targets));
        let (mut fleet, targets) = begun.await?;
        let mut session = Session {
            facts: Facts::new(urls, options, &targets),
            quiet,
            fleet: &mut fleet,
            script: Script::new(&plan.events, plan.fleet.as_ref()),
            store,
            plan,
            checkpointed: None,
        };
        let result = session.drive(&targets, interrupts).await?;
        Ok((result, fleet))
    }
}

/// Looks the addresses up.
///
/// # Errors
/// When one is none, or has no address.
pub(crate) async fn resolve(urls: &[String]) -> Result<Vec<Target>, Failure> {
    let mut targets = Vec::with_capacity(urls.len());
    for url in urls {
        targets.push(Target::resolve(url).await?);
    }
    Ok(targets)
}

/// Gets the tokens, starts the plan's own fleet unless targets are given, and looks at all targets once.
async fn begin(plan: &mut Plan, given: Vec<Target>) -> Result<(Fleet, Vec<Target>), Failure> {
    let prepared = plan.client.principals.prepare().await;
    prepared.map_err(|why| Failure::usage(anyhow!(why)))?;
    if !given.is_empty() {
        plan.without_fleet();
    }
    let fleet = match &plan.fleet {
        Some(fleet) => start(fleet.clone()).await?,
        None => Fleet::default(),
    };
    let targets = if given.is_empty() {
        resolve(&fleet.urls()).await?
    } else {
        given
    };
    let looked = probe(plan, &targets).await?;
    looked.teach(plan);
    for warning in looked.warnings {
        console::say(format_args!("loadgen: warning: {warning}"));
    }
    Ok((fleet, targets))
}

/// Starts the replicas in a thread of its own, so that the user can end the wait for them: they then
/// end with this process.
async fn start(plan: FleetPlan) -> Result<Fleet, Failure> {
    let (started, fleet) = oneshot::channel();
    std::thread::spawn(move || {
        // Nobody waits for it any more if this fails: the fleet is stopped here.
        let _ = started.send(Fleet::start(&plan));
    });
    let fleet = fleet.await.context("the replicas were not started")?;
    fleet.map_err(|error| {
        if error.is::<WrongOptions>() {
            Failure::usage(error)
        } else {
            error.into()
        }
    })
}
