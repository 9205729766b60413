use std::time::Duration;

use super::check::Check;
use crate::scenario::{LoadTable, ScenarioError};

/// How closely arrivals keep to the schedule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pace {
    /// How late a workflow may be started at most, later ones being skipped; `None`: however late.
    pub skip_after: Option<Duration>,
    /// Whether the clock is watched just before each arrival.
    pub precise: bool,
}

impl Check<'_> {
    pub(super) fn pace(&self, load: &LoadTable) -> Result<Pace, ScenarioError> {
        let skips = match load
            .catch_up
            .as_ref()
            .map(|text| (text, text.get_ref().as_str()))
        {
            None | Some((_, "late")) => false,
            Some((_, "skip")) => true,
            Some((text, _)) => {
                return Err(self.wrong(text, "catch_up must be \"late\" or \"skip\""));
            }
        };
        if let (false, Some(after)) = (skips, &load.skip_after_s) {
            return Err(self.wrong(after, "skip_after_s is for `catch_up = \"skip\"`"));
        }
        let after = self.optional_time("skip_after_s", &load.skip_after_s, 0.1, false)?;
        Ok(Pace {
            skip_after: skips.then_some(after),
            precise: load
                .precise
                .as_ref()
                .is_some_and(|precise| *precise.get_ref()),
        })
    }

    /// Users have no schedule to keep.
    pub(super) fn no_pace(&self, load: &LoadTable) -> Result<(), ScenarioError> {
        let spans = [
            ("catch_up", load.catch_up.as_ref().map(toml::Spanned::span)),
            (
                "skip_after_s",
                load.skip_after_s.as_ref().map(toml::Spanned::span),
            ),
            ("precise", load.precise.as_ref().map(toml::Spanned::span)),
        ];
        match spans.into_iter().find_map(|(key, span)| Some((key, span?))) {
            None => Ok(()),
            Some((key, span)) => {
                let message = format!(
                    "{key} is for `rate_per_s`; with `concurrency` there is no schedule to keep"
                );
                Err(self.source.at(&span, message))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Load, Plan};
    use crate::scenario::{Scenario, Source};

    fn pace(load: &str) -> Result<Pace, String> {
        let text = format!("[load]\n{load}\n[[workflow]]\ntool = \"echo\"\n");
        let source = Source::new("x.toml", text);
        let scenario = Scenario::parse(&source).map_err(|e| e.to_string())?;
        match Plan::new(&scenario, &source)
            .map_err(|e| e.to_string())?
            .load
        {
            Load::Open { pace, .. } => Ok(pace),
            Load::Closed { .. } => Err("closed".to_owned()),
        }
    }

    #[test]
    fn arrivals_are_late_by_default_and_skipped_on_request() {
        let open = |more: &str| pace(&format!("rate_per_s = 5\nduration_s = 9\n{more}"));
        assert_eq!(open(""), Ok(Pace::default()));
        assert_eq!(open("catch_up = \"late\""), Ok(Pace::default()));
        let skips = |ms| Pace {
            skip_after: Some(Duration::from_millis(ms)),
            precise: false,
        };
        assert_eq!(open("catch_up = \"skip\""), Ok(skips(100)));
        assert_eq!(
            open("catch_up = \"skip\"\nskip_after_s = 0.25"),
            Ok(skips(250))
        );
        assert!(open("precise = true").unwrap().precise);
    }

    #[test]
    fn a_pace_that_cannot_be_is_refused_with_place_and_rule() {
        for (load, want) in [
            (
                "rate_per_s = 5\ncatch_up = \"never\"",
                "x.toml:3:12: catch_up must be",
            ),
            (
                "rate_per_s = 5\nskip_after_s = 1",
                "x.toml:3:16: skip_after_s is for `catch_up",
            ),
            (
                "rate_per_s = 5\ncatch_up = \"skip\"\nskip_after_s = 0",
                "x.toml:4:16: skip_after_s must be above 0",
            ),
            (
                "concurrency = 5\nprecise = true",
                "x.toml:3:11: precise is for `rate_per_s`",
            ),
            (
                "concurrency = 5\ncatch_up = \"late\"",
                "catch_up is for `rate_per_s`",
            ),
        ] {
            let error = pace(&format!("{load}\nduration_s = 9")).unwrap_err();
            assert!(error.contains(want), "{load}: {error}");
        }
    }
}
