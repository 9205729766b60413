use loadgen_measure::RunResult;

use super::text::{Role, Text};
use crate::table::Table;
use crate::units::time_ns;

/// What became of states that were sent back several times at once.
pub(crate) fn write(text: &mut Text, result: &RunResult) {
    let Some(used) = &result.single_use else {
        return;
    };
    text.heading("States sent back several times at once");
    text.sentence("", Role::Quiet, &format!("{}.", used.sentence()));
    let head = [
        "kind",
        "states",
        "requests",
        "ok",
        "state refused",
        "other",
        "carried out again",
    ];
    let mut table = Table::new(1, &head);
    for kind in &used.kinds {
        let counts = [
            kind.states,
            kind.requests,
            kind.ok,
            kind.refused,
            kind.other,
            kind.carried_out_again,
        ];
        let mut row = vec![kind.kind.clone()];
        row.extend(counts.map(|count| count.to_string()));
        table.row(row);
    }
    text.table(&table);
    for kind in &used.kinds {
        if let (Some(store), Some(service)) = (kind.store_time, kind.service) {
            let line = format!(
                "asking the record takes {} of a round of {} (p50), p99 {} of {}",
                time_ns(store.p50_ns as f64),
                time_ns(service.p50_ns as f64),
                time_ns(store.p99_ns as f64),
                time_ns(service.p99_ns as f64)
            );
            text.sentence(&format!("{}:", kind.kind), Role::Quiet, &line);
        }
    }
}
