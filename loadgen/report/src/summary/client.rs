use loadgen_measure::{PrincipalResult, PrincipalsResult, RunResult, TraceContextResult};

use super::text::{Role, Text};
use crate::units::{counted, size_bytes, three_digits};

/// Who the generator was and what it sent beside its requests, where the scenario asks for that.
pub(crate) fn write(text: &mut Text, result: &RunResult) {
    if let Some(principals) = &result.principals {
        of_principals(text, principals);
    }
    if let Some(trace) = &result.trace_context {
        of_trace(text, trace);
    }
}

fn of_principals(text: &mut Text, principals: &PrincipalsResult) {
    let each = &principals.each;
    let all = counted(principals.count, "token");
    text.heading(&match principals.others {
        None => format!("Principals: {all}"),
        Some(_) => format!("Principals: {all}, the first {} one by one", each.len()),
    });
    let served = |(token, one): (usize, &PrincipalResult)| {
        format!("token {token}, {} of {} workflows ok", one.ok, one.started)
    };
    // Of equals the first in the list.
    let least = each.iter().enumerate().min_by_key(|(_, one)| one.ok);
    let most = each.iter().enumerate().rev().max_by_key(|(_, one)| one.ok);
    if let (Some(least), Some(most)) = (least, most) {
        text.sentence("least served:", Role::Quiet, &served(least));
        text.sentence("most served:", Role::Quiet, &served(most));
    }
    let counts = || each.iter().chain(&principals.others);
    let refused: u64 = counts().map(|one| one.refused).sum();
    if refused > 0 {
        let line = format!(
            "{} attempts refused, {} workflows ended so, {} s waited",
            refused,
            counts().map(|one| one.throttled).sum::<u64>(),
            three_digits(counts().map(|one| one.waited_s).sum())
        );
        text.sentence("rate limits:", Role::Quiet, &line);
    }
}

fn of_trace(text: &mut Text, trace: &TraceContextResult) {
    text.heading("Trace context");
    let line = format!(
        "{} requests carried one: {} in their bodies and {} in header fields, in no other size",
        trace.attempts,
        size_bytes(trace.body_bytes as f64),
        size_bytes(trace.header_bytes as f64)
    );
    text.sentence("sent:", Role::Quiet, &line);
}
