//! One server with one queue under Poisson arrivals.

use std::time::Duration;

use anyhow::bail;
use loadgen_driver::{Load, Plan, Scenario, Source};
use loadgen_measure::{LatencyFigures, RunResult};
use loadgen_replica::{Fifo, ServiceTime};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt as _, SeedableRng as _};

use super::exam::{Base, ECHO, Exam, Settings, counts, mean_ms, quantile_ms, responses, trial};
use super::row::{Allowed, Row, Unit};
use super::truth::{md1_mean, mm1_mean, mm1_quantile, quantile_of};

/// The mean service time.
const SERVICE: Duration = Duration::from_millis(1);
/// The loads, in hundredths.
const LOADS: [u32; 3] = [50, 70, 90];
/// Seed of the exponential service times.
const SERVICE_SEED: u64 = 7;
/// Paths that are simulated to know how far the figures of one may lie from the formula.
const PATHS: u64 = 200;
/// How far a figure may lie from that of its own path, in milliseconds beside the base.
const PATH: Allowed = Allowed::between(-0.3, 1.0);

/// Constant service times, against Pollaczek and Khinchine.
pub(super) fn md1(settings: &Settings) -> anyhow::Result<Vec<Exam>> {
    LOADS
        .map(|load| exam(settings, Law::Constant, load))
        .into_iter()
        .collect()
}

/// Exponential service times, against the distribution of M/M/1.
pub(super) fn mm1(settings: &Settings) -> anyhow::Result<Vec<Exam>> {
    LOADS
        .map(|load| exam(settings, Law::Exponential, load))
        .into_iter()
        .collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Law {
    Constant,
    Exponential,
}

/// A figure of response times.
#[derive(Debug, Clone, Copy)]
enum Figure {
    Mean,
    Quantile(f64),
}

impl Law {
    fn service(self) -> ServiceTime {
        match self {
            Self::Constant => ServiceTime::Const(SERVICE),
            Self::Exponential => ServiceTime::Exp(SERVICE),
        }
    }

    /// The figures that a formula gives at this load, in mean service times.
    fn formulas(self, load: f64) -> Vec<(Figure, f64)> {
        match self {
            Self::Constant => vec![(Figure::Mean, md1_mean(load))],
            Self::Exponential => {
                let at = |p| (Figure::Quantile(p), mm1_quantile(load, p));
                vec![(Figure::Mean, mm1_mean(load)), at(0.5), at(0.9), at(0.99)]
            }
        }
    }
}

impl Figure {
    fn name(self) -> String {
        match self {
            Self::Mean => "mean".to_owned(),
            Self::Quantile(p) => format!("p{}", (p * 1e5).round() / 1e3),
        }
    }

    /// Of values in order.
    fn of(self, sorted: &[f64]) -> f64 {
        match self {
            Self::Mean => sorted.iter().sum::<f64>() / sorted.len() as f64,
            Self::Quantile(p) => quantile_of(sorted, p),
        }
    }

    fn measured_ms(self, figures: Option<&LatencyFigures>) -> Option<f64> {
        match self {
            Self::Mean => mean_ms(figures),
            Self::Quantile(p) => quantile_ms(figures, p),
        }
    }

    fn base_ms(self, base: &Base) -> f64 {
        match self {
            Self::Mean => base.mean_ms,
            Self::Quantile(_) => base.p50_ms,
        }
    }
}

fn exam(settings: &Settings, law: Law, hundredths: u32) -> anyhow::Result<Exam> {
    let load = f64::from(hundredths) / 100.0;
    let seconds = settings.seconds_or(8);
    let rate = (load / SERVICE.as_secs_f64()).round();
    let scenario = settings.scenario(rate, seconds, "arrivals = \"poisson\"", ECHO);
    let arrivals = arrivals(&scenario)?;
    let path = responses_ms(law, SERVICE_SEED, &arrivals);
    let formulas = formula_rows(law, load, arrivals.len(), f64::from(seconds));
    let (name, service, about) = match law {
        Law::Constant => ("M/D/1", "const:1ms", "Pollaczek-Khinchine"),
        Law::Exponential => ("M/M/1", "exp:1ms", "exp(-(mu - lambda) t)"),
    };
    let seed = SERVICE_SEED.to_string();
    Ok(Exam {
        name: format!("{name} at {load}"),
        truth: format!(
            "one queue of 1 ms each under Poisson arrivals at {rate}/s: base and what the queue \
             does with these very arrivals; \"formula\": base and {about}, within 3 sigma of what \
             {PATHS} simulated paths of this length show"
        ),
        trial: trial(
            scenario,
            &["--fifo", service, "--fifo-seed", &seed],
            seconds,
        ),
        judge: Box::new(move |result, base| {
            let mut rows = vec![counts(result, path.len() as u64)];
            rows.extend(path_rows(&path, result, base));
            for (figure, truth, sigma) in &formulas {
                rows.push(Row::new(
                    format!("{} (formula)", figure.name()),
                    Unit::Ms,
                    truth + figure.base_ms(base),
                    figure.measured_ms(responses(result)),
                    Allowed::within(3.0 * sigma + PATH.high),
                ));
            }
            rows
        }),
    })
}

/// Against the response times that the queue gives to the planned arrivals.
fn path_rows(path: &[f64], result: &RunResult, base: &Base) -> Vec<Row> {
    [
        Figure::Mean,
        Figure::Quantile(0.5),
        Figure::Quantile(0.9),
        Figure::Quantile(0.99),
    ]
    .map(|figure| {
        Row::new(
            figure.name(),
            Unit::Ms,
            figure.of(path) + figure.base_ms(base),
            figure.measured_ms(responses(result)),
            PATH,
        )
    })
    .to_vec()
}

/// Figure, truth and standard deviation over simulated paths, in milliseconds.
fn formula_rows(law: Law, load: f64, count: usize, seconds: f64) -> Vec<(Figure, f64, f64)> {
    let service_ms = 1e3 * SERVICE.as_secs_f64();
    let paths: Vec<Vec<f64>> = (0..PATHS)
        .map(|seed| responses_ms(law, seed, &simulated(seed, count, seconds)))
        .collect();
    let formulas = law.formulas(load).into_iter();
    formulas
        .map(|(figure, truth)| {
            let values: Vec<f64> = paths.iter().map(|path| figure.of(path)).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let squares = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
            let sigma = (squares / (values.len() as f64 - 1.0)).sqrt();
            (figure, truth * service_ms, sigma)
        })
        .collect()
}

/// Poisson arrivals of which there are so many in so long: uniform moments in order (Cox and Lewis,
/// The Statistical Analysis of Series of Events, 1966, section 2.1).
fn simulated(seed: u64, count: usize, seconds: f64) -> Vec<Duration> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut moments: Vec<Duration> = (0..count)
        .map(|_| Duration::from_secs_f64(rng.random::<f64>() * seconds))
        .collect();
    moments.sort();
    moments
}

/// When the workflows of a scenario are due.
fn arrivals(scenario: &str) -> anyhow::Result<Vec<Duration>> {
    let source = Source::new("calibrate.toml", scenario);
    let plan = Plan::new(&Scenario::parse(&source)?, &source)?;
    match &plan.load {
        Load::Open { schedule, .. } => Ok((0..schedule.count())
            .map(|n| schedule.due(plan.seed, n))
            .collect()),
        Load::Closed { .. } => bail!("a closed workload has no schedule"),
    }
}

/// Response times of these arrivals in the replica's queue, in milliseconds and in order. The
/// program's own look before the load is served first, long before.
fn responses_ms(law: Law, seed: u64, arrivals: &[Duration]) -> Vec<f64> {
    const EARLIER: Duration = Duration::from_secs(60);
    let fifo = Fifo {
        service: law.service(),
        seed,
    };
    let all = std::iter::once(Duration::ZERO).chain(arrivals.iter().map(|at| *at + EARLIER));
    let ends = fifo.finishes(all).skip(1);
    let mut responses: Vec<f64> = ends
        .zip(arrivals)
        .filter_map(|(end, at)| Some((end? - EARLIER).checked_sub(*at)?.as_secs_f64() * 1e3))
        .collect();
    responses.sort_by(f64::total_cmp);
    responses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simulated_paths_scatter_around_the_formula() {
        for law in [Law::Constant, Law::Exponential] {
            for (figure, truth, sigma) in formula_rows(law, 0.5, 4000, 8.0) {
                assert!(sigma > 0.0 && sigma < 0.2 * truth, "{law:?} {figure:?}");
                let one = figure.of(&responses_ms(law, 900, &simulated(900, 4000, 8.0)));
                assert!(
                    (one - truth).abs() < 4.0 * sigma,
                    "{law:?} {figure:?} {one}"
                );
            }
        }
    }

    #[test]
    fn a_lonely_request_takes_its_service_time() {
        let arrivals = [Duration::from_secs(1), Duration::from_secs(2)];
        assert_eq!(responses_ms(Law::Constant, 1, &arrivals), [1.0, 1.0]);
        let together = [Duration::from_secs(1), Duration::from_secs(1)];
        assert_eq!(responses_ms(Law::Constant, 1, &together), [1.0, 2.0]);
    }
}
