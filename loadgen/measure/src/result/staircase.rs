use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::phase::PhaseResult;

/// Fewest steps that make a staircase.
const STEPS: usize = 3;
/// Share of the offered workflows that have to end well for a step to count as sustained.
const ENOUGH: f64 = 0.95;

/// A load that rose in steps: which rate was the highest that the target kept up with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Staircase {
    /// The steps in order, each at a higher rate than the one before; at least 3.
    pub steps: Vec<Step>,
    /// The highest rate, in workflows per second, up to which every step was sustained; null when
    /// the first was not.
    pub sustained_per_s: Option<f64>,
    /// The rate of the first step that was not sustained; null when all were.
    pub overloaded_per_s: Option<f64>,
    /// Most workflows per second that ended well in any step.
    pub highest_throughput_per_s: f64,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Name of its phase.
    pub phase: String,
    /// Workflows per second that were to arrive.
    pub offered_per_s: f64,
    /// Workflows per second that ended well while it lasted.
    pub ok_per_s: f64,
    /// Whether that was enough: at least 95 % of those that were due in it, less what the rise in rate
    /// leaves in flight (by Little's law, the rise times the first step's median response time) and
    /// three standard deviations of that.
    pub sustained: bool,
    /// Median response time of the successful workflows that were due in it, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ns: Option<u64>,
    /// The 99th percentile of these, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_ns: Option<u64>,
}

impl Staircase {
    /// `None` unless the phases, but for those that warm up, are at least three steps of constant
    /// rates that rise, and all of them were seen.
    pub(crate) fn of(phases: &[PhaseResult]) -> Option<Self> {
        let steps: Vec<&PhaseResult> = phases.iter().filter(|phase| !phase.warmup).collect();
        let rates = rising_steps(
            steps
                .iter()
                .map(|step| step.from_rate_per_s.zip(step.to_rate_per_s)),
        )?;
        let usual_ns = steps[0].work.ok()?.response.as_ref()?.p50_ns;
        let in_flight = |rate: f64| rate * usual_ns as f64 / 1e9;
        let mut before = 0.0;
        let mut judged = Vec::new();
        for (phase, rate) in steps.into_iter().zip(&rates) {
            // The difference of two Poisson counts: its variance is the sum of theirs.
            let spread = (in_flight(*rate) + in_flight(before)).sqrt();
            let delayed = in_flight(*rate) - in_flight(before) + 3.0 * spread;
            judged.push(step(phase, *rate, delayed)?);
            before = *rate;
        }
        let first_bad = judged.iter().position(|step| !step.sustained);
        let good = &judged[..first_bad.unwrap_or(judged.len())];
        Some(Self {
            sustained_per_s: good.last().map(|step| step.offered_per_s),
            overloaded_per_s: first_bad.map(|at| judged[at].offered_per_s),
            highest_throughput_per_s: judged.iter().map(|s| s.ok_per_s).fold(0.0, f64::max),
            steps: judged,
        })
    }
}

/// The rates of phases that are a staircase: at least three, each constant and higher than the one
/// before. Each is given by its rate at its start and at its end, in workflows per second.
pub fn rising_steps(phases: impl Iterator<Item = Option<(f64, f64)>>) -> Option<Vec<f64>> {
    let constant = |(from, to)| (from == to && from > 0.0).then_some(from);
    let rates: Option<Vec<f64>> = phases.map(|rates| rates.and_then(constant)).collect();
    rates.filter(|rates| rates.len() >= STEPS && rates.is_sorted_by(|a, b| a < b))
}

/// Judges one step, of which up to `delayed` workflows may end after it.
fn step(phase: &PhaseResult, offered_per_s: f64, delayed: f64) -> Option<Step> {
    let ok_per_s = phase.throughput_per_s?;
    let length_s = phase.to_s - phase.from_s;
    let due = phase.work.started + phase.not_started.values().sum::<u64>();
    let least = ENOUGH * due as f64 - delayed;
    let response = phase.work.ok().and_then(|ok| ok.response.as_ref());
    Some(Step {
        phase: phase.name.clone(),
        offered_per_s,
        ok_per_s,
        sustained: ok_per_s * length_s >= least,
        p50_ns: response.map(|figures| figures.p50_ns),
        p99_ns: response.map(|figures| figures.p99_ns),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use super::*;
    use crate::Outcome;
    use crate::kind::KindTally;
    use crate::result::work::KindResult;

    /// Ten seconds at this rate, in which so many a second ended well, after so many milliseconds.
    fn phase(rate: f64, ok_per_s: f64, response_ms: u64) -> PhaseResult {
        let mut work = KindTally {
            started: (rate * 10.0) as u64,
            ..KindTally::default()
        };
        let response = Duration::from_millis(response_ms);
        work.workflows.record(Outcome::Ok, response, Some(response));
        PhaseResult {
            name: format!("{rate}/s"),
            warmup: false,
            from_s: 0.0,
            to_s: 10.0,
            from_rate_per_s: Some(rate),
            to_rate_per_s: Some(rate),
            not_started: BTreeMap::new(),
            throughput_per_s: Some(ok_per_s),
            work: KindResult::of("x", &work),
        }
    }

    #[test]
    fn the_knee_is_the_last_step_that_was_kept_up_with() {
        let steps = [
            phase(1000.0, 998.0, 2),
            phase(2000.0, 1990.0, 3),
            phase(3000.0, 2500.0, 900),
            phase(4000.0, 2510.0, 2000),
        ];
        let knee = Staircase::of(&steps).unwrap();
        assert_eq!(knee.sustained_per_s, Some(2000.0));
        assert_eq!(knee.overloaded_per_s, Some(3000.0));
        assert_eq!(knee.highest_throughput_per_s, 2510.0);
        let sustained: Vec<bool> = knee.steps.iter().map(|step| step.sustained).collect();
        assert_eq!(sustained, [true, true, false, false]);
        assert!(knee.steps[2].p99_ns.unwrap() > 890_000_000);
    }

    #[test]
    fn all_steps_or_none_may_be_kept_up_with() {
        let steps = |share: f64| [100.0, 200.0, 300.0].map(|rate| phase(rate, rate * share, 1));
        let all = Staircase::of(&steps(1.0)).unwrap();
        assert_eq!(
            (all.sustained_per_s, all.overloaded_per_s),
            (Some(300.0), None)
        );
        let none = Staircase::of(&steps(0.5)).unwrap();
        assert_eq!(
            (none.sustained_per_s, none.overloaded_per_s),
            (None, Some(100.0))
        );
    }

    /// 100/s more and two seconds each: 200 of 3000 end in the next step, and are not missing.
    #[test]
    fn what_ends_in_the_next_step_is_not_missing() {
        let slow = [100.0, 200.0, 300.0].map(|rate| phase(rate, rate - 20.0, 2000));
        assert_eq!(Staircase::of(&slow).unwrap().overloaded_per_s, None);
        let quick = [1000.0, 2000.0, 3000.0].map(|rate| phase(rate, rate - 200.0, 20));
        assert_eq!(
            Staircase::of(&quick).unwrap().overloaded_per_s,
            Some(1000.0)
        );
    }

    #[test]
    fn other_shapes_are_no_staircase() {
        let rates = |rates: &[f64]| -> Vec<PhaseResult> {
            rates.iter().map(|rate| phase(*rate, *rate, 1)).collect()
        };
        assert!(Staircase::of(&rates(&[100.0, 200.0, 300.0])).is_some());
        assert_eq!(Staircase::of(&rates(&[100.0, 200.0])), None, "two steps");
        assert_eq!(
            Staircase::of(&rates(&[100.0, 900.0, 100.0])),
            None,
            "a spike"
        );
        assert_eq!(Staircase::of(&rates(&[0.0, 100.0, 200.0])), None, "a pause");
        assert_eq!(Staircase::of(&[]), None);
        let mut ramp = rates(&[100.0, 200.0, 300.0]);
        ramp[1].from_rate_per_s = Some(100.0);
        assert_eq!(Staircase::of(&ramp), None, "a ramp");
        let mut cut = rates(&[100.0, 200.0, 300.0]);
        cut[2].throughput_per_s = None;
        assert_eq!(Staircase::of(&cut), None, "a run that was ended");
        let mut warm = rates(&[50.0, 100.0, 200.0, 300.0]);
        warm[0].warmup = true;
        assert_eq!(Staircase::of(&warm).unwrap().steps.len(), 3);
    }
}
