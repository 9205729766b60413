use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, anyhow};
use loadgen_driver::{Plan, Trust};
use loadgen_measure::Threshold;

use crate::console;
use crate::failure::Failure;
use crate::format::Format;
use crate::interrupts::Interrupts;
use crate::session::{Job, resolve};
use crate::store::Store;

/// Run a scenario: against replicas that the run starts itself, or against --target servers.
///
/// The first Ctrl-C stops sending, waits for what is in flight and writes the result; the second
/// writes it at once, and leaves the last checkpoint as the result if a sending thread does not end
/// within 5 s; the third does not wait for that. Before the load one Ctrl-C ends everything.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// The scenario file.
    #[arg(value_name = "SCENARIO")]
    scenario: PathBuf,

    /// Address of a replica, such as http://127.0.0.1:9101/mcp; give one --target per replica. The
    /// scenario's own fleet is then not started.
    #[arg(long = "target", value_name = "URL")]
    targets: Vec<String>,

    /// What stdout gets.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,

    /// Where the result goes; files of an earlier one there are replaced [default: a new folder
    /// results/runs/SCENARIO-UTCTIME].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Believe any certificate of an https:// target, as `insecure = true` in `[http]` does.
    #[arg(long)]
    insecure: bool,

    /// Fail (exit 3) when this holds, as in 'response.p99[round=2] > 20ms'; can be repeated. Limits of
    /// the scenario hold besides.
    #[arg(long = "fail-if", value_name = "COMPARISON", value_parser = Threshold::unless)]
    fail_if: Vec<Threshold>,

    /// Seed of the schedule and of every random choice, instead of the scenario's.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// Runs. The exit code is the verdict's; see the README's table.
pub(crate) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let mut plan = super::scenario::load(&args.scenario)?;
    plan.seed = args.seed.unwrap_or(plan.seed);
    plan.also(args.fail_if.clone())
        .map_err(|why| Failure::usage(anyhow!("--fail-if: {why}")))?;
    if args.insecure {
        plan.http.trust = Trust::Anyone;
    }
    if args.targets.is_empty() && plan.fleet.is_none() {
        return Err(Failure::usage(anyhow!(
            "{} has no [fleet], so the servers to load have to be named: give --target URL, once \
             per replica",
            args.scenario.display()
        )));
    }
    if !args.targets.is_empty() && !plan.events.is_empty() {
        return Err(Failure::usage(anyhow!(
            "{} has events, which happen to replicas that the run starts itself: leave out --target",
            args.scenario.display()
        )));
    }
    if matches!(plan.http.trust, Trust::Anyone) {
        console::say("loadgen: WARNING: certificates are NOT checked: whoever answers is believed");
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let given = runtime.block_on(resolve(&args.targets))?;
    for url in twice(&args.targets) {
        console::say(format_args!(
            "loadgen: warning: target {url} is given more than once, and counts as that many replicas"
        ));
    }
    let mut interrupts = {
        let _inside = runtime.enter();
        Interrupts::listen()?
    };
    let store = match &args.out {
        Some(folder) => Store::open(folder).map_err(Failure::usage)?,
        None => Store::make_default(&plan.scenario.name)?,
    };
    let forget = |failure: Failure| {
        if args.out.is_none() {
            store.forget_empty();
        }
        failure
    };
    let job = Job {
        urls: args.targets.clone(),
        targets: given,
        options: args.options(&plan),
        quiet: args.format == Format::Quiet,
        plan,
    };
    let driven = runtime.block_on(job.conduct(&store, &mut interrupts));
    let (result, _fleet) = driven.map_err(forget)?;
    // Written first and printed in any case: a full disk must not cost the figures.
    let written = store.everything(&result);
    let printed = args.format.print(&result);
    if args.format == Format::Text && written.is_ok() {
        console::say(format_args!("result: {}", store.folder().display()));
    }
    written.and(printed)?;
    Ok(ExitCode::from(result.verdict.status.exit_code()))
}

impl RunArgs {
    /// Options that are not in the scenario, for the result.
    fn options(&self, plan: &Plan) -> BTreeMap<String, serde_json::Value> {
        let mut options = BTreeMap::new();
        if self.seed.is_some() {
            options.insert("seed".to_owned(), plan.seed.into());
        }
        if self.insecure {
            options.insert("insecure".to_owned(), true.into());
        }
        if !self.targets.is_empty() {
            options.insert("target".to_owned(), self.targets.clone().into());
        }
        options
    }
}

/// The addresses that stand in the list more than once, each once.
fn twice(urls: &[String]) -> BTreeSet<&str> {
    let mut seen = BTreeSet::new();
    let repeated = urls.iter().filter(|url| !seen.insert(url.as_str()));
    repeated.map(String::as_str).collect()
}
