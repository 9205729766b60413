mod kinds;
mod throttle;

use std::path::PathBuf;
use std::process::ExitCode;

use loadgen_driver::{KeyPlan, LimitSource, Load, Pace, PayloadPlan, Plan, Schedule, Spacing};
use loadgen_measure::Phase;

use crate::console;
use crate::failure::Failure;

/// Check a scenario and say what it would do.
///
/// Exit code 0, or 2 when the scenario is wrong: one line then says where, and what would be right.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// The scenario file.
    #[arg(value_name = "SCENARIO")]
    scenario: PathBuf,
}

/// Prints the plan. Exit code 0, or 2 with one line when the scenario is wrong.
pub(crate) fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let plan = super::scenario::load(&args.scenario)?;
    console::print(&describe(&plan))?;
    Ok(ExitCode::SUCCESS)
}

fn describe(plan: &Plan) -> String {
    let duration = plan.duration.as_secs_f64();
    let load = match &plan.load {
        Load::Open {
            schedule,
            rate_per_s,
            pace,
            ..
        } => open(schedule, *rate_per_s, duration) + &kept(*pace),
        Load::Closed { concurrency } => {
            format!("closed, {concurrency} users for {duration} s")
        }
    };
    let fleet = plan.fleet.as_ref().map_or_else(
        || "none of its own: give --target".to_owned(),
        |fleet| {
            let keys = match fleet.keys {
                KeyPlan::Shared => "",
                KeyPlan::Own => ", each with a key of its own",
            };
            match fleet.replicas.len() {
                1 => "1 replica".to_owned(),
                count => format!("{count} replicas{keys}"),
            }
        },
    );
    let spread = kinds::in_words(plan.spread);
    let mut text = format!(
        "{} is a valid scenario\n  load   {load}\n{}  fleet  {fleet}\n  spread {spread}; seed {}; at most {} retries a workflow\n  http   {}\n",
        plan.scenario.name,
        phases(&plan.phases),
        plan.seed,
        plan.round_cap,
        plan.http
    );
    for event in &plan.events {
        let at = event.at.as_secs_f64();
        text.push_str(&format!("  event  {at} s: {}\n", event.name));
    }
    text.push_str(&kinds::lines(plan));
    text.push_str(&payload(plan.payload));
    if let Some(rows) = &plan.rows {
        let order = if rows.in_turn() {
            "in turn"
        } else {
            "at random"
        };
        text.push_str(&format!(
            "  data   {} rows of {}, {order}\n",
            rows.count(),
            rows.file()
        ));
    }
    let principals = &plan.client.principals;
    let whose = match plan.load {
        Load::Open { .. } => "workflow",
        Load::Closed { .. } => "user",
    };
    match (principals.count(), principals.program()) {
        (0, None) => {}
        (0, Some(program)) => {
            text.push_str(&format!(
                "  tokens as {program} will print them, one a {whose}\n"
            ));
        }
        (count, _) => text.push_str(&format!("  tokens {count}, one a {whose}\n")),
    }
    if plan.client.trace_context {
        text.push_str("  client sends a trace context with every request\n");
    }
    text.push_str(&throttle::lines(&plan.throttle, principals.given()));
    for threshold in &plan.thresholds {
        text.push_str(&format!(
            "  must   {} {} {}\n",
            threshold.metric, threshold.comparison, threshold.limit
        ));
    }
    text
}

/// How long a body may be, where somebody said so.
fn payload(plan: PayloadPlan) -> String {
    let bytes = plan.body_limit_bytes;
    match plan.known_from {
        LimitSource::Scenario => format!("  bodies up to {bytes} bytes are taken by the target\n"),
        LimitSource::Fleet => format!("  bodies up to {bytes} bytes are taken by every replica\n"),
        LimitSource::Usual => String::new(),
    }
}

/// Rate, time, number and spacing of arrivals; a rate that changes has one line a stage.
fn open(schedule: &Schedule, rate_per_s: f64, duration_s: f64) -> String {
    let spacing = match schedule.spacing() {
        Spacing::Even => "",
        Spacing::Poisson => ", Poisson arrivals",
    };
    let spacing = match schedule.burst().get() {
        1 => spacing.to_owned(),
        of => format!("{spacing}, {of} at one moment"),
    };
    let count = schedule.count();
    if schedule.curve().stretches().len() == 1 {
        return format!(
            "partly open, {rate_per_s} workflows/s for {duration_s} s: {count} workflows{spacing}"
        );
    }
    format!("partly open, stages of {duration_s} s in all: {count} workflows{spacing}")
}

/// How closely the schedule is kept, where that is not the default.
fn kept(pace: Pace) -> String {
    let mut text = String::new();
    if pace.precise {
        text += "; sent precisely";
    }
    if let Some(after) = pace.skip_after {
        text += &format!("; skipped when more than {} s late", after.as_secs_f64());
    }
    text
}

/// One line for each phase, when there are several.
fn phases(phases: &[Phase]) -> String {
    if phases.len() == 1 {
        return String::new();
    }
    let line = |phase: &Phase| {
        let rate = match phase.rate_per_s {
            None => String::new(),
            Some((from, to)) if from == to => format!(", {to} workflows/s"),
            Some((from, to)) => format!(", {from} to {to} workflows/s"),
        };
        let warmup = if phase.warmup { ", warm-up" } else { "" };
        let time = (phase.to - phase.from).as_secs_f64();
        format!("         {}: {time} s{rate}{warmup}\n", phase.name)
    };
    phases.iter().map(line).collect()
}
