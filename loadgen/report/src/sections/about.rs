use loadgen_measure::{Environment, RunResult};

use super::Section;
use crate::summary::Role;
use crate::table::Table;
use crate::units::{or_nothing, size_bytes, three_digits};

/// Samples behind a quantile below which it is one of few requests: for p99, these times 100.
const FEW: u64 = 10;

/// The machine of the load generator.
pub(super) fn environment(result: &RunResult) -> Section {
    let Environment {
        cpu_model,
        cores,
        architecture,
        kernel,
        os,
        memory_bytes,
        load_average_1min,
        fingerprint,
    } = &result.environment;
    let text = |value: &Option<String>| or_nothing(value.as_ref(), Clone::clone);
    let rows = [
        ("processor", text(cpu_model)),
        ("processors usable", or_nothing(*cores, |n| n.to_string())),
        ("architecture", architecture.clone()),
        (
            "memory",
            or_nothing(*memory_bytes, |bytes| size_bytes(bytes as f64)),
        ),
        ("operating system", text(os)),
        ("kernel", text(kernel)),
        (
            "load average over the minute before",
            or_nothing(*load_average_1min, three_digits),
        ),
        ("class", fingerprint.clone()),
    ];
    Section::new("Environment of the load generator", |section| {
        let mut table = Table::new(2, &["", "value"]);
        table.rows(rows.map(|(name, value)| vec![name.to_owned(), value]));
        section.table(&table);
    })
}

/// What the figures can not say, as far as the result itself shows it.
pub(super) fn limits(result: &RunResult) -> Section {
    Section::new("Limits of this measurement", |section| {
        for limit in sentences(result) {
            section.sentence("-", Role::Quiet, &limit);
        }
    })
}

fn sentences(result: &RunResult) -> Vec<String> {
    let mut limits = Vec::new();
    let mut says = |holds: bool, sentence: &str| {
        if holds {
            limits.push(sentence.to_owned());
        }
    };
    says(
        result.partial,
        "This is a checkpoint: the run was killed or still goes on, and its figures are of what was done \
         until then.",
    );
    says(
        result.interrupted,
        "The run was interrupted, so that it is shorter than its plan.",
    );
    says(
        result.warmup_only,
        "The run ended in its warm-up: every figure is of that.",
    );
    says(
        result
            .replicas
            .iter()
            .any(|replica| replica.facts.started_by_run),
        "Generator and replicas shared one machine and so its processors; figures of a server alone need \
         another one for the load.",
    );
    let response = result.workflow_response();
    says(
        response.is_none(),
        "No workflow ended well, so there are no latencies of successes.",
    );
    says(
        response.is_some_and(|figures| figures.intervals_95.is_none()),
        "The run is too short, or its seconds depend too much on each other, for 95 % intervals: another run \
         may well give other quantiles.",
    );
    if let Some(count) = response.map(|figures| figures.count) {
        says(
            count < 100 * FEW,
            "Fewer than 10 workflows are longer than the p99, so it says little.",
        );
        says(
            (100 * FEW..1000 * FEW).contains(&count),
            "Fewer than 10 workflows are longer than the p99.9, so it says little.",
        );
    }
    says(
        result.aead.is_none(),
        "No server said how long opening and sealing took (Server-Timing), so their cost is not known.",
    );
    says(
        result
            .replicas
            .iter()
            .any(|replica| replica.facts.cpu_s.is_none() && replica.facts.rss_bytes.is_none()),
        "CPU time and memory are known of replicas that the run started itself, and of no others.",
    );
    says(
        result.checks.iter().any(|check| check.pass.is_none()),
        "Some checks of the result against itself could not be made; they say n/a.",
    );
    limits.push(
        "This is one run. Whole runs differ by more than the seconds within them do: compare several, in \
         turns, before you call a change one."
            .to_owned(),
    );
    limits
}
