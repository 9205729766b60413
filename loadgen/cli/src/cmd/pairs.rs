mod contest;
mod program;
mod server;
mod side;

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use loadgen_driver::{Load, Plan};
use loadgen_measure::{
    Environment, Judgement, Look, Metric, PairsEnd, PairsFacts, PairsResult, Rule,
};
use loadgen_report::{Style, pairs_markdown, pairs_summary};
use loadgen_seal::Backend;

use self::contest::Contest;
use self::side::{Contender, SideArgs};
use super::backends::{seconds, shorten};
use super::judged::{JudgedArgs, share};
use super::replica::values;
use crate::console;
use crate::failure::Failure;
use crate::interrupts::Interrupts;
use crate::store::Store;
use crate::tool::tool;

/// When no more pairs begin, unless their number or another time is given.
const MAX_TIME: Duration = Duration::from_secs(300);
/// Figures that are judged if none is named, those of them that the runs have.
const FIGURES: [&str; 5] = [
    "workflow.p50_ms",
    "workflow.p99_ms",
    "ok.rate",
    "open_and_seal.p50_us",
    "cpu_per_workflow_us",
];
/// The same for a load that offers as much as it can.
const CLOSED: &str = "throughput_per_s";

/// Whether B is slower than A: both in turns, A B B A, until it is decided.
///
/// Runs the scenario on both sides in pairs, each run on servers that were started for it, and adds
/// pairs until every figure is decided or the time is over. One may look after every pair: false alarms
/// stay below 5 % all the same. Without a word about the sides both are the scenario's fleet, which is
/// a trial of the gate itself.
#[derive(Debug, clap::Args)]
#[command(allow_negative_numbers = true)]
pub(crate) struct PairsArgs {
    /// The scenario file.
    #[arg(value_name = "SCENARIO")]
    scenario: PathBuf,

    /// The base: the command of a server, with {port} where its port goes; or, without {port}, a loadgen
    /// program.
    #[arg(long, value_name = "CMD", conflicts_with_all = ["a_backend", "a_target"])]
    a: Option<String>,

    /// What is judged against it, in the same form.
    #[arg(long, value_name = "CMD", conflicts_with_all = ["b_backend", "b_target"])]
    b: Option<String>,

    /// Where a server of --a or --b answers.
    #[arg(
        long,
        value_name = "URL",
        default_value = "http://127.0.0.1:{port}/mcp"
    )]
    url: String,

    /// Servers that run already, as the base; give one --a-target per replica.
    #[arg(long, value_name = "URL", conflicts_with = "a_backend")]
    a_target: Vec<String>,

    /// Servers that run already, to be judged.
    #[arg(long, value_name = "URL", conflicts_with = "b_backend")]
    b_target: Vec<String>,

    /// Cryptography backend of the scenario's fleet as the base.
    #[arg(long, value_name = "NAME", value_parser = values::backend)]
    a_backend: Option<Backend>,

    /// Cryptography backend of the scenario's fleet to be judged.
    #[arg(long, value_name = "NAME", value_parser = values::backend)]
    b_backend: Option<Backend>,

    /// Another scenario for B: what differs in it is judged.
    #[arg(long, value_name = "FILE")]
    b_scenario: Option<PathBuf>,

    /// A figure to judge, named as in a threshold; can be repeated [default: response p50 and p99 of
    /// workflows, their success, open + seal, processor time, throughput of a closed load].
    #[arg(long = "figure", value_name = "NAME")]
    figures: Vec<Metric>,

    /// So many pairs and one look at the end, which finds more than as many with a look after each.
    #[arg(long, value_name = "N", conflicts_with = "max_time")]
    pairs: Option<NonZeroU64>,

    /// Begin no pair after so many seconds [default: 300].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    max_time: Option<Duration>,

    /// The smallest change that matters, as a share: 0.02 is 2 %.
    #[arg(long, value_name = "SHARE", default_value = "0.02", value_parser = share)]
    min_change: f64,

    /// The share of gates on equal sides that may raise an alarm.
    #[arg(long, value_name = "SHARE", default_value = "0.05", value_parser = alpha)]
    alpha: f64,

    /// How long the load of each run lasts, in seconds, instead of the scenario's duration_s.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<Duration>,

    /// Seed of the first turn, instead of the scenario's; each turn of two pairs has the next one.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Where the results go [default: a new folder results/runs/pairs-SCENARIO-UTCTIME].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    #[command(flatten)]
    shown: JudgedArgs,
}

/// Runs the pairs. Exit code 0; 3 when B regressed (with `--strict` also when undecided); 5 when too many
/// runs did not count; 130 interrupted; else as `run`.
pub(crate) fn run(args: &PairsArgs) -> Result<ExitCode, Failure> {
    let plan = args.plan(&args.scenario)?;
    let other = args.b_scenario.as_deref().map(|file| args.plan(file));
    let other = other.transpose()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let [a, b] = runtime.block_on(args.sides(&plan, other.as_ref()))?;
    let mut interrupts = {
        let _inside = runtime.enter();
        Interrupts::listen()?
    };
    let store = match &args.out {
        Some(folder) => Store::open(folder).map_err(Failure::usage)?,
        None => Store::make_default(&format!("pairs-{}", plan.scenario.name))?,
    };
    let facts = PairsFacts {
        tool: tool(),
        scenario: plan.scenario.clone(),
        options: args.options(),
        environment: Environment::read(),
        started_at: jiff::Timestamp::now().to_string(),
        a: a.facts(&plan),
        b: b.facts(&plan),
        rule: Rule {
            look: match args.pairs {
                Some(_) => Look::Once,
                None => Look::AfterEachPair,
            },
            alpha: args.alpha,
            min_change: args.min_change,
        },
        pairs_asked: args.pairs.map(NonZeroU64::get),
        max_time_s: args.max_time().map(|time| time.as_secs_f64()),
        ended: None,
        elapsed_s: 0.0,
    };
    let mut contest = Contest {
        metrics: args.metrics(&plan),
        seed: plan.seed,
        sides: [a, b],
        max_time: args.max_time(),
        quiet: args.shown.is_quiet(),
        store: &store,
        facts,
        runs: Vec::new(),
    };
    let conducted = runtime.block_on(contest.conduct(&mut interrupts));
    if let Err(failure) = conducted.as_ref()
        && (contest.runs.is_empty() || failure.code() == 2)
    {
        store.forget_turns();
        return conducted.map(|()| ExitCode::SUCCESS);
    }
    let result = contest.judged();
    // Written first and printed in any case: a full disk must not cost the figures.
    let written = store.pairs(&result);
    let code = args.end(&result)?;
    if args.shown.is_text() && written.is_ok() {
        console::say(format_args!("result: {}", store.folder().display()));
    }
    conducted?;
    written?;
    Ok(code)
}

impl PairsArgs {
    /// A scenario, with its load as short as was asked for.
    fn plan(&self, file: &Path) -> Result<Plan, Failure> {
        let mut plan = super::scenario::load_with(file, |scenario| {
            self.seconds.map_or(Ok(()), |time| shorten(scenario, time))
        })?;
        plan.seed = self.seed.unwrap_or(plan.seed);
        Ok(plan)
    }

    /// Both sides.
    async fn sides(&self, plan: &Plan, other: Option<&Plan>) -> Result<[Contender; 2], Failure> {
        let scenario_b = self.b_scenario.as_deref().unwrap_or(&self.scenario);
        let a = SideArgs {
            name: "a",
            command: self.a.as_deref(),
            url: &self.url,
            targets: &self.a_target,
            backend: self.a_backend,
            scenario: &self.scenario,
            seconds: self.seconds,
        };
        let b = SideArgs {
            name: "b",
            command: self.b.as_deref(),
            targets: &self.b_target,
            backend: self.b_backend,
            scenario: scenario_b,
            ..a
        };
        let kinds = [a.kind(), b.kind()];
        if kinds[0] != kinds[1] {
            return Err(Failure::usage(anyhow!(
                "--a is {} and --b is {}: give both sides in one form, or what differs is the form",
                kinds[0].in_words(),
                kinds[1].in_words()
            )));
        }
        let b_plan = other.unwrap_or(plan);
        Ok([
            a.contender(plan.clone()).await?,
            b.contender(b_plan.clone()).await?,
        ])
    }

    fn max_time(&self) -> Option<Duration> {
        match self.pairs {
            Some(_) => None,
            None => Some(self.max_time.unwrap_or(MAX_TIME)),
        }
    }

    fn metrics(&self, plan: &Plan) -> Vec<Metric> {
        if !self.figures.is_empty() {
            let mut named: Vec<Metric> = Vec::new();
            for figure in &self.figures {
                if !named.contains(figure) {
                    named.push(figure.clone());
                }
            }
            return named;
        }
        let closed = matches!(plan.load, Load::Closed { .. }).then_some(CLOSED);
        let names = FIGURES.into_iter().chain(closed);
        names
            .map(|name| name.parse().expect("a figure that exists"))
            .collect()
    }

    /// Options that are not in the scenario, for the result.
    fn options(&self) -> BTreeMap<String, serde_json::Value> {
        let mut options = BTreeMap::new();
        if let Some(time) = self.seconds {
            options.insert("seconds".to_owned(), time.as_secs_f64().into());
        }
        if let Some(seed) = self.seed {
            options.insert("seed".to_owned(), seed.into());
        }
        options
    }

    /// Prints, and gives the exit code.
    fn end(&self, result: &PairsResult) -> Result<ExitCode, Failure> {
        let code = self.shown.end(
            result.judgement,
            |all| pairs_summary(result, all, Style::Coloured),
            |all| pairs_markdown(result, all),
            || result.to_json(),
        )?;
        Ok(match result.facts.ended {
            _ if result.judgement == Judgement::Regressed => code,
            Some(PairsEnd::Interrupted) => ExitCode::from(130),
            Some(PairsEnd::Failed) => ExitCode::from(5),
            _ => code,
        })
    }
}

/// A share above 0 and below one half.
fn alpha(text: &str) -> Result<f64, String> {
    let alpha = text
        .parse()
        .ok()
        .filter(|share| *share > 0.0 && *share < 0.5);
    alpha.ok_or_else(|| "it must be a share above 0 and below 0.5, as in 0.05 for 5 %".to_owned())
}
