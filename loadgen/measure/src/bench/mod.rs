//! Two results of benchmarks: times of criterion and instruction counts of gungraun.

mod criterion;
mod files;
mod gungraun;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::criterion::Criterion;
use self::gungraun::Gungraun;
use crate::compare::{Change, DEGREES, Draft, Estimate, Unit};
use crate::json;
use crate::stats::level;
use crate::{Better, Judgement, Tool};

pub use files::BenchError;
pub use verdict::ToolVerdict;

/// Version of the comparison's JSON that this crate writes.
pub const BENCH_SCHEMA_VERSION: u32 = 1;
/// Fewest degrees of freedom of criterion's own interval: it takes 10 samples at least.
const FEWEST_DEGREES: f64 = 9.0;

/// Where a result of benchmarks is.
#[derive(Debug, Clone, Copy)]
pub struct BenchPlace<'a> {
    /// A folder with what criterion or gungraun write, at any depth.
    pub folder: &'a Path,
    /// Name of criterion's baseline in it: `new` is the last run.
    pub baseline: &'a str,
}

/// What changed from one result of benchmarks to another.
///
/// Times are judged by the samples of each benchmark, counts of instructions by themselves: they repeat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BenchComparison {
    /// Version of this format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub schema_version: u32,
    /// The program that compared.
    pub tool: Tool,
    /// The judgement on all together: regressed when any is, else undecided when any is or none could be
    /// judged, else improved when any is, else equal.
    pub judgement: Judgement,
    /// The smallest change of a time that matters, as a share.
    pub min_change_times: f64,
    /// The smallest change of a count that matters, as a share.
    pub min_change_counts: f64,
    /// Times that have a judgement.
    pub judged_times: usize,
    /// Level of the intervals by which times are judged: 95 % widened for their number (Bonferroni).
    pub level: f64,
    /// Every benchmark that either result has, in the order of kinds and names.
    pub benches: Vec<BenchChange>,
    /// What a reader should know, one sentence each.
    pub notes: Vec<String>,
}

/// One benchmark in both results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BenchChange {
    /// Its name.
    pub name: String,
    /// What its values are: nanoseconds an iteration, or instructions.
    pub unit: Unit,
    /// Its values, how they stand to each other, and the judgement. Less is better.
    #[serde(flatten)]
    pub change: Change,
    /// What the tool itself said of these two, or of the new one; absent where it is not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_verdict: Option<ToolVerdict>,
}

impl BenchComparison {
    /// Reads and compares two results. `counts` says whether instruction counts are looked for; in one
    /// folder there is only one of each. The smallest changes that matter are shares.
    ///
    /// # Errors
    /// When a file cannot be read or is not in its program's format, and when a side has no results.
    pub fn read(
        tool: Tool,
        a: BenchPlace<'_>,
        b: BenchPlace<'_>,
        counts: bool,
        min_change_times: f64,
        min_change_counts: f64,
    ) -> Result<Self, BenchError> {
        let (a, b) = (Side::read(a, counts)?, Side::read(b, counts)?);
        let times = times(&a, &b)?;
        let judged_times = times.iter().filter(|one| one.1.has_interval()).count();
        let mut benches: Vec<BenchChange> = times
            .into_iter()
            .map(|(name, draft, df, tool_verdict)| BenchChange {
                name,
                unit: Unit::Ns,
                change: draft.judge(Better::Lower, judged_times, df, min_change_times),
                tool_verdict,
            })
            .collect();
        benches.extend(instructions(&a, &b, min_change_counts));
        let judgements = benches.iter().filter_map(|bench| bench.change.judgement);
        let judgement = Judgement::of_all(judgements).unwrap_or(Judgement::Undecided);
        let notes = notes(&benches, judged_times);
        Ok(Self {
            schema_version: BENCH_SCHEMA_VERSION,
            tool,
            judgement,
            min_change_times,
            min_change_counts,
            judged_times,
            level: level(judged_times),
            benches,
            notes,
        })
    }

    /// The comparison as JSON text that ends in a newline.
    pub fn to_json(&self) -> String {
        json::text(self)
    }
}

/// The instructions of every benchmark that gungraun has stored under this folder, by name.
///
/// # Errors
/// When the folder or a file in it cannot be read, or there is none.
pub fn instruction_counts(folder: &Path) -> Result<BTreeMap<String, f64>, BenchError> {
    let counts = Gungraun::all(&files::folders(folder)?)?;
    if counts.is_empty() {
        return Err(BenchError::Nothing {
            path: folder.to_owned(),
            wanted: "no summary.json of gungraun (--save-summary)".to_owned(),
        });
    }
    let named = counts
        .into_iter()
        .map(|(name, bench)| (name, bench.instructions));
    Ok(named.collect())
}

/// Everything that one result holds.
struct Side {
    times: BTreeMap<String, Criterion>,
    counts: BTreeMap<String, Gungraun>,
}

impl Side {
    fn read(place: BenchPlace<'_>, counts: bool) -> Result<Self, BenchError> {
        let folders = files::folders(place.folder)?;
        let side = Self {
            times: Criterion::all(place.folder, &folders, place.baseline)?,
            counts: if counts {
                Gungraun::all(&folders)?
            } else {
                BTreeMap::new()
            },
        };
        if side.times.is_empty() && side.counts.is_empty() {
            let counts = if counts {
                ", and no summary.json of gungraun (--save-summary)"
            } else {
                ""
            };
            return Err(BenchError::Nothing {
                path: place.folder.to_owned(),
                wanted: format!("no baseline `{}` of criterion{counts}", place.baseline),
            });
        }
        Ok(side)
    }
}

type Time = (String, Draft, f64, Option<ToolVerdict>);

/// Times of both sides, and the fewest degrees of freedom of their intervals.
fn times(a: &Side, b: &Side) -> Result<Vec<Time>, BenchError> {
    let names: BTreeSet<&String> = a.times.keys().chain(b.times.keys()).collect();
    let each = names.into_iter().map(|name| {
        let (of_a, of_b) = (a.times.get(name), b.times.get(name));
        let (draft, df) = drafted(of_a, of_b);
        let verdict = match (of_a, of_b) {
            (Some(a), Some(b)) => Criterion::verdict(a, b)?,
            _ => None,
        };
        Ok((name.clone(), draft, df, verdict))
    });
    each.collect()
}

/// By samples where both sides have enough of them, else by what criterion says of the mean.
fn drafted(a: Option<&Criterion>, b: Option<&Criterion>) -> (Draft, f64) {
    let of = |by: fn(&Criterion) -> Option<Estimate>| (a.and_then(by), b.and_then(by));
    let ways: [fn(&Criterion) -> Option<Estimate>; 2] =
        [Criterion::by_samples, Criterion::by_estimates];
    let sides = usize::from(a.is_some()) + usize::from(b.is_some());
    for (by, df) in ways.into_iter().zip([DEGREES, FEWEST_DEGREES]) {
        let (a, b) = of(by);
        if usize::from(a.is_some()) + usize::from(b.is_some()) == sides {
            return (Draft::of(a, b), df);
        }
    }
    let (a, b) = of(Criterion::plain);
    (Draft::of(a, b), FEWEST_DEGREES)
}

/// Instructions of both sides. They repeat, so the ratio itself is judged.
fn instructions(a: &Side, b: &Side, min_change: f64) -> Vec<BenchChange> {
    let names: BTreeSet<&String> = a.counts.keys().chain(b.counts.keys()).collect();
    let each = names.into_iter().map(|name| {
        let (of_a, of_b) = (a.counts.get(name), b.counts.get(name));
        let exact = |one: &Gungraun| Estimate::new(one.instructions, Some(0.0));
        let draft = Draft::of(of_a.and_then(exact), of_b.and_then(exact));
        BenchChange {
            name: name.clone(),
            unit: Unit::Instructions,
            change: draft.judge(Better::Lower, 1, DEGREES, min_change),
            tool_verdict: of_b.and_then(Gungraun::verdict),
        }
    });
    each.collect()
}

fn notes(benches: &[BenchChange], judged_times: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if benches.iter().any(|bench| bench.unit == Unit::Ns) {
        notes.push(
            "times were taken one after the other: they cannot tell a change from a machine that has \
             drifted in between"
                .to_owned(),
        );
        if judged_times == 0 {
            notes.push("no time is in both results, or has an interval in both".to_owned());
        }
    }
    if benches.iter().any(|bench| bench.unit == Unit::Instructions) {
        notes.push(
            "instructions are those that valgrind counts: it may hide a processor's wide units, and \
             counts no waiting"
                .to_owned(),
        );
    }
    notes
}

/// The JSON Schema (2020-12) of a comparison, as text that ends in a newline. The committed copy is
/// `schema/bench-compare-v1.schema.json`.
pub fn bench_comparison_schema() -> String {
    json::schema::<BenchComparison>()
}
