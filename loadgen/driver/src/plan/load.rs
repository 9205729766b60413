use std::num::NonZeroU32;
use std::time::Duration;

use loadgen_measure::{Phase, Workload};
use toml::Spanned;

use super::check::{Check, LONGEST};
use super::pace::Pace;
use crate::scenario::{LoadTable, ScenarioError, StageTable};
use crate::schedule::{RateCurve, Schedule, Spacing, Stretch};

/// Highest rate that a scenario may ask for, in workflows per second.
const MOST_PER_S: f64 = 1e6;

/// When workflows begin.
#[derive(Debug, Clone, PartialEq)]
pub enum Load {
    /// Partly open: workflows arrive by the schedule and do not wait for each other.
    Open {
        /// The arrivals.
        schedule: Schedule,
        /// Workflows per second; the mean over all stages.
        rate_per_s: f64,
        /// Most workflows in flight; further arrivals are not started.
        max_in_flight: u32,
        /// How closely the schedule is kept.
        pace: Pace,
    },
    /// Closed: so many users, each beginning its next workflow when the last one ended.
    Closed {
        /// Number of users.
        concurrency: u32,
    },
}

impl Load {
    /// In words and numbers for the result.
    pub(super) fn workload(&self) -> Workload {
        match self {
            Self::Open {
                schedule,
                rate_per_s,
                ..
            } => {
                let stages = schedule.curve().stretches().len();
                let stages = (stages > 1).then(|| format!("{stages} stages"));
                let drawn = (schedule.spacing() == Spacing::Poisson).then(|| "Poisson".to_owned());
                let bursts =
                    (schedule.burst().get() > 1).then(|| format!("bursts of {}", schedule.burst()));
                let details: Vec<String> = drawn.into_iter().chain(bursts).chain(stages).collect();
                Workload {
                    label: match details[..] {
                        [] => "partly open".to_owned(),
                        _ => format!("partly open ({})", details.join(", ")),
                    },
                    arrival_rate_per_s: Some(*rate_per_s),
                    round_cap: None,
                    concurrency: None,
                }
            }
            Self::Closed { concurrency } => Workload {
                label: "closed".to_owned(),
                arrival_rate_per_s: None,
                round_cap: None,
                concurrency: Some(u64::from(*concurrency)),
            },
        }
    }
}

impl Check<'_> {
    /// The load and its parts in time.
    pub(super) fn load(
        &self,
        table: &Spanned<LoadTable>,
    ) -> Result<(Load, Vec<Phase>), ScenarioError> {
        let load = table.get_ref();
        match (&load.rate_per_s, &load.stage, &load.concurrency) {
            (Some(rate), None, None) => {
                let rate_per_s = self.rate("rate_per_s", rate, false)?;
                let time = self.duration(table)?;
                let curve = RateCurve::constant(rate_per_s, time);
                let open = self.open(load, rate, curve, rate_per_s)?;
                Ok((open, self.phases(load, time, Some(rate_per_s))?))
            }
            (None, Some(stages), None) => {
                if let Some(both) = &load.duration_s {
                    return Err(self.wrong(
                        both,
                        "with [[load.stage]] the load lasts as long as its stages; leave out \
                         `duration_s` of [load]",
                    ));
                }
                let curve = self.stages(stages)?;
                let mean = curve.total() / curve.time().as_secs_f64();
                let phases = self.stage_phases(load, stages, curve.stretches().copied())?;
                Ok((self.open(load, stages, curve, mean)?, phases))
            }
            (None, None, Some(_)) => {
                let phases = self.phases(load, self.duration(table)?, None)?;
                Ok((self.closed(load)?, phases))
            }
            (_, _, Some(both)) => Err(self.wrong(
                both,
                "give `rate_per_s` or [[load.stage]] (workflows arrive) or `concurrency` (users \
                 wait), not both",
            )),
            (Some(rate), Some(_), None) => Err(self.wrong(
                rate,
                "each [[load.stage]] has its own `rate_per_s`; leave out that of [load]",
            )),
            (None, None, None) => Err(self.wrong(
                table,
                "[load] needs `rate_per_s` (workflows per second), [[load.stage]] or \
                 `concurrency` (users)",
            )),
        }
    }

    fn duration(&self, table: &Spanned<LoadTable>) -> Result<Duration, ScenarioError> {
        match &table.get_ref().duration_s {
            Some(duration) => self.time("duration_s", duration, false),
            None => Err(self.wrong(table, "[load] needs `duration_s`, in seconds")),
        }
    }

    fn rate(
        &self,
        key: &str,
        rate: &Spanned<f64>,
        may_be_zero: bool,
    ) -> Result<f64, ScenarioError> {
        let per_s = *rate.get_ref();
        let least = if may_be_zero { "0 or more" } else { "above 0" };
        if per_s > 0.0 && per_s <= MOST_PER_S || may_be_zero && per_s == 0.0 {
            return Ok(per_s);
        }
        Err(self.wrong(
            rate,
            &format!("{key} must be {least} and at most 1000000, in workflows per second"),
        ))
    }

    /// An open load under this rate; what is wrong with the rate as a whole is told at `place`.
    fn open<T>(
        &self,
        load: &LoadTable,
        place: &Spanned<T>,
        curve: RateCurve,
        rate_per_s: f64,
    ) -> Result<Load, ScenarioError> {
        let spacing = match load
            .arrivals
            .as_ref()
            .map(|text| (text, text.get_ref().as_str()))
        {
            None | Some((_, "constant")) => Spacing::Even,
            Some((_, "poisson")) => Spacing::Poisson,
            Some((text, _)) => {
                return Err(self.wrong(text, "arrivals must be \"constant\" or \"poisson\""));
            }
        };
        let burst = self.count("burst", &load.burst, 1, 10_000)?;
        let burst = NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN);
        let schedule = Schedule::new(curve, spacing).in_bursts(burst);
        if schedule.count() == 0 {
            return Err(self.wrong(
                place,
                "rate_per_s x duration_s is below 1, so no workflow would arrive; raise one of \
                 them",
            ));
        }
        if let Some(size) = load.burst.as_ref()
            && u64::from(burst.get()) > schedule.count()
        {
            let text = format!(
                "only {} workflows arrive in all, so no burst is that large",
                schedule.count()
            );
            return Err(self.wrong(size, &text));
        }
        Ok(Load::Open {
            schedule,
            rate_per_s,
            max_in_flight: self.count("max_in_flight", &load.max_in_flight, 10_000, 10_000_000)?,
            pace: self.pace(load)?,
        })
    }

    fn stages(&self, list: &Spanned<Vec<Spanned<StageTable>>>) -> Result<RateCurve, ScenarioError> {
        let mut time = Duration::ZERO;
        let mut stretches = Vec::new();
        for table in list.get_ref() {
            let stage = table.get_ref();
            let to_per_s = self.rate("rate_per_s", &stage.rate_per_s, true)?;
            let stretch = Stretch {
                time: self.time("duration_s", &stage.duration_s, false)?,
                from_per_s: match &stage.from_rate_per_s {
                    Some(from) => self.rate("from_rate_per_s", from, true)?,
                    None => to_per_s,
                },
                to_per_s,
            };
            time += stretch.time;
            if time > LONGEST {
                return Err(self.wrong(
                    &stage.duration_s,
                    "all stages together must last at most 604800 (a week), in seconds",
                ));
            }
            stretches.push(stretch);
        }
        if stretches.is_empty() {
            return Err(self.wrong(list, "at least one [[load.stage]] is needed"));
        }
        Ok(RateCurve::new(&stretches))
    }

    fn closed(&self, load: &LoadTable) -> Result<Load, ScenarioError> {
        if let Some(limit) = &load.max_in_flight {
            return Err(self.wrong(
                limit,
                "max_in_flight is for `rate_per_s`; with `concurrency` that is the limit",
            ));
        }
        if let Some(arrivals) = &load.arrivals {
            return Err(self.wrong(
                arrivals,
                "arrivals is for `rate_per_s`; with `concurrency` a user arrives when its last \
                 workflow ended",
            ));
        }
        if let Some(burst) = &load.burst {
            return Err(self.wrong(
                burst,
                "burst is for `rate_per_s`; with `concurrency` each user arrives alone",
            ));
        }
        self.no_pace(load)?;
        let concurrency = self.count("concurrency", &load.concurrency, 1, 100_000)?;
        Ok(Load::Closed { concurrency })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use crate::scenario::{Scenario, Source};

    fn plan(load: &str) -> Result<Plan, String> {
        let text = format!("{load}\n[[workflow]]\ntool = \"echo\"\n");
        let source = Source::new("x.toml", text);
        let scenario = Scenario::parse(&source).map_err(|e| e.to_string())?;
        Plan::new(&scenario, &source).map_err(|e| e.to_string())
    }

    const STAGES: &str = "[load]\n[[load.stage]]\nfrom_rate_per_s = 0\nrate_per_s = 20\n\
        duration_s = 10\n[[load.stage]]\nrate_per_s = 20\nduration_s = 5";

    #[test]
    fn stages_become_one_schedule() {
        let plan = plan(STAGES).unwrap();
        assert_eq!(plan.planned(), Some(200));
        assert_eq!(plan.duration, Duration::from_secs(15));
        assert_eq!(plan.workload().label, "partly open (2 stages)");
        assert_eq!(plan.workload().arrival_rate_per_s, Some(200.0 / 15.0));
        let Load::Open { schedule, .. } = &plan.load else {
            panic!("stages are an open load");
        };
        assert_eq!(schedule.due(1, 25), Duration::from_secs(5));
        assert_eq!(schedule.due(1, 120), Duration::from_secs(11));
    }

    #[test]
    fn poisson_arrivals_are_as_many_and_named() {
        let drawn = plan("[load]\nrate_per_s = 2\nduration_s = 3\narrivals = \"poisson\"").unwrap();
        assert_eq!(drawn.planned(), Some(6));
        assert_eq!(drawn.workload().label, "partly open (Poisson)");
        let text = "[load]\nrate_per_s = 2\nduration_s = 3\narrivals = \"poisson\"\nburst = 4";
        let drawn = plan(text).unwrap();
        assert_eq!(drawn.planned(), Some(6));
        assert_eq!(drawn.workload().label, "partly open (Poisson, bursts of 4)");
    }

    #[test]
    fn loads_that_cannot_be_are_refused_with_place_and_rule() {
        for (load, want) in [
            ("[load]\nrate_per_s = 1", "[load] needs `duration_s`"),
            ("[load]\nconcurrency = 1", "[load] needs `duration_s`"),
            (
                "[load]\nrate_per_s = 1\nduration_s = 9\narrivals = \"even\"",
                "x.toml:4:12: arrivals must be \"constant\" or \"poisson\"",
            ),
            (
                "[load]\nconcurrency = 1\nduration_s = 9\narrivals = \"poisson\"",
                "x.toml:4:12: arrivals is for `rate_per_s`",
            ),
            (
                "[load]\nconcurrency = 1\nduration_s = 9\nburst = 2",
                "x.toml:4:9: burst is for `rate_per_s`",
            ),
            (
                "[load]\nrate_per_s = 1\nduration_s = 9\nburst = 0",
                "x.toml:4:9: burst must be",
            ),
            (
                "[load]\nrate_per_s = 1\nduration_s = 9\nburst = 10",
                "x.toml:4:9: only 9 workflows arrive",
            ),
            (
                "[load]\nrate_per_s = 1\n[[load.stage]]\nrate_per_s = 1\nduration_s = 9",
                "x.toml:2:14: each [[load.stage]] has its own",
            ),
            (
                "[load]\nduration_s = 1\n[[load.stage]]\nrate_per_s = 1\nduration_s = 9",
                "x.toml:2:14: with [[load.stage]] the load lasts as long",
            ),
            (
                "[load]\nconcurrency = 1\n[[load.stage]]\nrate_per_s = 1\nduration_s = 9",
                "not both",
            ),
            (
                "[load]\n[[load.stage]]\nrate_per_s = -1\nduration_s = 9",
                "x.toml:3:14: rate_per_s must be 0 or more",
            ),
            (
                "[load]\n[[load.stage]]\nrate_per_s = 1\nfrom_rate_per_s = nan\nduration_s = 9",
                "x.toml:4:19: from_rate_per_s must be 0 or more",
            ),
            (
                "[load]\n[[load.stage]]\nrate_per_s = 1\nduration_s = 604800\n[[load.stage]]\n\
                 rate_per_s = 1\nduration_s = 1",
                "x.toml:7:14: all stages together must last at most 604800",
            ),
            (
                "[load]\n[[load.stage]]\nrate_per_s = 0\nduration_s = 9",
                "so no workflow would arrive",
            ),
            ("[load]\nstage = []", "at least one [[load.stage]]"),
        ] {
            let error = plan(load).unwrap_err();
            assert!(error.contains(want), "{load}: {error}");
            assert!(
                error.starts_with("x.toml:") && !error.contains('\n'),
                "{error}"
            );
        }
    }
}
