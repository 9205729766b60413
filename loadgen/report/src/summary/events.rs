use loadgen_measure::{EventResult, RunResult};

use super::text::{Role, Text};
use crate::table::Table;
use crate::units::{NOTHING, plain, printable, three_digits};

/// What the scenario let happen to replicas, if anything.
pub(crate) fn write(text: &mut Text, result: &RunResult) {
    if result.events.is_empty() {
        return;
    }
    text.heading("Events");
    let mut table = Table::new(2, &["", "planned s", "begun s", "took s"]);
    for event in &result.events {
        let moment = |s: Option<f64>| s.map_or_else(|| NOTHING.to_owned(), three_digits);
        table.row(vec![
            printable(&event.name),
            plain(event.at_s),
            moment(event.begun_s),
            moment(took_s(event)),
        ]);
    }
    text.table(&table);
    for event in &result.events {
        if let Some(turn) = event.key.filter(|_| event.errors.is_empty()) {
            let from = match turn.harmless_from_s {
                Some(from) => format!("from {} s on", three_digits(from)),
                None => "never in this run".to_owned(),
            };
            let line = format!("{}: does no harm {from}", event.name);
            text.sentence("", Role::Quiet, &line);
        }
        for error in &event.errors {
            let line = format!("event {}: {error}", event.name);
            text.sentence("!", Role::Bad, &line);
        }
    }
}

fn took_s(event: &EventResult) -> Option<f64> {
    Some(event.done_s? - event.begun_s?)
}
