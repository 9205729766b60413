use std::process::ExitCode;

use anyhow::Context as _;

use self::exam::{Base, Exam, Settings};
use self::summary::Summary;
use crate::console;
use crate::failure::Failure;
use crate::format::Format;

mod delays;
mod exam;
mod overload;
mod pauses;
mod queues;
mod row;
mod summary;
mod trial;
mod truth;

/// Check this program on this machine: known faults, and what it measures of them.
///
/// Runs the driver against replicas of its own that are wrong in ways whose response times a formula
/// gives, and prints truth, measured value, error and what is allowed. Exit code 0 when all is
/// within; 5 when something is not and the machine was too busy to keep it; 1 otherwise.
#[derive(Debug, clap::Args)]
pub(crate) struct CalibrateArgs {
    /// Only this case; can be repeated.
    #[arg(long, value_enum, value_name = "NAME")]
    only: Vec<Case>,

    /// How long the load of each case lasts, in seconds [default: 4 to 10, as the case needs].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(4..=600))]
    seconds: Option<u32>,

    /// Threads that send.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    threads: u32,

    /// Most connections.
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=8000))]
    connections: u32,

    /// Run each case with 1 and 2 threads and 32 and 512 connections: the truth is the same.
    #[arg(long, conflicts_with_all = ["threads", "connections"])]
    vary: bool,

    /// What stdout gets.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// What the server does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Case {
    /// A pause of 200 ms every 2 s, at 1000 workflows/s.
    Stall,
    /// The same with four kinds of workflow.
    Mixed,
    /// One freeze of a second while the load goes on.
    Freeze,
    /// 300 us for every request.
    Fixed,
    /// One request in ten 50 ms slower.
    Slow,
    /// Twice the load that it can serve.
    Overload,
    /// The same over 32 connections.
    Capped,
    /// A queue with a constant service time, at load 0.5, 0.7 and 0.9.
    Md1,
    /// The same with exponential service times.
    Mm1,
}

impl Case {
    fn exams(self, settings: &Settings) -> anyhow::Result<Vec<Exam>> {
        Ok(match self {
            Self::Stall => vec![pauses::stall(settings)],
            Self::Mixed => vec![pauses::mixed(settings)],
            Self::Freeze => vec![pauses::freeze(settings)],
            Self::Fixed => vec![delays::fixed(settings)],
            Self::Slow => vec![delays::slow(settings)],
            Self::Overload => vec![overload::open(settings)],
            Self::Capped => vec![overload::capped(settings)],
            Self::Md1 => queues::md1(settings)?,
            Self::Mm1 => queues::mm1(settings)?,
        })
    }
}

/// Measures the base, then sits every exam, telling the figures as they come.
pub(crate) fn run(args: &CalibrateArgs) -> Result<ExitCode, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let all = <Case as clap::ValueEnum>::value_variants();
    let cases = if args.only.is_empty() {
        all
    } else {
        &args.only
    };
    let mut summary = Summary::default();
    for settings in args.settings() {
        let (base, _) = Base::measure(&settings, &runtime)?;
        args.tell(&summary.begin(&settings, base))?;
        for case in cases {
            for exam in case.exams(&settings)? {
                let report = exam.sit(&runtime, &base)?;
                args.tell(&summary.add(report))?;
            }
        }
    }
    args.tell(&summary.end())?;
    if args.format == Format::Json {
        console::print(&summary.json())?;
    }
    Ok(summary.exit_code())
}

impl CalibrateArgs {
    fn settings(&self) -> Vec<Settings> {
        let set = |threads, connections| Settings {
            threads,
            connections,
            seconds: self.seconds,
        };
        if self.vary {
            let all = [(1, 32), (1, 512), (2, 32), (2, 512)];
            all.map(|(threads, connections)| set(threads, connections))
                .to_vec()
        } else {
            vec![set(self.threads, self.connections)]
        }
    }

    fn tell(&self, text: &str) -> anyhow::Result<()> {
        match self.format {
            Format::Text => console::print(text),
            Format::Json | Format::Quiet => Ok(()),
        }
    }
}
