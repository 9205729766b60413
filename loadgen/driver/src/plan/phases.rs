use std::time::Duration;

use loadgen_measure::Phase;
use toml::Spanned;

use super::check::Check;
use super::event::Event;
use crate::scenario::{LoadTable, ScenarioError, StageTable};
use crate::schedule::Stretch;

/// Parts phases where an event begins or ends, so that each figure is before, during or after it. The
/// part before the first event of a phase keeps its name.
pub(super) fn part(phases: Vec<Phase>, events: &[Event]) -> Vec<Phase> {
    let begins = events.iter().map(|event| (event.at, &event.name, false));
    let ends = events
        .iter()
        .filter_map(|event| Some((event.ends()?, &event.name, true)));
    let mut cuts: Vec<_> = begins.chain(ends).collect();
    cuts.sort_by_key(|(at, ..)| *at);
    let mut parts: Vec<Phase> = Vec::new();
    for phase in phases {
        let mut rest = phase.clone();
        for (at, event, ended) in &cuts {
            let name = format!(
                "{}, {}{event}",
                phase.name,
                if *ended { "after the end of " } else { "from " }
            );
            if *at == rest.from {
                // Two at one time, or one where the phase begins.
                rest.name = match rest.name == phase.name {
                    true => name,
                    false => format!("{} and {event}", rest.name),
                };
            } else if rest.from < *at && *at < rest.to {
                let rate_there = rest.rate_per_s.map(|(from, to)| {
                    let share = (*at - rest.from).div_duration_f64(rest.to - rest.from);
                    from + (to - from) * share
                });
                let ends = rest.rate_per_s.zip(rate_there);
                parts.push(Phase {
                    to: *at,
                    rate_per_s: ends.map(|((from, _), there)| (from, there)),
                    ..rest.clone()
                });
                rest.from = *at;
                rest.name = name;
                rest.rate_per_s = ends.map(|((_, to), there)| (there, to));
            }
        }
        parts.push(rest);
    }
    parts
}

impl Check<'_> {
    /// The phases of a load of one rate, or of users: warm-up, if any, and the rest.
    pub(super) fn phases(
        &self,
        load: &LoadTable,
        time: Duration,
        rate_per_s: Option<f64>,
    ) -> Result<Vec<Phase>, ScenarioError> {
        let phase = |name: &str, warmup, from, to| Phase {
            name: name.to_owned(),
            warmup,
            from,
            to,
            rate_per_s: rate_per_s.map(|rate| (rate, rate)),
        };
        let Some(warmup) = &load.warmup_s else {
            return Ok(vec![phase("load", false, Duration::ZERO, time)]);
        };
        let end = self.time("warmup_s", warmup, false)?;
        if end >= time {
            return Err(self.wrong(
                warmup,
                "warmup_s is a part of duration_s and must be below it, or nothing would be \
                 measured",
            ));
        }
        Ok(vec![
            phase("warm-up", true, Duration::ZERO, end),
            phase("measured", false, end, time),
        ])
    }

    /// The phases of a load in stages: one each.
    pub(super) fn stage_phases(
        &self,
        load: &LoadTable,
        list: &Spanned<Vec<Spanned<StageTable>>>,
        stretches: impl Iterator<Item = Stretch>,
    ) -> Result<Vec<Phase>, ScenarioError> {
        if let Some(warmup) = &load.warmup_s {
            return Err(self.wrong(
                warmup,
                "warmup_s is for a single rate; mark a [[load.stage]] with `warmup = true` instead",
            ));
        }
        let mut from = Duration::ZERO;
        let mut phases: Vec<Phase> = Vec::new();
        for ((table, stretch), number) in list.get_ref().iter().zip(stretches).zip(1..) {
            let stage = table.get_ref();
            let name = match &stage.name {
                None => format!("stage {number}"),
                Some(name) if name.get_ref().trim().is_empty() => {
                    return Err(self.wrong(name, "a stage without a name has no `name` at all"));
                }
                Some(name) => name.get_ref().clone(),
            };
            if phases.iter().any(|other| other.name == name) {
                return Err(self.wrong(
                    table,
                    &format!("two stages are called `{name}`; give one of them another `name`"),
                ));
            }
            let to = from + stretch.time;
            phases.push(Phase {
                name,
                warmup: stage.warmup.unwrap_or(false),
                from,
                to,
                rate_per_s: Some((stretch.from_per_s, stretch.to_per_s)),
            });
            from = to;
        }
        if phases.iter().all(|phase| phase.warmup) {
            return Err(self.wrong(
                list,
                "every stage is warm-up, so nothing would be measured; leave out one `warmup`",
            ));
        }
        Ok(phases)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use crate::scenario::{Scenario, Source};

    fn plan(load: &str) -> Result<Plan, String> {
        let text = format!("[load]\n{load}\n[[workflow]]\ntool = \"echo\"\n");
        let source = Source::new("x.toml", text);
        let scenario = Scenario::parse(&source).map_err(|e| e.to_string())?;
        Plan::new(&scenario, &source).map_err(|e| e.to_string())
    }

    fn spans(load: &str) -> Vec<(String, bool, f64, f64)> {
        let phases = plan(load).unwrap().phases.into_iter();
        let span = |p: Phase| (p.name, p.warmup, p.from.as_secs_f64(), p.to.as_secs_f64());
        phases.map(span).collect()
    }

    #[test]
    fn a_warm_up_is_a_part_of_the_load() {
        for load in ["rate_per_s = 5", "concurrency = 5"] {
            let whole = spans(&format!("{load}\nduration_s = 9"));
            assert_eq!(whole, [("load".to_owned(), false, 0.0, 9.0)]);
            let parts = spans(&format!("{load}\nduration_s = 9\nwarmup_s = 2.5"));
            assert_eq!(parts[0], ("warm-up".to_owned(), true, 0.0, 2.5));
            assert_eq!(parts[1], ("measured".to_owned(), false, 2.5, 9.0));
        }
    }

    #[test]
    fn events_part_phases() {
        let text = "[fleet]\nreplicas = 2\n[[load.stage]]\nrate_per_s = 10\nduration_s = 4\n\
                    [[load.stage]]\nfrom_rate_per_s = 10\nrate_per_s = 30\nduration_s = 4\n";
        let events = "[[event]]\nat_s = 1\nact = \"kill\"\nreplicas = [0]\n[[event]]\nat_s = 5\n\
                      act = \"freeze\"\nfor_s = 2\nname = \"nap\"\n[[event]]\nat_s = 1\n\
                      act = \"clear\"\n[[event]]\nat_s = 4\nact = \"start\"\nreplicas = [0]";
        let source = Source::new(
            "x.toml",
            format!("{text}{events}\n[[workflow]]\ntool = \"echo\"\n"),
        );
        let plan = Plan::new(&Scenario::parse(&source).unwrap(), &source).unwrap();
        let parts: Vec<_> = plan
            .phases
            .iter()
            .map(|p| (p.name.as_str(), p.to.as_secs_f64(), p.rate_per_s.unwrap().1))
            .collect();
        assert_eq!(
            parts,
            [
                ("stage 1", 1.0, 10.0),
                ("stage 1, from kill replica 0 and clear all", 4.0, 10.0),
                ("stage 2, from start replica 0", 5.0, 15.0),
                ("stage 2, from nap", 7.0, 25.0),
                ("stage 2, after the end of nap", 8.0, 30.0),
            ]
        );
    }

    #[test]
    fn stages_are_phases_with_names() {
        let parts = spans(
            "[[load.stage]]\nwarmup = true\nrate_per_s = 5\nduration_s = 1\n[[load.stage]]\n\
             name = \"spike\"\nrate_per_s = 50\nduration_s = 2",
        );
        assert_eq!(parts[0], ("stage 1".to_owned(), true, 0.0, 1.0));
        assert_eq!(parts[1], ("spike".to_owned(), false, 1.0, 3.0));
    }

    #[test]
    fn phases_that_cannot_be_are_refused_with_place_and_rule() {
        let stage = "[[load.stage]]\nrate_per_s = 5\nduration_s = 1";
        for (load, want) in [
            (
                "rate_per_s = 5\nduration_s = 9\nwarmup_s = 9".to_owned(),
                "x.toml:4:12: warmup_s is a part of duration_s",
            ),
            (
                "rate_per_s = 5\nduration_s = 9\nwarmup_s = 0".to_owned(),
                "x.toml:4:12: warmup_s must be above 0",
            ),
            (
                format!("warmup_s = 1\n{stage}"),
                "x.toml:2:12: warmup_s is for a single rate",
            ),
            (format!("{stage}\nwarmup = true"), "every stage is warm-up"),
            (
                format!("{stage}\nname = \"stage 2\"\n{stage}"),
                "two stages are called `stage 2`",
            ),
            (format!("{stage}\nname = \" \""), "no `name` at all"),
        ] {
            let error = plan(&load).unwrap_err();
            assert!(error.contains(want), "{load}: {error}");
            assert!(
                error.starts_with("x.toml:") && !error.contains('\n'),
                "{error}"
            );
        }
    }
}
