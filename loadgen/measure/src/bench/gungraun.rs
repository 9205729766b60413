use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::files::{self, BenchError, wrong};
use super::verdict::ToolVerdict;
use crate::Judgement;

const BY: &str = "gungraun";

/// One benchmark as gungraun stores it with `--save-summary` (format version 7): instructions under
/// callgrind.
#[derive(Debug, Clone)]
pub(super) struct Gungraun {
    pub(super) instructions: f64,
    /// Limits that its own run was given and that it exceeded.
    exceeded: Vec<String>,
}

/// `summary.json`.
#[derive(Deserialize)]
struct Summary {
    module_path: String,
    #[serde(default)]
    id: Option<String>,
    profiles: Vec<Profile>,
}

#[derive(Deserialize)]
struct Profile {
    tool: String,
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    total: Total,
}

#[derive(Deserialize)]
struct Total {
    metrics: BTreeMap<String, Metric>,
    #[serde(default)]
    regressions: Vec<BTreeMap<String, Exceeded>>,
}

#[derive(Deserialize)]
struct Metric {
    values: Values,
}

#[derive(Deserialize)]
struct Values {
    /// Absent when only an older run has it.
    #[serde(default)]
    new: Option<f64>,
}

/// A limit that was exceeded: `Soft` ones are in percent of the older run, `Hard` ones are counts.
#[derive(Deserialize)]
struct Exceeded {
    metric: Value,
    new: Value,
    limit: Value,
}

impl Gungraun {
    /// Every benchmark under these folders.
    pub(super) fn all(folders: &[PathBuf]) -> Result<BTreeMap<String, Self>, BenchError> {
        let mut found = BTreeMap::new();
        for folder in folders {
            let path = folder.join("summary.json");
            if let Some((name, bench)) = Self::read(&path)? {
                found.insert(name, bench);
            }
        }
        Ok(found)
    }

    /// `None` without a file, and for a summary of other tools than callgrind.
    fn read(path: &Path) -> Result<Option<(String, Self)>, BenchError> {
        let Some(summary) = files::json::<Summary>(path, BY)? else {
            return Ok(None);
        };
        let mut profiles = summary.profiles.into_iter();
        let Some(profile) = profiles.find(|profile| profile.tool == "Callgrind") else {
            return Ok(None);
        };
        let total = profile.data.total;
        let count = total.metrics.get("Ir").and_then(|metric| metric.values.new);
        let Some(instructions) = count.filter(|count| count.is_finite() && *count > 0.0) else {
            let why = "its callgrind profile has no instructions (metrics.Ir.values.new)";
            return Err(wrong(path, BY, why.to_owned()));
        };
        let name = match summary.id {
            Some(id) => format!("{} {id}", summary.module_path),
            None => summary.module_path,
        };
        let exceeded = total.regressions.iter().flatten();
        let exceeded = exceeded.map(|(kind, limit)| limit.sentence(kind)).collect();
        let bench = Self {
            instructions,
            exceeded,
        };
        Ok(Some((name, bench)))
    }

    /// What gungraun said to the limits of its own run, if it exceeded any; whether it had any is not
    /// stored.
    pub(super) fn verdict(&self) -> Option<ToolVerdict> {
        (!self.exceeded.is_empty()).then(|| ToolVerdict {
            tool: BY.to_owned(),
            judgement: Some(Judgement::Regressed),
            sentence: self.exceeded.join("; "),
        })
    }
}

impl Exceeded {
    fn sentence(&self, kind: &str) -> String {
        let metric = match &self.metric {
            Value::Object(map) => map.values().find_map(Value::as_str).unwrap_or("a metric"),
            other => other.as_str().unwrap_or("a metric"),
        };
        let unit = if kind == "Soft" { " %" } else { "" };
        format!(
            "{metric} is {}, beyond its limit of {}{unit}",
            self.new, self.limit
        )
    }
}
