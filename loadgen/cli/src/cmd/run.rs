use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use loadgen_driver::{FleetPlan, Plan, Run, RunOutput, Target, Trust, probe};
use loadgen_measure::{
    Environment, GeneratorFacts, ProcessUsage, ReplicaFacts, RunFacts, RunResult, Threshold, Tool,
};
use tokio::sync::oneshot;

use crate::console;
use crate::failure::Failure;
use crate::fleet::{Fleet, Script, WrongOptions};
use crate::format::Format;
use crate::interrupts::Interrupts;
use crate::progress::Teller;
use crate::store::Store;

/// How often the run is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// When what was measured so far is first written: early, so that the memory this takes is part of
/// what the run has settled at.
const FIRST_CHECKPOINT: Duration = Duration::from_secs(2);
/// How often it is written after that.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(5);
/// How often the memory of the run's own replicas is looked at.
const LOOK_AT_MEMORY_EVERY: Duration = Duration::from_millis(250);
/// When memory is looked at for the first time: the run has found its size by then.
const SETTLED: Duration = Duration::from_secs(5);

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
    let begun = runtime.block_on(interrupts.unless(begin(&mut plan, given)));
    let (mut fleet, targets) = begun.map_err(forget)?;
    let mut session = Session {
        args,
        facts: Facts::new(args, &plan, &targets),
        fleet: &mut fleet,
        script: Script::new(&plan.events),
        store: &store,
        plan,
        checkpointed: None,
    };
    let driven = runtime.block_on(session.drive(&targets, interrupts));
    let result = driven.map_err(forget)?;
    // Written first and printed in any case: a full disk must not cost the figures.
    let written = store.everything(&result);
    let printed = args.format.print(&result);
    if args.format == Format::Text {
        console::say(format_args!("result: {}", store.folder().display()));
    }
    written.and(printed)?;
    Ok(ExitCode::from(result.verdict.status.exit_code()))
}

/// Gets the tokens, starts the plan's own fleet unless targets are given, and looks at all targets once.
async fn begin(plan: &mut Plan, given: Vec<Target>) -> Result<(Fleet, Vec<Target>), Failure> {
    let prepared = plan.client.principals.prepare().await;
    prepared.map_err(|why| Failure::usage(anyhow!(why)))?;
    let fleet = match &plan.fleet {
        Some(fleet) if given.is_empty() => start(fleet.clone()).await?,
        _ => Fleet::default(),
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

/// The addresses that stand in the list more than once, each once.
fn twice(urls: &[String]) -> BTreeSet<&str> {
    let mut seen = BTreeSet::new();
    let repeated = urls.iter().filter(|url| !seen.insert(url.as_str()));
    repeated.map(String::as_str).collect()
}

async fn resolve(urls: &[String]) -> Result<Vec<Target>, Failure> {
    let mut targets = Vec::with_capacity(urls.len());
    for url in urls {
        targets.push(Target::resolve(url).await?);
    }
    Ok(targets)
}

/// What is known of a run before it begins.
struct Facts {
    options: BTreeMap<String, serde_json::Value>,
    environment: Environment,
    targets: Vec<String>,
    before: Option<ProcessUsage>,
    settled_rss_bytes: Option<u64>,
}

impl Facts {
    fn new(args: &RunArgs, plan: &Plan, targets: &[Target]) -> Self {
        let mut options = BTreeMap::new();
        if args.seed.is_some() {
            options.insert("seed".to_owned(), plan.seed.into());
        }
        if args.insecure {
            options.insert("insecure".to_owned(), true.into());
        }
        if !args.targets.is_empty() {
            options.insert("target".to_owned(), args.targets.clone().into());
        }
        Self {
            options,
            environment: Environment::read(),
            targets: targets.iter().map(|t| t.url().to_owned()).collect(),
            before: ProcessUsage::of_self(),
            settled_rss_bytes: None,
        }
    }
}

struct Session<'a> {
    args: &'a RunArgs,
    plan: Plan,
    facts: Facts,
    fleet: &'a mut Fleet,
    /// What happens to the fleet during the load.
    script: Script,
    store: &'a Store,
    /// Up to when the last checkpoint holds what was measured.
    checkpointed: Option<Duration>,
}

impl Session<'_> {
    /// Starts the load, watches it to its end and makes the result.
    async fn drive(
        &mut self,
        targets: &[Target],
        mut interrupts: Interrupts,
    ) -> Result<RunResult, Failure> {
        let mut run = Run::start(self.plan.clone(), targets).map_err(anyhow::Error::from)?;
        let threads = run.threads();
        let mut teller = Teller::new(self.plan.planned(), self.args.format == Format::Quiet);
        let mut next_checkpoint = FIRST_CHECKPOINT;
        let mut next_memory = Duration::ZERO;
        let mut look = tokio::time::interval(LOOK_EVERY);
        while !run.is_over() {
            tokio::select! {
                () = interrupts.next() => {
                    run.stop(interrupts.wish().meaning());
                    if interrupts.wish().count() == 1 && self.args.format != Format::Quiet {
                        teller.say(
                            "loadgen: interrupted; waiting for what is in flight, once more to \
                             write the result at once",
                        );
                    }
                }
                _ = look.tick() => {}
                () = until(self.script.next(run.elapsed()), &run) => {}
            }
            if interrupts.wish().waits_no_longer(Instant::now()) {
                teller.finish();
                return Err(self.left(&run));
            }
            let elapsed = run.elapsed();
            for failure in self.script.play(elapsed, self.fleet) {
                teller.say(format_args!("loadgen: {failure}"));
            }
            teller.tell(elapsed, run.progress());
            for death in self.fleet.deaths() {
                teller.say(format_args!("loadgen: {death}"));
            }
            if elapsed >= SETTLED && self.facts.settled_rss_bytes.is_none() {
                self.facts.settled_rss_bytes = ProcessUsage::of_self().map(|usage| usage.rss_bytes);
            }
            if elapsed >= next_memory && elapsed < self.plan.duration {
                next_memory = elapsed + LOOK_AT_MEMORY_EVERY;
                self.fleet.look(elapsed, &run.answered());
            }
            if elapsed >= next_checkpoint {
                next_checkpoint = elapsed + CHECKPOINT_EVERY;
                self.checkpoint(&mut run, threads, &teller);
            }
        }
        teller.finish();
        let output = run.join();
        Ok(self.result(output, threads, interrupts.wish().count() > 0, false))
    }

    /// Writes what was measured so far. A disk that is full now may not be full at the end.
    fn checkpoint(&mut self, run: &mut Run, threads: u64, teller: &Teller) {
        if let Some(output) = run.checkpoint() {
            let output_end = run.elapsed();
            let result = self.result(output, threads, false, true);
            match self.store.result(&result) {
                Ok(()) => self.checkpointed = Some(output_end),
                Err(e) => teller.say(format_args!("loadgen: warning: no checkpoint: {e:#}")),
            }
        }
    }

    /// What is told of a run whose threads do not end.
    fn left(&self, run: &Run) -> Failure {
        let left = match self.checkpointed {
            Some(at) => format!(
                "result.json in {} holds what was measured up to {:.0} s",
                self.store.folder().display(),
                at.as_secs_f64()
            ),
            None => "nothing was written".to_owned(),
        };
        Failure::left(anyhow!(
            "interrupted, and {} of {} sending threads did not end; {left}",
            run.busy(),
            run.threads()
        ))
    }

    fn result(
        &mut self,
        output: RunOutput,
        threads: u64,
        interrupted: bool,
        partial: bool,
    ) -> RunResult {
        let now = ProcessUsage::of_self();
        let since = |f: fn(&ProcessUsage) -> Duration| {
            let (now, before) = now.zip(self.facts.before)?;
            Some(f(&now).saturating_sub(f(&before)).as_secs_f64())
        };
        let generator = GeneratorFacts {
            threads,
            cpu_s: since(|usage| usage.cpu),
            run_queue_delay_s: since(|usage| usage.run_queue_delay.unwrap_or_default())
                .filter(|_| now.is_some_and(|usage| usage.run_queue_delay.is_some())),
            rss_at_5s_bytes: self.facts.settled_rss_bytes,
            rss_at_end_bytes: now.map(|usage| usage.rss_bytes),
        };
        let facts = RunFacts {
            tool: Tool {
                name: "loadgen".to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
            },
            scenario: self.plan.scenario.clone(),
            seed: self.plan.seed,
            options: self.facts.options.clone(),
            targets: self.args.targets.clone(),
            replicas: self.replicas(),
            events: self.script.results(),
            unused_answers: unused_answers(&self.plan),
            breaks_states: {
                let kinds = self.plan.kinds.iter();
                let broken = kinds.filter(|kind| kind.break_state.is_some());
                broken.map(|kind| kind.name.clone()).collect()
            },
            environment: self.facts.environment.clone(),
            clock: output.clock,
            workload: self.plan.workload(),
            planned: output.planned,
            in_flight: output.in_flight,
            connections: output.connections,
            failures: output.failures,
            generator,
            thresholds: if partial {
                Vec::new()
            } else {
                self.plan.thresholds.clone()
            },
            interrupted,
            partial,
        };
        RunResult::new(facts, &output.samples)
    }

    fn replicas(&mut self) -> Vec<ReplicaFacts> {
        if self.args.targets.is_empty() {
            return self.fleet.facts();
        }
        let unknown = |url: &String| ReplicaFacts {
            url: url.clone(),
            ..ReplicaFacts::default()
        };
        self.facts.targets.iter().map(unknown).collect()
    }
}

/// Fixed answers that no question has asked for, by kind.
fn unused_answers(plan: &Plan) -> BTreeMap<String, Vec<String>> {
    let kinds = plan.kinds.iter().map(|kind| {
        let unused = kind.answers.fields.never_asked_for();
        (kind.name.clone(), unused.map(str::to_owned).collect())
    });
    kinds
        .filter(|(_, unused): &(_, Vec<String>)| !unused.is_empty())
        .collect()
}

/// Waits for a time of the run; for ever without one.
async fn until(moment: Option<Duration>, run: &Run) {
    match moment {
        Some(moment) => tokio::time::sleep(moment.saturating_sub(run.elapsed())).await,
        None => std::future::pending().await,
    }
}
