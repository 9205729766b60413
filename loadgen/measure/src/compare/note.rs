use super::RunComparison;
use crate::{RunResult, Status};

/// Load average before a run, by processor, from which on the machine was not idle.
const BUSY: f64 = 0.5;
/// The least difference of mean rounds or think times that is worth a word, as a share.
const OTHER_WORK: f64 = 0.01;

/// What a reader of the comparison should know beside the figures, one sentence each.
pub(super) fn notes(comparison: &RunComparison, a: &RunResult, b: &RunResult) -> Vec<String> {
    let mut notes = vec![
        "one run each cannot tell a change from a machine that has drifted in between: `loadgen pairs` is \
         the gate that can"
            .to_owned(),
    ];
    if a.clock == b.clock && a.seed == b.seed && a.generator == b.generator {
        notes.push("A and B are the same run".to_owned());
    }
    if comparison.judged == 0 {
        notes.push(
            "nothing could be judged: intervals take at least 20 s of load, and enough successes"
                .to_owned(),
        );
    }
    if a.tool != b.tool {
        let tool = |result: &RunResult| format!("{} {}", result.tool.name, result.tool.version);
        notes.push(format!(
            "made by other versions: {} and {}; the changelog's Measurement entries say whether their \
             figures can be compared",
            tool(a),
            tool(b)
        ));
    }
    if a.targets != b.targets {
        notes.push("the targets have other addresses".to_owned());
    }
    for (what, of) in [
        (
            "kernel",
            (|r| r.environment.kernel.as_deref()) as fn(&RunResult) -> Option<&str>,
        ),
        ("operating system", |r| r.environment.os.as_deref()),
    ] {
        if let (Some(a), Some(b)) = (of(a), of(b))
            && a != b
        {
            notes.push(format!("the {what} differs: {a} and {b}"));
        }
    }
    work(&mut notes, a, b);
    for (name, result) in [("A", a), ("B", b)] {
        side(&mut notes, name, result);
    }
    if a.verdict.status == Status::Good && b.verdict.status == Status::ThresholdMissed {
        let why = b
            .verdict
            .reasons
            .first()
            .map_or("see its verdict", |why| why);
        notes.push(format!("A kept every threshold and B did not: {why}"));
    }
    notes
}

/// What workflows were made of: figures of other work cannot be compared.
fn work(notes: &mut Vec<String>, a: &RunResult, b: &RunResult) {
    let differ = |a: f64, b: f64| (a - b).abs() > OTHER_WORK * a.abs().max(b.abs());
    if let (Some(a), Some(b)) = (a.all.mean_rounds, b.all.mean_rounds)
        && differ(a, b)
    {
        notes.push(format!(
            "workflows took another number of rounds: {a:.2} and {b:.2} in the mean"
        ));
    }
    if let (Some(a), Some(b)) = (a.all.mean_think_ns, b.all.mean_think_ns)
        && differ(a, b)
    {
        notes.push(format!(
            "users took another time to think: {:.3} s and {:.3} s a workflow",
            a / 1e9,
            b / 1e9
        ));
    }
}

/// What makes one of them doubtful.
fn side(notes: &mut Vec<String>, name: &str, result: &RunResult) {
    let environment = &result.environment;
    if let (Some(load), Some(cores)) = (environment.load_average_1min, environment.cores)
        && load > BUSY * cores as f64
    {
        notes.push(format!(
            "the machine was busy before {name}: load average {load:.2} on {cores} cores"
        ));
    }
    let Some(steady) = &result.steady else { return };
    if steady.refused {
        notes.push(format!("{name} never settled: {}", steady.reason));
    }
    if let Some(drift) = steady.drift.filter(|drift| drift.drifts) {
        notes.push(format!(
            "response times of {name} moved by {:+.1} % over the run",
            100.0 * drift.change
        ));
    }
}
