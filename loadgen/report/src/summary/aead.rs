use loadgen_measure::{AeadResult, FleetCpu, KeyUse, RunResult, Times};

use super::text::{Role, Text};
use crate::table::Table;
use crate::units::{or_nothing, percent, size_bytes, three_digits, time_ns};

/// Days to the bound of a key below which a reader should see it.
const SOON_DAYS: f64 = 365.0;

/// What opening and sealing states cost, where servers said it.
pub(crate) fn write(text: &mut Text, result: &RunResult) {
    let Some(aead) = &result.aead else {
        return;
    };
    text.heading("Opening and sealing");
    text.sentence("", Role::Quiet, &sentence(aead));
    rounds(text, aead);
    if let Some(cpu) = &aead.cpu {
        text.sentence("CPU of the replicas:", Role::Quiet, &used(cpu));
    }
    if let Some(key) = &aead.key_use {
        let soon = key.days_to_bound.is_some_and(|days| days < SOON_DAYS);
        let (mark, role) = match soon {
            true => ("! key:", Role::Warning),
            false => ("key:", Role::Quiet),
        };
        text.sentence(mark, role, &use_of(key));
    }
}

/// The measurement in one sentence.
fn sentence(aead: &AeadResult) -> String {
    let mut sentence = format!(
        "sealing and opening take {} of a round (p50)",
        time_ns(aead.open_and_seal.p50_ns as f64)
    );
    let shares = [
        (aead.server_share, "the server's time"),
        (aead.round_share, "the client's round"),
    ];
    let shares = shares.into_iter().filter_map(|(share, of)| {
        let share = percent(share?);
        Some(format!("{share} of {of}"))
    });
    let shares: Vec<String> = shares.collect();
    if !shares.is_empty() {
        sentence += &format!(", {}", shares.join(" and "));
    }
    let key = aead.key_use.as_ref();
    if let Some((key, days)) = key.and_then(|key| Some((key, key.days_to_bound?))) {
        sentence += &format!(
            "; at this rate the key's bound is {} away ({})",
            far(days),
            key.sealing.algorithm
        );
    }
    sentence
}

fn rounds(text: &mut Text, aead: &AeadResult) {
    let head = [
        "kind",
        "round",
        "opened",
        "open p50",
        "p99",
        "sealed",
        "seal p50",
        "p99",
        "of server",
        "of round",
    ];
    let mut table = Table::new(1, &head);
    for round in &aead.rounds {
        let mut row = vec![round.kind.clone(), round.round.to_string()];
        for (bytes, times) in [
            (round.opened_mean_bytes, round.open.as_ref()),
            (round.sealed_mean_bytes, round.seal.as_ref()),
        ] {
            row.push(or_nothing(bytes, size_bytes));
            row.push(or_nothing(times, |t: &Times| time_ns(t.p50_ns as f64)));
            row.push(or_nothing(times, |t: &Times| time_ns(t.p99_ns as f64)));
        }
        row.push(or_nothing(round.server_share, percent));
        row.push(or_nothing(round.round_share, percent));
        table.row(row);
    }
    text.table(&table);
}

fn used(cpu: &FleetCpu) -> String {
    let each = cpu.replicas.iter().map(|replica| {
        format!(
            "{} by replica {}",
            or_nothing(replica.per_request_ns, time_ns),
            replica.index
        )
    });
    let each: Vec<String> = each.collect();
    format!(
        "{} a workflow, {} a request ({}), with all else that they do",
        or_nothing(cpu.per_workflow_ns, time_ns),
        or_nothing(cpu.per_request_ns, time_ns),
        each.join(", ")
    )
}

fn use_of(key: &KeyUse) -> String {
    let sealing = &key.sealing;
    let keys = match key.keys {
        1 => "one key".to_owned(),
        keys => format!("{keys} keys"),
    };
    let mut line = format!(
        "{} by {}, {keys}, {} states sealed a second",
        sealing.algorithm,
        sealing.backend,
        three_digits(key.seals_per_s)
    );
    line += &match (sealing.seal_bound_log2, key.days_to_bound) {
        (Some(log2), Some(days)) => format!(
            "; one key may seal 2^{log2}, which at this rate takes {}",
            far(days)
        ),
        (Some(log2), None) => format!("; one key may seal 2^{log2}"),
        (None, _) => "; it bounds no key".to_owned(),
    };
    line
}

/// A time in days, or in hours below one.
fn far(days: f64) -> String {
    match days {
        ..1.0 => format!("{} hours", three_digits(24.0 * days)),
        ..100_000.0 => format!("{} days", three_digits(days)),
        _ => format!("{days:.1e} days"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_away_is_written_short() {
        for (days, text) in [
            (0.25, "6.00 hours"),
            (49.71, "49.7 days"),
            (2.13e9, "2.1e9 days"),
        ] {
            assert_eq!(far(days), text);
        }
    }
}
