use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::load::{InFlight, LoadResult};

/// One check of a result against itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// What must agree, as in `planned = started + not started`.
    pub name: String,
    /// Value of the left side; null when it could not be taken.
    pub left: Option<f64>,
    /// Value of the right side; null when it could not be taken.
    pub right: Option<f64>,
    /// Difference that is still accepted, as a share of the larger side.
    pub tolerance: f64,
    /// Whether the sides agree; null when a side is missing.
    pub pass: Option<bool>,
}

impl Check {
    fn new(name: &str, left: Option<f64>, right: Option<f64>, tolerance: f64) -> Self {
        let pass = left
            .zip(right)
            .map(|(left, right)| (left - right).abs() <= tolerance * left.abs().max(right.abs()));
        Self {
            name: name.to_owned(),
            left,
            right,
            tolerance,
            pass,
        }
    }

    fn counts(name: &str, left: u64, right: u64) -> Self {
        Self::new(name, Some(left as f64), Some(right as f64), 0.0)
    }
}

/// Numbers that the checks need beside the load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts {
    /// Rounds of which an attempt was made.
    pub(crate) attempted: u64,
    /// Attempts that another attempt followed.
    pub(crate) superseded: u64,
    /// Workflows that were taken up, added up over the principals, if there are any.
    pub(crate) started_by_principal: Option<u64>,
    pub(crate) partial: bool,
    /// From the start to the end of the drain, in seconds.
    pub(crate) duration_s: f64,
    /// Sum over all ended workflows of the time from being taken up to the end, in seconds.
    pub(crate) sojourn_s: f64,
}

pub(crate) fn check(load: &LoadResult, counts: &Counts) -> Vec<Check> {
    let not_started: u64 = load.not_started.values().sum();
    let ended: u64 = load.outcomes.values().sum();
    let mut checks = Vec::new();
    // A checkpoint is written while workflows are still to come and still in flight.
    if !counts.partial {
        checks.push(Check::counts(
            "planned = started + not started",
            load.planned,
            load.started + not_started,
        ));
        checks.push(Check::counts(
            "started = sum of outcomes",
            load.started,
            ended,
        ));
    }
    checks.push(Check::counts(
        "attempts = attempted rounds + superseded attempts",
        load.attempts,
        counts.attempted + counts.superseded,
    ));
    if let Some(by_principal) = counts.started_by_principal {
        checks.push(Check::counts(
            "started = sum over principals",
            load.started,
            by_principal,
        ));
    }
    if !counts.partial {
        checks.push(littles_law(load.in_flight.as_ref(), counts));
    }
    checks
}

/// Little's law (Little, "A proof for the queuing formula L = lambda W", Operations Research 9,
/// 1961): mean number in flight L = arrivals per second x mean time in flight W, here over the
/// whole run, so that L T = sum of the times in flight. L is looked at from time to time and so
/// carries a sampling error, taken as that of Poisson counts: sqrt(L / looks).
fn littles_law(in_flight: Option<&InFlight>, counts: &Counts) -> Check {
    const NAME: &str = "mean in flight = sum of times in flight / duration (Little's law)";
    let right = (counts.duration_s > 0.0).then(|| counts.sojourn_s / counts.duration_s);
    let Some(in_flight) = in_flight.filter(|seen| seen.looks > 0) else {
        return Check::new(NAME, None, right, 0.05);
    };
    let expected = in_flight.mean.max(right.unwrap_or(0.0));
    let sampling = if expected > 0.0 {
        4.0 / (expected * in_flight.looks as f64).sqrt()
    } else {
        0.0
    };
    Check::new(NAME, Some(in_flight.mean), right, sampling.clamp(0.05, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(sojourn_s: f64) -> Counts {
        Counts {
            attempted: 0,
            superseded: 0,
            started_by_principal: None,
            partial: false,
            duration_s: 10.0,
            sojourn_s,
        }
    }

    fn seen(mean: f64) -> InFlight {
        InFlight {
            mean,
            max: 20,
            looks: 10_000,
        }
    }

    #[test]
    fn a_rate_that_contradicts_the_mean_is_seen() {
        assert_eq!(
            littles_law(Some(&seen(10.0)), &counts(98.0)).pass,
            Some(true)
        );
        assert_eq!(
            littles_law(Some(&seen(10.0)), &counts(80.0)).pass,
            Some(false)
        );
        assert_eq!(littles_law(Some(&seen(0.0)), &counts(0.0)).pass, Some(true));
    }

    #[test]
    fn a_missing_side_neither_passes_nor_fails() {
        assert_eq!(littles_law(None, &counts(98.0)).pass, None);
        let no_time = Counts {
            duration_s: 0.0,
            ..counts(0.0)
        };
        assert_eq!(littles_law(Some(&seen(1.0)), &no_time).pass, None);
    }
}
