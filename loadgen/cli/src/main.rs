//! The `loadgen` command: load tests and benchmarks for stateless MCP servers.

mod cmd;
mod console;
mod failure;
mod fleet;
mod format;
mod input;
mod interrupts;
mod progress;
mod session;
mod store;
mod tool;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::failure::Failure;

/// Load tests and benchmarks for stateless servers that speak MCP 2026-07-28.
#[derive(Debug, Parser)]
#[command(version, about, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(after_help = EXIT_CODES)]
    Run(cmd::run::RunArgs),
    Report(cmd::report::ReportArgs),
    Export(cmd::export::ExportArgs),
    History(cmd::history::HistoryArgs),
    #[command(after_help = COMPARE_CODES)]
    Compare(cmd::compare::CompareArgs),
    #[command(after_help = COMPARE_CODES)]
    BenchCompare(cmd::bench_compare::BenchCompareArgs),
    #[command(after_help = PAIRS_CODES)]
    Pairs(Box<cmd::pairs::PairsArgs>),
    Check(cmd::check::CheckArgs),
    #[command(after_help = EXIT_CODES)]
    Backends(cmd::backends::BackendsArgs),
    Calibrate(cmd::calibrate::CalibrateArgs),
    Replica(Box<cmd::replica::ReplicaArgs>),
    Keys(cmd::keys::KeysArgs),
    Token(cmd::token::TokenArgs),
}

const EXIT_CODES: &str = "Exit codes: 0 good; 1 our own fault; 2 usage or scenario error; \
    3 threshold missed or no success; 4 target unusable; 5 run invalid; 130 interrupted with \
    partial result";

const PAIRS_CODES: &str = "Exit codes: 0 nothing regressed; 1 our own fault; 2 usage or scenario \
    error; 3 regressed, or with --strict undecided; 4 a server unusable; 5 too many runs do not count; \
    130 interrupted with partial result";

const COMPARE_CODES: &str = "Exit codes: 0 compared, nothing regressed; 1 our own fault; 2 usage \
    error, or not to be compared; 3 regressed, or with --strict undecided";

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Run(args) => cmd::run::run(&args),
        Command::Report(args) => cmd::report::run(&args),
        Command::Export(args) => cmd::export::run(&args),
        Command::History(args) => cmd::history::run(&args),
        Command::Compare(args) => cmd::compare::run(&args),
        Command::BenchCompare(args) => cmd::bench_compare::run(&args),
        Command::Pairs(args) => cmd::pairs::run(&args),
        Command::Check(args) => cmd::check::run(&args),
        Command::Backends(args) => cmd::backends::run(&args),
        Command::Calibrate(args) => cmd::calibrate::run(&args),
        Command::Replica(args) => cmd::replica::run(*args).map_err(Failure::from),
        Command::Keys(args) => cmd::keys::run(args).map_err(Failure::from),
        Command::Token(args) => cmd::token::run(args).map_err(Failure::from),
    };
    done.unwrap_or_else(|failure| {
        console::say(format_args!("loadgen: {failure}"));
        failure.exit_code()
    })
}
