use std::time::Duration;

use toml::Spanned;

use super::check::Check;
use crate::scenario::{BackOffTable, BudgetTable, ScenarioError, ThrottleTable};

/// What a workflow does when a rate limit refuses it, and whether failed rounds are sent again.
#[derive(Debug, Clone, PartialEq)]
pub struct ThrottlePlan {
    /// After a refusal.
    pub on: OnThrottle,
    /// After other endings.
    pub retry_on: RetryOn,
    /// Most attempts of one round, the first included.
    pub max_attempts: u16,
    /// Longest wait that is taken.
    pub max_wait: Duration,
    /// Up to so much is added to a wait that was told.
    pub jitter: Duration,
    /// Waits where none was told.
    pub back_off: BackOff,
    /// What new attempts may cost; `None`: nothing limits them but `max_attempts`.
    pub budget: Option<RetryBudget>,
    /// The rate that the target is meant to admit, in requests per second; `None` when not given.
    pub limit_per_s: Option<f64>,
    /// Texts that mark a success as a refusal.
    pub result_text: Vec<String>,
}

/// What a workflow does when it is throttled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnThrottle {
    /// It ends, as a request of other load tools does.
    Ignore,
    /// It waits as told and makes another attempt.
    Honour,
    /// One workflow at a time tests whether the replica admits again, the others hold back.
    Probe,
}

/// Endings after which a round is attempted again, beside throttling.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetryOn {
    /// A reply with an HTTP status of 500 and more.
    pub server_error: bool,
    /// No whole reply in time.
    pub timeout: bool,
    /// No connection, or one that broke before the reply was whole.
    pub connect: bool,
}

/// Full-jitter back-off: before the n-th new attempt, from 0, a random time below
/// min(cap, base 2^n).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackOff {
    /// The first wait is at most this.
    pub base: Duration,
    /// No wait is longer.
    pub cap: Duration,
}

/// Tokens for new attempts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetryBudget {
    /// At the start, and the most there ever are.
    pub tokens: f64,
    /// What a new attempt costs.
    pub cost: f64,
    /// What a round that ends well gives back.
    pub refund: f64,
}

impl Default for ThrottlePlan {
    /// A throttled round ends its workflow and nothing is sent again. Numbers are those that the
    /// AWS SDKs use where they have one: 3 attempts, back-off of 1 s up to 20 s.
    fn default() -> Self {
        Self {
            on: OnThrottle::Ignore,
            retry_on: RetryOn::default(),
            max_attempts: 3,
            max_wait: Duration::from_secs(60),
            jitter: Duration::from_secs(1),
            back_off: BackOff {
                base: Duration::from_secs(1),
                cap: Duration::from_secs(20),
            },
            budget: None,
            limit_per_s: None,
            result_text: Vec::new(),
        }
    }
}

impl Default for RetryBudget {
    /// Those of aws-sdk-go-v2: 500 tokens, 5 for a new attempt, 1 back for a success.
    fn default() -> Self {
        Self {
            tokens: 500.0,
            cost: 5.0,
            refund: 1.0,
        }
    }
}

impl RetryOn {
    /// Whether there is any ending after which a round is attempted again.
    #[must_use]
    pub fn any(self) -> bool {
        self != Self::default()
    }
}

impl RetryBudget {
    /// The share of attempts that may fail in the long run and be made again.
    #[must_use]
    pub fn share(self) -> f64 {
        self.refund / (self.cost + self.refund)
    }
}

impl Check<'_> {
    pub(super) fn throttle(
        &self,
        table: Option<&ThrottleTable>,
    ) -> Result<ThrottlePlan, ScenarioError> {
        let usual = ThrottlePlan::default();
        let Some(table) = table else {
            return Ok(usual);
        };
        let on = match &table.on {
            None => usual.on,
            Some(on) => match on.get_ref().as_str() {
                "ignore" => OnThrottle::Ignore,
                "honour" => OnThrottle::Honour,
                "probe" => OnThrottle::Probe,
                _ => {
                    return Err(self.wrong(on, "on must be \"ignore\", \"honour\" or \"probe\""));
                }
            },
        };
        let retry_on = self.retry_on(table.retry_on.as_deref().unwrap_or_default())?;
        self.of_use(table, on, retry_on)?;
        let max_attempts = match &table.max_attempts {
            None => usual.max_attempts,
            Some(attempts) if (2..=1000).contains(attempts.get_ref()) => *attempts.get_ref(),
            Some(attempts) => {
                let message = "max_attempts must be 2 to 1000, the first included";
                return Err(self.wrong(attempts, message));
            }
        };
        let limit_per_s = match &table.limit_per_s {
            None => None,
            Some(limit) => Some(self.amount("limit_per_s", limit, false)?),
        };
        let texts = table.result_text.iter().flatten();
        let result_text = texts.map(|text| match text.get_ref().as_str() {
            "" => Err(self.wrong(text, "an empty text would mark every success")),
            words => Ok(words.to_owned()),
        });
        Ok(ThrottlePlan {
            on,
            retry_on,
            max_attempts,
            max_wait: self.optional_time("max_wait_s", &table.max_wait_s, 60.0, false)?,
            jitter: self.optional_time("jitter_s", &table.jitter_s, 1.0, true)?,
            back_off: self.back_off(table.back_off.as_ref())?,
            budget: self.budget(table.budget.as_ref())?,
            limit_per_s,
            result_text: result_text.collect::<Result<_, _>>()?,
        })
    }

    fn retry_on(&self, list: &[Spanned<String>]) -> Result<RetryOn, ScenarioError> {
        let mut retry_on = RetryOn::default();
        for ending in list {
            *match ending.get_ref().as_str() {
                "5xx" => &mut retry_on.server_error,
                "timeout" => &mut retry_on.timeout,
                "connect" => &mut retry_on.connect,
                _ => {
                    let message = "retry_on may hold \"5xx\", \"timeout\" and \"connect\"";
                    return Err(self.wrong(ending, message));
                }
            } = true;
        }
        Ok(retry_on)
    }

    /// Keys that would do nothing are refused.
    fn of_use(
        &self,
        table: &ThrottleTable,
        on: OnThrottle,
        retry_on: RetryOn,
    ) -> Result<(), ScenarioError> {
        let waits = on != OnThrottle::Ignore;
        let again = waits || retry_on.any();
        let spans = [
            (
                "max_attempts",
                again,
                table.max_attempts.as_ref().map(Spanned::span),
            ),
            (
                "back_off",
                again,
                table.back_off.as_ref().map(Spanned::span),
            ),
            ("budget", again, table.budget.as_ref().map(Spanned::span)),
            (
                "max_wait_s",
                again,
                table.max_wait_s.as_ref().map(Spanned::span),
            ),
            (
                "jitter_s",
                waits,
                table.jitter_s.as_ref().map(Spanned::span),
            ),
        ];
        for (key, of_use, span) in spans {
            if let (Some(span), false) = (span, of_use) {
                let or = if key == "jitter_s" {
                    ""
                } else {
                    ", or `retry_on`"
                };
                let message =
                    format!("{key} is of use with on = \"honour\" or \"probe\"{or} alone");
                return Err(self.source.at(&span, message));
            }
        }
        Ok(())
    }

    fn back_off(&self, table: Option<&Spanned<BackOffTable>>) -> Result<BackOff, ScenarioError> {
        let Some(table) = table else {
            return Ok(ThrottlePlan::default().back_off);
        };
        let back_off = table.get_ref();
        let base = self.optional_time("base_s", &back_off.base_s, 1.0, false)?;
        let cap = self.optional_time("cap_s", &back_off.cap_s, 20.0, false)?;
        if cap < base {
            return Err(self.wrong(table, "cap_s must not be below base_s"));
        }
        Ok(BackOff { base, cap })
    }

    fn budget(
        &self,
        table: Option<&Spanned<BudgetTable>>,
    ) -> Result<Option<RetryBudget>, ScenarioError> {
        let Some(table) = table else {
            return Ok(None);
        };
        let usual = RetryBudget::default();
        let amount = |key, value: &Option<Spanned<f64>>, default, may_be_zero| match value {
            None => Ok(default),
            Some(value) => self.amount(key, value, may_be_zero),
        };
        let budget = table.get_ref();
        Ok(Some(RetryBudget {
            tokens: amount("tokens", &budget.tokens, usual.tokens, true)?,
            cost: amount("cost", &budget.cost, usual.cost, false)?,
            refund: amount("refund", &budget.refund, usual.refund, true)?,
        }))
    }

    fn amount(
        &self,
        key: &str,
        value: &Spanned<f64>,
        may_be_zero: bool,
    ) -> Result<f64, ScenarioError> {
        let number = *value.get_ref();
        let least = if may_be_zero { "0 or more" } else { "above 0" };
        let good = number > 0.0 || (may_be_zero && number == 0.0);
        if good && number <= 1e9 {
            return Ok(number);
        }
        let message = format!("{key} must be {least} and at most 1000000000");
        Err(self.wrong(value, &message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use crate::scenario::{Scenario, Source};

    fn plan(throttle: &str) -> Result<ThrottlePlan, String> {
        let text = format!(
            "[load]\nrate_per_s = 2\nduration_s = 3\n[[workflow]]\ntool = \"echo\"\n[throttle]\n\
             {throttle}\n"
        );
        let source = Source::new("x.toml", text);
        let scenario = Scenario::parse(&source).map_err(|e| e.to_string())?;
        let plan = Plan::new(&scenario, &source).map_err(|e| e.to_string())?;
        Ok(plan.throttle)
    }

    #[test]
    fn an_empty_table_is_none_at_all() {
        assert_eq!(plan("").unwrap(), ThrottlePlan::default());
        let honour = plan("on = \"honour\"\nbudget = {}").unwrap();
        assert_eq!(honour.budget, Some(RetryBudget::default()));
        assert_eq!(honour.budget.unwrap().share(), 1.0 / 6.0);
    }

    #[test]
    fn every_key_is_taken() {
        let all = plan(
            "on = \"probe\"\nretry_on = [\"5xx\", \"timeout\", \"connect\"]\nmax_attempts = 4\n\
             max_wait_s = 5\njitter_s = 0\nback_off = { base_s = 0.5, cap_s = 2 }\n\
             budget = { tokens = 10, cost = 2, refund = 0.5 }\nlimit_per_s = 0.5\n\
             result_text = [\"Slow down\"]",
        );
        let want = ThrottlePlan {
            on: OnThrottle::Probe,
            retry_on: RetryOn {
                server_error: true,
                timeout: true,
                connect: true,
            },
            max_attempts: 4,
            max_wait: Duration::from_secs(5),
            jitter: Duration::ZERO,
            back_off: BackOff {
                base: Duration::from_millis(500),
                cap: Duration::from_secs(2),
            },
            budget: Some(RetryBudget {
                tokens: 10.0,
                cost: 2.0,
                refund: 0.5,
            }),
            limit_per_s: Some(0.5),
            result_text: vec!["Slow down".to_owned()],
        };
        assert_eq!(all, Ok(want));
    }

    #[test]
    fn what_cannot_be_or_does_nothing_is_refused_with_place_and_rule() {
        for (keys, want) in [
            ("on = \"wait\"", "x.toml:7:6: on must be"),
            ("retry_on = [\"429\"]", "x.toml:7:13: retry_on may hold"),
            (
                "max_attempts = 4",
                "of use with on = \"honour\" or \"probe\", or `retry_on`",
            ),
            (
                "retry_on = [\"5xx\"]\njitter_s = 1",
                "x.toml:8:12: jitter_s is of use",
            ),
            ("budget = {}", "budget is of use"),
            (
                "on = \"honour\"\nmax_attempts = 1",
                "max_attempts must be 2 to 1000",
            ),
            (
                "on = \"honour\"\nmax_attempts = 1001",
                "max_attempts must be 2 to 1000",
            ),
            (
                "on = \"honour\"\nmax_wait_s = 0",
                "max_wait_s must be above 0",
            ),
            (
                "on = \"honour\"\njitter_s = -1",
                "jitter_s must be 0 or more",
            ),
            (
                "on = \"honour\"\nback_off = { base_s = 30 }",
                "cap_s must not be below",
            ),
            (
                "on = \"honour\"\nbudget = { cost = 0 }",
                "cost must be above 0",
            ),
            (
                "on = \"honour\"\nbudget = { tokens = nan }",
                "tokens must be 0 or more",
            ),
            ("limit_per_s = 0", "limit_per_s must be above 0"),
            ("result_text = [\"\"]", "an empty text would mark"),
            ("on_throttle = \"honour\"", "unknown key `on_throttle`"),
        ] {
            let error = plan(keys).unwrap_err();
            assert!(error.contains(want), "{keys}: {error}");
            assert!(
                error.starts_with("x.toml:") && !error.contains('\n'),
                "{error}"
            );
        }
    }
}
