mod contenders;
mod order;
mod tour;

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use loadgen_driver::{FleetPlan, Plan, Scenario};
use loadgen_measure::{BackendsFacts, BackendsResult, Environment};
use loadgen_report::{Style, backends_summary};
use loadgen_seal::{Algorithm, Backend};

use self::tour::Tour;
use super::replica::values;
use crate::console;
use crate::failure::Failure;
use crate::format::Format;
use crate::interrupts::Interrupts;
use crate::store::Store;
use crate::tool::tool;

/// Turns, when neither their number nor a time is given.
const TURNS: NonZeroU64 = NonZeroU64::new(10).expect("ten is not zero");

/// Compare cryptography backends: one scenario under each, in turns.
///
/// Every run starts replicas of its own. Each turn has one run of every backend, and the order goes
/// round from turn to turn, so that what drifts with time meets all alike. What the intervals over
/// turns cannot tell apart is not ranked. Ctrl-C ends it with what was measured: the first waits for
/// what is in flight.
#[derive(Debug, clap::Args)]
pub(crate) struct BackendsArgs {
    /// The scenario file; it needs a `[fleet]`.
    #[arg(value_name = "SCENARIO")]
    scenario: PathBuf,

    /// Only this backend; give at least two, the first is the base [default: all that have the
    /// algorithm].
    #[arg(long = "backend", value_name = "NAME", value_parser = values::backend)]
    backends: Vec<Backend>,

    /// What the states are protected with; several are compared with each other too [default: the
    /// scenario's, or xaes-256-gcm].
    #[arg(long = "algorithm", value_name = "NAME", value_parser = values::algorithm)]
    algorithms: Vec<Algorithm>,

    /// How often each is run [default: 10, or as often as fits into --max-time].
    #[arg(long, alias = "rounds", value_name = "N")]
    turns: Option<NonZeroU64>,

    /// Begin no turn after so many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    max_time: Option<Duration>,

    /// How long the load of each run lasts, in seconds, instead of the scenario's duration_s.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<Duration>,

    /// Seed of the first turn, instead of the scenario's; each turn has the next one.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// What stdout gets.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,

    /// Where the results go [default: a new folder results/runs/backends-SCENARIO-UTCTIME].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    #[arg(long = "target", value_name = "URL", hide = true)]
    targets: Vec<String>,
}

/// Runs all and compares. The exit code is the first that applies of 1, 2, 4, 130, 5 and 3: see the
/// README's table.
pub(crate) fn run(args: &BackendsArgs) -> Result<ExitCode, Failure> {
    let (plan, fleet) = args.plan()?;
    let pairs = contenders::choose(&args.algorithms, &args.backends, &fleet)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let mut interrupts = {
        let _inside = runtime.enter();
        Interrupts::listen()?
    };
    let store = match &args.out {
        Some(folder) => Store::open(folder).map_err(Failure::usage)?,
        None => Store::make_default(&format!("backends-{}", plan.scenario.name))?,
    };
    let turns = args.turns.or(args.max_time.is_none().then_some(TURNS));
    let facts = BackendsFacts {
        tool: tool(),
        scenario: plan.scenario.clone(),
        options: args.options(),
        environment: Environment::read(),
        started_at: jiff::Timestamp::now().to_string(),
        contenders: contenders::named(&pairs),
        turns_asked: turns.map(NonZeroU64::get),
        interrupted: false,
        partial: true,
    };
    let mut tour = Tour {
        plan,
        fleet,
        pairs,
        turns: turns.map_or(u64::MAX, NonZeroU64::get),
        max_time: args.max_time,
        quiet: args.format == Format::Quiet,
        store: &store,
        facts,
        runs: Vec::new(),
        exits: Vec::new(),
    };
    let conducted = runtime.block_on(tour.conduct(&mut interrupts));
    let (result, code) = tour.finish();
    // Written first and printed in any case: a full disk must not cost the figures.
    let written = store.comparison(&result);
    if conducted.is_ok() || !result.runs.is_empty() {
        args.print(&result)?;
    }
    if args.format == Format::Text && written.is_ok() {
        console::say(format_args!("result: {}", store.folder().display()));
    }
    conducted?;
    written?;
    Ok(ExitCode::from(code))
}

impl BackendsArgs {
    /// The scenario, with its load as short as was asked for.
    fn plan(&self) -> Result<(Plan, FleetPlan), Failure> {
        let file = self.scenario.display();
        let mut plan = super::scenario::load_with(&self.scenario, |scenario| {
            self.seconds.map_or(Ok(()), |time| shorten(scenario, time))
        })?;
        plan.seed = self.seed.unwrap_or(plan.seed);
        let Some(fleet) = plan.fleet.clone() else {
            return Err(Failure::usage(anyhow!(
                "{file} has no [fleet]: backends are compared on replicas that are started anew with each"
            )));
        };
        if !self.targets.is_empty() {
            return Err(Failure::usage(anyhow!(
                "--target cannot be given: backends are compared on replicas that are started anew with \
                 each, and nobody can choose the backend of a server that runs already"
            )));
        }
        Ok((plan, fleet))
    }

    /// Options that are not in the scenario, for the result.
    fn options(&self) -> BTreeMap<String, serde_json::Value> {
        let mut options = BTreeMap::new();
        for (name, time) in [("seconds", self.seconds), ("max_time", self.max_time)] {
            if let Some(time) = time {
                options.insert(name.to_owned(), time.as_secs_f64().into());
            }
        }
        if let Some(seed) = self.seed {
            options.insert("seed".to_owned(), seed.into());
        }
        options
    }

    fn print(&self, result: &BackendsResult) -> anyhow::Result<()> {
        match self.format {
            Format::Text => console::print(&backends_summary(result, Style::Coloured)),
            Format::Json => console::print(&result.to_json()),
            Format::Quiet => Ok(()),
        }
    }
}

/// Lets the load of a scenario last so long.
pub(super) fn shorten(scenario: &mut Scenario, time: Duration) -> Result<(), Failure> {
    match &mut scenario.load.get_mut().duration_s {
        Some(duration) => {
            *duration.get_mut() = time.as_secs_f64();
            Ok(())
        }
        None => Err(Failure::usage(anyhow!(
            "--seconds is for a load with duration_s; this one has stages, each with a time of its own"
        ))),
    }
}

/// A time of at least 0.1 s and at most a week.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || "it must be 0.1 to 604800 seconds".to_owned();
    let s: f64 = text.parse().map_err(|_| wrong())?;
    if !(0.1..=604_800.0).contains(&s) {
        return Err(wrong());
    }
    Duration::try_from_secs_f64(s).map_err(|_| wrong())
}
