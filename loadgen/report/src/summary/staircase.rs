use loadgen_measure::{RunResult, Staircase};

use super::text::{Role, Text};
use crate::table::Table;
use crate::units::{or_nothing, three_digits, time_ns};

/// How far the target kept up with a load that rose in steps.
pub(crate) fn write(text: &mut Text, result: &RunResult) {
    let Some(staircase) = &result.staircase else {
        return;
    };
    text.heading("Steps: what the target kept up with");
    let mut table = Table::new(1, &["step", "offered/s", "ok/s", "p50", "p99", ""]);
    for step in &staircase.steps {
        table.row(vec![
            crate::units::printable(&step.phase),
            three_digits(step.offered_per_s),
            three_digits(step.ok_per_s),
            or_nothing(step.p50_ns, |ns| time_ns(ns as f64)),
            or_nothing(step.p99_ns, |ns| time_ns(ns as f64)),
            if step.sustained {
                "kept up"
            } else {
                "fell behind"
            }
            .to_owned(),
        ]);
    }
    text.table(&table);
    text.sentence("", Role::Quiet, &sentence(staircase));
}

fn sentence(staircase: &Staircase) -> String {
    let most = three_digits(staircase.highest_throughput_per_s);
    match (staircase.sustained_per_s, staircase.overloaded_per_s) {
        (Some(kept), Some(lost)) => format!(
            "The target kept up with {} workflows/s and fell behind at {}; most that ended well in a \
             step: {most}/s.",
            three_digits(kept),
            three_digits(lost)
        ),
        (None, Some(lost)) => format!(
            "The target fell behind in the first step already, at {} workflows/s; most that ended \
             well in a step: {most}/s.",
            three_digits(lost)
        ),
        (kept, None) => format!(
            "The target kept up with every step, up to {} workflows/s: its limit lies higher.",
            or_nothing(kept, three_digits)
        ),
    }
}
