use std::path::Path;

use anyhow::anyhow;
use loadgen_driver::{FleetTable, Plan, Scenario, ScenarioError, Source};
use loadgen_replica::Config;
use loadgen_seal::Backend;

use crate::failure::Failure;

/// Reads and checks a scenario file, the names of algorithm and backend included.
pub(crate) fn load(path: &Path) -> Result<Plan, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Failure::usage(anyhow!("cannot read scenario {}: {e}", path.display())))?;
    let source = Source::new(path.display().to_string(), text);
    let scenario = Scenario::parse(&source)?;
    let plan = Plan::new(&scenario, &source)?;
    if let Some(fleet) = &scenario.fleet {
        check_sealing(fleet, &source)?;
    }
    Ok(plan)
}

/// What the fleet seals with must exist, in this build and on this machine, and fit together.
fn check_sealing(fleet: &FleetTable, source: &Source) -> Result<(), ScenarioError> {
    let algorithm = match &fleet.algorithm {
        None => Config::ALGORITHM,
        Some(name) => name
            .get_ref()
            .parse()
            .map_err(|e| source.at(&name.span(), format!("{e}")))?,
    };
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
