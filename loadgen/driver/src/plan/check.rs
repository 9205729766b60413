use std::time::Duration;

use loadgen_measure::Threshold;
use toml::Spanned;

use crate::scenario::{Scenario, ScenarioError, Source};

/// Longest duration that a scenario may ask for anywhere.
pub(super) const LONGEST: Duration = Duration::from_secs(7 * 24 * 3600);

/// Longest name of a scenario, in bytes: with a moment and a number behind it, it names a folder.
const LONGEST_NAME: usize = 200;

/// The conversions, each with the place that it complains about.
pub(super) struct Check<'a> {
    pub(super) source: &'a Source,
}

impl Check<'_> {
    pub(super) fn wrong<T>(&self, value: &Spanned<T>, message: &str) -> ScenarioError {
        self.source.at(&value.span(), message)
    }

    pub(super) fn name(&self, scenario: &Scenario) -> Result<String, ScenarioError> {
        let Some(name) = &scenario.name else {
            let stem = std::path::Path::new(self.source.file()).file_stem();
            let stem = stem.map_or_else(
                || "scenario".to_owned(),
                |stem| stem.to_string_lossy().into_owned(),
            );
            if stem.len() > LONGEST_NAME {
                return Err(self.source.whole(format!(
                    "the file's name is longer than {LONGEST_NAME} bytes, too long for a result \
                     folder; give the scenario a `name`"
                )));
            }
            return Ok(stem);
        };
        let text = name.get_ref();
        let good = !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
            && !text.starts_with('.')
            && text.len() <= LONGEST_NAME;
        if good {
            return Ok(text.clone());
        }
        Err(self.wrong(
            name,
            &format!(
                "name must be up to {LONGEST_NAME} letters, digits, `-`, `_` and `.` (it names the \
                 result folder)"
            ),
        ))
    }

    pub(super) fn time(
        &self,
        key: &str,
        value: &Spanned<f64>,
        may_be_zero: bool,
    ) -> Result<Duration, ScenarioError> {
        let seconds = *value.get_ref();
        let least = if may_be_zero { "0 or more" } else { "above 0" };
        let good = seconds.is_finite() && (seconds > 0.0 || (may_be_zero && seconds == 0.0));
        match Duration::try_from_secs_f64(seconds) {
            // Below half a nanosecond it would be none at all.
            Ok(time) if good && time <= LONGEST && (may_be_zero || !time.is_zero()) => Ok(time),
            _ => Err(self.wrong(
                value,
                &format!("{key} must be {least} and at most 604800 (a week), in seconds"),
            )),
        }
    }

    pub(super) fn optional_time(
        &self,
        key: &str,
        value: &Option<Spanned<f64>>,
        default_s: f64,
        may_be_zero: bool,
    ) -> Result<Duration, ScenarioError> {
        match value {
            Some(value) => self.time(key, value, may_be_zero),
            None => Ok(Duration::from_secs_f64(default_s)),
        }
    }

    pub(super) fn count(
        &self,
        key: &str,
        value: &Option<Spanned<u32>>,
        default: u32,
        most: u32,
    ) -> Result<u32, ScenarioError> {
        match value {
            None => Ok(default),
            Some(value) if (1..=most).contains(value.get_ref()) => Ok(*value.get_ref()),
            Some(value) => Err(self.wrong(value, &format!("{key} must be 1 to {most}"))),
        }
    }

    /// Limits on figures that this plan will have.
    pub(super) fn thresholds(
        &self,
        scenario: &Scenario,
        named: impl Fn(&Threshold) -> Result<(), String>,
    ) -> Result<Vec<Threshold>, ScenarioError> {
        match &scenario.thresholds {
            None => Ok(vec![
                "ok.rate >= 0.99"
                    .parse()
                    .expect("the implied threshold is well formed"),
            ]),
            Some(list) => list
                .iter()
                .map(|text| {
                    let read = text.get_ref().parse::<Threshold>();
                    let read = read.map_err(|e| self.wrong(text, &format!("{e}")))?;
                    named(&read).map_err(|why| self.wrong(text, &why))?;
                    Ok(read)
                })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    const GOOD: &str = "[load]\nrate_per_s = 2\nduration_s = 3\n\n[[workflow]]\ntool = \"echo\"\n";

    fn plan(text: &str) -> Result<Plan, String> {
        let source = Source::new("x.toml", text);
        let scenario = Scenario::parse(&source).map_err(|e| e.to_string())?;
        Plan::new(&scenario, &source).map_err(|e| e.to_string())
    }

    #[test]
    fn defaults_are_those_of_the_documentation() {
        let plan = plan(GOOD).unwrap();
        assert_eq!(plan.scenario.name, "x");
        assert_eq!(plan.planned(), Some(6));
        assert_eq!((plan.seed, plan.round_cap, plan.connections), (1, 10, 256));
        assert_eq!(plan.timeout, Duration::from_secs(30));
        assert_eq!(plan.state_only_pause, Duration::from_millis(250));
        assert_eq!(plan.spread, crate::Spread::Random);
        assert_eq!(plan.thresholds.len(), 1);
        assert_eq!(plan.scenario.sha256.len(), 64);
    }

    #[test]
    fn values_that_cannot_be_are_refused_with_place_and_rule() {
        let change = |from: &str, to: &str| plan(&GOOD.replace(from, to)).unwrap_err();
        for (from, to, want) in [
            (
                "rate_per_s = 2",
                "rate_per_s = 0",
                "x.toml:2:14: rate_per_s must be above 0",
            ),
            (
                "rate_per_s = 2",
                "rate_per_s = -1",
                "x.toml:2:14: rate_per_s must be above 0",
            ),
            (
                "rate_per_s = 2",
                "rate_per_s = nan",
                "x.toml:2:14: rate_per_s must be above 0",
            ),
            (
                "rate_per_s = 2",
                "rate_per_s = inf",
                "x.toml:2:14: rate_per_s must be above 0",
            ),
            (
                "rate_per_s = 2",
                "rate_per_s = 0.1",
                "below 1, so no workflow would arrive",
            ),
            (
                "duration_s = 3",
                "duration_s = 0",
                "x.toml:3:14: duration_s must be above 0",
            ),
            (
                "duration_s = 3",
                "duration_s = 1e300",
                "duration_s must be above 0 and at most",
            ),
            (
                "duration_s = 3",
                "duration_s = 3\ntimeout_s = 1e-10",
                "timeout_s must be above 0",
            ),
            (
                "tool = \"echo\"",
                "tool = \"echo\"\nweight = 1e308",
                "weight must be above 0 and at most",
            ),
            (
                "tool = \"echo\"",
                "tool = \"echo\"\nweight = nan",
                "weight must be above 0",
            ),
            (
                "rate_per_s = 2",
                "rate_per_s = 2\nconcurrency = 1",
                "not both",
            ),
            ("rate_per_s = 2", "", "[load] needs `rate_per_s`"),
            (
                "rate_per_s = 2",
                "concurrency = 0",
                "concurrency must be 1 to",
            ),
            (
                "rate_per_s = 2",
                "rate_per_s = 2\nspread = \"near\"",
                "spread must be",
            ),
            ("tool = \"echo\"", "weight = 1", "exactly one of `tool`"),
            (
                "tool = \"echo\"",
                "tool = \"echo\"\nprompt = \"p\"",
                "exactly one of `tool`",
            ),
            (
                "tool = \"echo\"",
                "tool = \"\"",
                "x.toml:6:8: an empty name calls nothing",
            ),
            (
                "tool = \"echo\"",
                "tool = \"echo\"\nweight = 0",
                "weight must be above 0",
            ),
            (
                "tool = \"echo\"",
                "tool = \"echo\"\narguments = { a = nan }",
                "no nan",
            ),
            (
                "tool = \"echo\"",
                "prompt = \"p\"\narguments = { a = 1 }",
                "must be strings",
            ),
            (
                "tool = \"echo\"",
                "resource = \"a://b\"\narguments = {}",
                "takes no arguments",
            ),
            (
                "tool = \"echo\"",
                "tool = \"echo\"\n[[workflow]]\ntool = \"echo\"",
                "two workflows",
            ),
            (
                "[load]",
                "thresholds = [\"speed > 1\"]\n[load]",
                "no such figure",
            ),
            (
                "[load]",
                "[fleet]\nreplicas = 0\n[load]",
                "replicas must be 1 to 64",
            ),
            (
                "[load]",
                "[fleet]\nreplicas = 1\nttl_s = 0\n[load]",
                "ttl_s must be 1 or more",
            ),
        ] {
            let error = change(from, to);
            assert!(error.contains(want), "{to}: {error}");
            assert!(
                error.starts_with("x.toml:") && !error.contains('\n'),
                "{error}"
            );
        }
    }

    #[test]
    fn a_name_fits_into_that_of_a_folder() {
        let named = |length| plan(&format!("name = \"{}\"\n{GOOD}", "n".repeat(length)));
        assert_eq!(named(200).unwrap().scenario.name.len(), 200);
        let error = named(201).unwrap_err();
        assert!(
            error.starts_with("x.toml:1:8: name must be up to 200"),
            "{error}"
        );
        let file = format!("{}.toml", "n".repeat(201));
        let source = Source::new(file, GOOD);
        let scenario = Scenario::parse(&source).unwrap();
        let error = Plan::new(&scenario, &source).unwrap_err().to_string();
        assert!(error.contains("give the scenario a `name`"), "{error}");
    }

    #[test]
    fn arguments_become_json_once() {
        let plan = plan(&GOOD.replace(
            "tool = \"echo\"",
            "tool = \"echo\"\narguments = { text = \"é\\n\", n = 3, f = 0.5, l = [true] }",
        ))
        .unwrap();
        assert_eq!(
            plan.kinds[0].arguments.as_ref().unwrap().fixed(),
            Some(r#"{"f":0.5,"l":[true],"n":3,"text":"é\n"}"#)
        );
    }
}
