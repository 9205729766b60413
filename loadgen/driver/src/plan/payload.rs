use super::FleetPlan;
use super::check::Check;
use crate::scenario::{PayloadTable, ScenarioError};

/// What the official SDKs take, and the replica by default: 4 MiB.
const USUAL_BYTES: u64 = 4 << 20;
/// The option of `loadgen replica` that says it.
const OPTION: &str = "--body-limit";

/// What is known of the sizes that a target takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PayloadPlan {
    /// Longest request body that the target takes, in bytes: of several replicas the least.
    pub body_limit_bytes: u64,
    /// Who says so.
    pub known_from: LimitSource,
}

/// Who says how long a body may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitSource {
    /// `[payload]` of the scenario.
    Scenario,
    /// The options of the run's own replicas.
    Fleet,
    /// Nobody: it is what the official SDKs take.
    Usual,
}

impl PayloadPlan {
    const USUAL: Self = Self {
        body_limit_bytes: USUAL_BYTES,
        known_from: LimitSource::Usual,
    };

    /// The same for targets that are not the run's own replicas.
    pub(super) fn without_fleet(self) -> Self {
        match self.known_from {
            LimitSource::Fleet => Self::USUAL,
            LimitSource::Scenario | LimitSource::Usual => self,
        }
    }
}

impl Check<'_> {
    pub(super) fn payload(
        &self,
        table: Option<&PayloadTable>,
        fleet: Option<&FleetPlan>,
    ) -> Result<PayloadPlan, ScenarioError> {
        let said = table.and_then(|table| table.body_limit_bytes.as_ref());
        match (said, fleet.and_then(least)) {
            (Some(bytes), _) if *bytes.get_ref() == 0 => {
                Err(self.wrong(bytes, "body_limit_bytes must be 1 or more"))
            }
            (Some(bytes), _) => Ok(PayloadPlan {
                body_limit_bytes: *bytes.get_ref(),
                known_from: LimitSource::Scenario,
            }),
            (None, Some(bytes)) => Ok(PayloadPlan {
                body_limit_bytes: bytes,
                known_from: LimitSource::Fleet,
            }),
            (None, None) => Ok(PayloadPlan::USUAL),
        }
    }
}

/// The least limit of the replicas; `None` when no option names one. A value that is no number is
/// left to the replica, which refuses it.
fn least(fleet: &FleetPlan) -> Option<u64> {
    let given = |options: &Vec<String>| {
        let follows = options.windows(2).filter(|pair| pair[0] == OPTION);
        let follows = follows.map(|pair| pair[1].as_str());
        let joined = options
            .iter()
            .filter_map(|option| option.strip_prefix(OPTION)?.strip_prefix('='));
        follows.chain(joined).find_map(|value| value.parse().ok())
    };
    let all = fleet.replicas.iter().map(|replica| given(&replica.options));
    all.clone()
        .any(|limit| limit.is_some())
        .then(|| all.map(|limit| limit.unwrap_or(USUAL_BYTES)).min())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use crate::scenario::{Scenario, Source};

    fn plan(lines: &str) -> Result<Plan, String> {
        let text = format!(
            "{lines}\n[load]\nrate_per_s = 1\nduration_s = 1\n[[workflow]]\ntool = \"t\"\n"
        );
        let source = Source::new("x.toml", text);
        let scenario = Scenario::parse(&source).map_err(|e| e.to_string())?;
        Plan::new(&scenario, &source).map_err(|e| e.to_string())
    }

    #[test]
    fn the_scenario_knows_best_then_its_replicas_then_the_sdks() {
        let fleet = "[fleet]\nreplicas = 2\n[[fleet.replica]]\nnumber = 1\n";
        let said = "[payload]\nbody_limit_bytes = 1000\n";
        for (lines, bytes, known_from) in [
            (String::new(), 4 << 20, LimitSource::Usual),
            (said.to_owned(), 1000, LimitSource::Scenario),
            (fleet.to_owned(), 4 << 20, LimitSource::Usual),
            (
                format!("{fleet}options = [\"--body-limit\", \"65536\"]"),
                65536,
                LimitSource::Fleet,
            ),
            (
                format!("{fleet}options = [\"--body-limit=65536\"]"),
                65536,
                LimitSource::Fleet,
            ),
            // The other replica takes what is usual, which is less.
            (
                format!("{fleet}options = [\"--body-limit\", \"8388608\"]"),
                4 << 20,
                LimitSource::Fleet,
            ),
            (
                format!("{said}{fleet}options = [\"--body-limit\", \"65536\"]"),
                1000,
                LimitSource::Scenario,
            ),
        ] {
            let mut plan = plan(&lines).unwrap();
            let want = PayloadPlan {
                body_limit_bytes: bytes,
                known_from,
            };
            assert_eq!(plan.payload, want, "{lines}");
            plan.without_fleet();
            let kept = known_from == LimitSource::Scenario;
            let left = if kept { want } else { PayloadPlan::USUAL };
            assert_eq!(plan.payload, left, "{lines}");
        }
    }

    #[test]
    fn no_body_at_all_is_refused() {
        let error = plan("[payload]\nbody_limit_bytes = 0").unwrap_err();
        assert!(
            error.contains("x.toml:2:20: body_limit_bytes must be 1 or more"),
            "{error}"
        );
    }
}
