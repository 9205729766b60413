use loadgen_measure::{ExchangeKind, Outcome, RunResult};

use super::text::{Role, Text};
use crate::table::Table;
use crate::units::{percent, three_digits, time_ns};

/// Kinds in the sentence.
const NAMED: usize = 3;

/// What the bytes of each kind cost the server, where kinds can be compared or one was asked without
/// end.
pub(crate) fn write(text: &mut Text, result: &RunResult) {
    let Some(exchange) = &result.exchange else {
        return;
    };
    let capped = result.load.outcomes.contains_key(&Outcome::RoundCap);
    if exchange.kinds.len() < 2 && !capped {
        return;
    }
    text.heading("What requests cost the server, as it says itself");
    text.sentence("", Role::Quiet, &sentence(&exchange.kinds));
    let head = [
        "kind",
        "workflows",
        "server time",
        "a workflow",
        "a round",
        "a byte sent",
        "bytes back",
    ];
    let mut table = Table::new(1, &head);
    for kind in &exchange.kinds {
        table.row(vec![
            kind.kind.clone(),
            percent(kind.workflow_share),
            percent(kind.server_share),
            time_ns(kind.server_ns_per_workflow),
            time_ns(kind.server_ns_per_round),
            time_ns(kind.server_ns_per_request_byte),
            three_digits(kind.response_bytes_per_request_byte),
        ]);
    }
    text.table(&table);
}

/// The dearest kinds in one sentence.
fn sentence(kinds: &[ExchangeKind]) -> String {
    let each = kinds.iter().enumerate().map(|(place, kind)| {
        let time = time_ns(kind.server_ns_per_request_byte);
        match place {
            0 => format!(
                "each byte that a {} workflow sends costs the server {time}",
                kind.kind
            ),
            _ => format!("{} {time}", kind.kind),
        }
    });
    let each: Vec<String> = each.take(NAMED).collect();
    let share = kinds.first().map_or(String::new(), |kind| {
        format!(
            ": {} of the workflows are {} of its time",
            percent(kind.workflow_share),
            percent(kind.server_share)
        )
    });
    format!("{}{share}.", each.join(", "))
}
