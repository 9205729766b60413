use loadgen_measure::{Needs, Phase, Threshold, rising_steps};

use super::Kind;

/// Whether a limit is on something that the plan has, or why not.
pub(super) fn fits(
    threshold: &Threshold,
    kinds: &[Kind],
    phases: &[Phase],
    tokens: bool,
) -> Result<(), String> {
    let metric = &threshold.metric;
    let listed = |names: Vec<&str>| names.join("`, `");
    if let Some(name) = metric.kind()
        && !kinds.iter().any(|kind| kind.name == name)
    {
        let names = listed(kinds.iter().map(|kind| kind.name.as_str()).collect());
        return Err(format!(
            "`{metric}`: no workflow is called `{name}`; there are `{names}`"
        ));
    }
    if let Some(name) = metric.phase()
        && !(phases.len() > 1 && phases.iter().any(|phase| phase.name == name))
    {
        if phases.len() == 1 {
            return Err(format!("`{metric}`: the load has only one phase"));
        }
        let names = listed(phases.iter().map(|phase| phase.name.as_str()).collect());
        return Err(format!(
            "`{metric}`: no phase is called `{name}`; there are `{names}`"
        ));
    }
    let missing = match metric.needs() {
        Some(Needs::Steps) => {
            let measured = phases.iter().filter(|phase| !phase.warmup);
            let steps = rising_steps(measured.map(|phase| phase.rate_per_s));
            steps.is_none().then_some(
                "it is of a load in rising steps: at least three [[load.stage]], each with a constant \
                 rate above that of the one before, and no [[event]] between",
            )
        }
        Some(Needs::Replays) => {
            let replays = kinds.iter().any(|kind| kind.replay > 1);
            (!replays).then_some("no [[workflow]] has `replay`, so no state is sent back twice")
        }
        Some(Needs::Tokens) => (!tokens).then_some("[client] has no tokens to be fair to"),
        None => None,
    };
    missing.map_or(Ok(()), |why| Err(format!("`{metric}`: {why}")))
}

#[cfg(test)]
mod tests {
    use crate::plan::Plan;
    use crate::scenario::{Scenario, Source};

    fn refused(threshold: &str, rest: &str) -> Option<String> {
        let text = format!("thresholds = [\"{threshold}\"]\n{rest}");
        let source = Source::new("x.toml", text);
        let scenario = Scenario::parse(&source).expect("the keys are known");
        let plan = Plan::new(&scenario, &source);
        plan.err().map(|why| why.to_string())
    }

    #[test]
    fn a_limit_that_no_run_could_meet_is_refused() {
        let flat = "[load]\nrate_per_s = 5\nduration_s = 5\n[[workflow]]\ntool = \"echo\"\n";
        for (threshold, want) in [
            ("sustained_per_s >= 5", "of a load in rising steps"),
            (
                "carried_out_again.count <= 0",
                "no [[workflow]] has `replay`",
            ),
            ("fairness >= 0.9", "no tokens"),
        ] {
            let said = refused(threshold, flat).expect(threshold);
            assert!(
                said.starts_with("x.toml:1:15: `") && said.contains(want),
                "{said}"
            );
        }
        let stage = |rate| format!("[[load.stage]]\nrate_per_s = {rate}\nduration_s = 2\n");
        let steps = |rates: [u32; 3]| {
            let stages: String = rates.map(stage).concat();
            format!("[load]\n{stages}[[workflow]]\ntool = \"echo\"\n")
        };
        assert_eq!(refused("sustained_per_s >= 5", &steps([5, 6, 7])), None);
        assert!(refused("sustained_per_s >= 5", &steps([5, 7, 6])).is_some());
        let replayed = format!("{flat}replay = 2\n");
        assert_eq!(refused("carried_out_again.count <= 0", &replayed), None);
        let tokens = format!("{flat}[client]\ntokens_command = [\"echo\", \"a\"]\n");
        assert_eq!(refused("fairness >= 0.9", &tokens), None);
    }
}
