use toml::Spanned;

use super::check::Check;
use crate::draw::Draw;
use crate::scenario::{ScenarioError, ThinkTable, WorkflowTable};

/// Longest thinking time, in seconds: a week, as for every time in a scenario.
const LONGEST_S: f64 = 604_800.0;

impl Check<'_> {
    /// Time a user takes to answer, in seconds.
    pub(super) fn think(&self, flow: &WorkflowTable) -> Result<Draw, ScenarioError> {
        match (&flow.think_s, &flow.think) {
            (given, None) => {
                let time = self.optional_time("think_s", given, 0.0, true)?;
                Ok(Draw::fixed(time.as_secs_f64()).expect("a time is 0 or more"))
            }
            (None, Some(table)) => self.distribution(table),
            (Some(_), Some(table)) => {
                Err(self.wrong(table, "give `think_s` (a fixed time) or `think`, not both"))
            }
        }
    }

    fn distribution(&self, table: &Spanned<ThinkTable>) -> Result<Draw, ScenarioError> {
        let think = table.get_ref();
        let given = [
            ("time_s", think.time_s),
            ("low_s", think.low_s),
            ("high_s", think.high_s),
            ("mean_s", think.mean_s),
            ("deviation_s", think.deviation_s),
            ("median_s", think.median_s),
            ("sigma", think.sigma),
        ];
        let kind = think.kind.get_ref().as_str();
        let wanted: &[&str] = match kind {
            "fixed" => &["time_s"],
            "uniform" => &["low_s", "high_s"],
            "normal" => &["mean_s", "deviation_s"],
            "exponential" => &["mean_s"],
            "lognormal" => &["median_s", "sigma"],
            _ => {
                return Err(self.wrong(
                    &think.kind,
                    "the kind of `think` is \"fixed\", \"uniform\", \"normal\", \"exponential\" or \
                     \"lognormal\"",
                ));
            }
        };
        let value = |key: &str| {
            let (_, value) = given.iter().find(|(name, _)| *name == key)?;
            *value
        };
        let fits = given
            .iter()
            .all(|(name, value)| value.is_some() == wanted.contains(name));
        if !fits {
            return Err(self.wrong(table, &format!("\"{kind}\" takes {}", wanted.join(" and "))));
        }
        let number = |at: usize| value(wanted[at]).unwrap_or_default();
        let draw = match kind {
            "fixed" => Draw::fixed(number(0)),
            "uniform" => Draw::uniform(number(0), number(1)),
            "normal" => Draw::normal(number(0), number(1)),
            "exponential" => Draw::exponential(number(0)),
            _ => Draw::log_normal(number(0), number(1)),
        };
        let most = match &think.most_s {
            None => LONGEST_S,
            Some(most) => self.time("most_s", most, false)?.as_secs_f64(),
        };
        Ok(draw.map_err(|why| self.wrong(table, why))?.at_most(most))
    }
}
