use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::findings::{Finding, FindingCode};
use crate::Phase;

/// Offered load over achieved load from which it is worth a finding.
const WORTH_SAYING: f64 = 1.1;

/// What became of a constant offered rate while workflows arrived: those that ended, in whatever
/// way, over the second half of the load, in whole seconds. The first half lets the first ones end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Achieved {
    /// Begin of what it is over, in seconds from the start of the run.
    pub from_s: u64,
    /// Its end, in seconds from the start of the run.
    pub to_s: u64,
    /// Workflows per second that were to arrive.
    pub offered_per_s: f64,
    /// Workflows per second that ended.
    pub ended_per_s: f64,
    /// The first over the second; null when none ended. Clearly above 1, the target (or a limit of
    /// the generator) did not keep up: response times grow for as long as workflows arrive.
    pub offered_over_achieved: Option<f64>,
}

/// What [`Achieved`] is made from.
pub(crate) struct Ended<'a> {
    /// Phases of the plan.
    pub(crate) phases: &'a [Phase],
    /// How long workflows arrived, in seconds.
    pub(crate) load_s: f64,
    /// Ended workflows of each second.
    pub(crate) by_second: &'a [u64],
    /// Mean think time inside a workflow, in seconds.
    pub(crate) think_s: f64,
}

impl Achieved {
    /// `None` where the two rates cannot be compared: the offered one changed or is not known, the
    /// second half is shorter than a second, or users thought for more than a tenth of it, so that
    /// many ended late for no fault of the target.
    pub(crate) fn of(ended: &Ended<'_>) -> Option<Self> {
        let offered_per_s = constant_rate(ended.phases)?;
        let from = (ended.load_s / 2.0).ceil();
        let to = ended.load_s.floor();
        let length = to - from;
        if length < 1.0 || ended.think_s > length / 10.0 {
            return None;
        }
        let count: u64 = (from as usize..to as usize)
            .map(|second| ended.by_second.get(second).copied().unwrap_or(0))
            .sum();
        let ended_per_s = count as f64 / length;
        Some(Self {
            from_s: from as u64,
            to_s: to as u64,
            offered_per_s,
            ended_per_s,
            offered_over_achieved: (count > 0).then(|| offered_per_s / ended_per_s),
        })
    }

    /// Says that the load was not kept up with, where that is no chance: the counts of two spans of
    /// Poisson arrivals differ by less than five times the square root of one of them.
    pub(crate) fn finding(&self) -> Option<Finding> {
        let length = (self.to_s - self.from_s) as f64;
        let missing = (self.offered_per_s - self.ended_per_s) * length;
        let by_chance = 5.0 * (self.offered_per_s * length).sqrt();
        if missing <= by_chance {
            return None;
        }
        let ratio = match self.offered_over_achieved {
            Some(ratio) if ratio < WORTH_SAYING => return None,
            Some(ratio) => format!("offered {ratio:.1}x achieved"),
            None => "nothing achieved".to_owned(),
        };
        Some(Finding::new(
            FindingCode::NotKeptUp,
            format!(
                "{ratio}: {:.1} workflows/s were to arrive and {:.1}/s ended from second {} to {}; \
                 response times hold what waited for its turn, service times only what was sent",
                self.offered_per_s, self.ended_per_s, self.from_s, self.to_s
            ),
        ))
    }
}

/// The rate of arrivals, if it was the same all the time.
fn constant_rate(phases: &[Phase]) -> Option<f64> {
    let (rate, _) = phases.first()?.rate_per_s?;
    phases
        .iter()
        .all(|phase| phase.rate_per_s == Some((rate, rate)))
        .then_some(rate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn phase(from: f64, to: f64) -> Phase {
        Phase {
            name: String::new(),
            warmup: false,
            from: Duration::ZERO,
            to: Duration::from_secs(10),
            rate_per_s: Some((from, to)),
        }
    }

    fn achieved(phases: &[Phase], load_s: f64, ended: u64, think_s: f64) -> Option<Achieved> {
        Achieved::of(&Ended {
            phases,
            load_s,
            by_second: &[ended; 20],
            think_s,
        })
    }

    #[test]
    fn twice_the_capacity_is_two() {
        let overloaded = achieved(&[phase(200.0, 200.0)], 10.0, 100, 0.0).unwrap();
        assert_eq!((overloaded.from_s, overloaded.to_s), (5, 10));
        assert_eq!(overloaded.offered_over_achieved, Some(2.0));
        let said = overloaded.finding().unwrap().sentence;
        assert!(
            said.starts_with("offered 2.0x achieved: 200.0 workflows/s"),
            "{said}"
        );
    }

    #[test]
    fn a_load_that_is_kept_up_with_is_not_worth_a_word() {
        for ended in [100, 95, 92] {
            let kept_up = achieved(&[phase(100.0, 100.0)], 10.0, ended, 0.0).unwrap();
            assert_eq!(kept_up.finding(), None, "{ended}");
        }
        // 10 % of few is nothing that chance could not do.
        let few = achieved(&[phase(2.0, 2.0)], 10.0, 1, 0.0).unwrap();
        assert_eq!(few.offered_over_achieved, Some(2.0));
        assert_eq!(few.finding(), None);
    }

    #[test]
    fn nothing_that_ended_is_no_number() {
        let none = achieved(&[phase(100.0, 100.0)], 10.0, 0, 0.0).unwrap();
        assert_eq!(none.offered_over_achieved, None);
        assert!(
            none.finding()
                .unwrap()
                .sentence
                .starts_with("nothing achieved")
        );
    }

    #[test]
    fn what_cannot_be_compared_is_absent() {
        let steady = [phase(100.0, 100.0)];
        assert!(achieved(&steady, 10.0, 100, 0.5).is_some());
        assert_eq!(achieved(&steady, 10.0, 100, 0.6), None, "users who think");
        assert_eq!(achieved(&steady, 1.9, 100, 0.0), None, "too short");
        assert_eq!(
            achieved(&[phase(0.0, 100.0)], 10.0, 100, 0.0),
            None,
            "a ramp"
        );
        let step = [phase(100.0, 100.0), phase(200.0, 200.0)];
        assert_eq!(achieved(&step, 10.0, 100, 0.0), None, "a step");
        let closed = Phase {
            rate_per_s: None,
            ..phase(0.0, 0.0)
        };
        assert_eq!(
            achieved(&[closed], 10.0, 100, 0.0),
            None,
            "a closed workload"
        );
    }
}
