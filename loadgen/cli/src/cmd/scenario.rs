use std::path::Path;

use anyhow::anyhow;
use loadgen_driver::{FleetPlan, FleetTable, Plan, Scenario, ScenarioError, Source};
use loadgen_replica::Config;
use loadgen_seal::{Algorithm, Backend, Protection, Ttl};

use crate::failure::Failure;
use crate::fleet::replica_options;
use crate::input;

/// Reads and checks a scenario file, the names of algorithm and backend included.
pub(crate) fn load(path: &Path) -> Result<Plan, Failure> {
    load_with(path, |_| Ok(()))
}

/// The same, with a change to what the file says. Text and hash in the plan stay those of the file.
pub(crate) fn load_with(
    path: &Path,
    change: impl FnOnce(&mut Scenario) -> Result<(), Failure>,
) -> Result<Plan, Failure> {
    let text = input::text(path)
        .map_err(|e| Failure::usage(anyhow!("cannot read scenario {}: {e}", path.display())))?;
    let source = Source::new(path.display().to_string(), text);
    let mut scenario = Scenario::parse(&source)?;
    change(&mut scenario)?;
    let plan = Plan::new(&scenario, &source)?;
    if let Some(fleet) = &scenario.fleet {
        check_sealing(fleet, &source)?;
    }
    if let Some(fleet) = &plan.fleet {
        check_options(fleet, path)?;
    }
    Ok(plan)
}

/// What replicas are started with must be options of theirs.
fn check_options(fleet: &FleetPlan, path: &Path) -> Result<(), Failure> {
    for number in 0..fleet.replicas.len() {
        super::replica::takes(&replica_options(fleet, number)).map_err(|why| {
            Failure::usage(anyhow!(
                "{}: replica {number} does not take what [fleet] gives it: {why}",
                path.display()
            ))
        })?;
    }
    Ok(())
}

/// What the fleet seals with must exist, in this build and on this machine, and fit together.
fn check_sealing(fleet: &FleetTable, source: &Source) -> Result<(), ScenarioError> {
    let algorithm = match &fleet.algorithm {
        None => Config::ALGORITHM,
        Some(name) => {
            let algorithm = name
                .get_ref()
                .parse()
                .map_err(|e| source.at(&name.span(), format!("{e}")))?;
            usable(algorithm).map_err(|e| source.at(&name.span(), e))?;
            algorithm
        }
    };
    if let Some(ttl) = &fleet.ttl_s {
        Ttl::try_from(*ttl.get_ref()).map_err(|e| source.at(&ttl.span(), format!("ttl_s: {e}")))?;
    }
    let Some(name) = &fleet.backend else {
        return Ok(());
    };
    let backend: Backend = name
        .get_ref()
        .parse()
        .map_err(|e| source.at(&name.span(), format!("{e}")))?;
    let fitting = Backend::available_for(algorithm);
    if fitting.contains(&backend) {
        return Ok(());
    }
    let names: Vec<&str> = fitting.iter().map(|b| b.name()).collect();
    Err(source.at(
        &name.span(),
        format!(
            "backend {} has no {} here; these have: {}",
            backend.name(),
            algorithm.name(),
            names.join(", ")
        ),
    ))
}

/// Whether a replica can serve with this algorithm, or why not.
pub(crate) fn usable(algorithm: Algorithm) -> Result<(), String> {
    if algorithm.protection() == Protection::Nothing {
        return Err(format!(
            "{} protects nothing, so no replica takes it",
            algorithm.name()
        ));
    }
    if Backend::available_for(algorithm).is_empty() {
        return Err(format!("no backend here has {}", algorithm.name()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(line: &str) -> String {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("x.toml");
        let text = format!(
            "[fleet]\nreplicas = 1\n{line}\n[load]\nrate_per_s = 1\nduration_s = 1\n\
             [[workflow]]\ntool = \"echo\"\n"
        );
        std::fs::write(&path, text).expect("a writable folder");
        load(&path).expect_err(line).to_string()
    }

    #[test]
    fn what_no_replica_takes_is_refused_with_its_place() {
        for (line, want) in [
            ("algorithm = \"none\"", "x.toml:3:13: none protects nothing"),
            ("ttl_s = 315360001", "x.toml:3:9: ttl_s: "),
        ] {
            let said = refused(line);
            assert!(said.contains(want), "{said}");
        }
    }
}
