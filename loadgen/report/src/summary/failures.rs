use std::collections::BTreeSet;

use loadgen_measure::{FailureExample, Outcome, RunResult};

use super::text::{Role, Text};
use crate::units::printable;

/// Different sentences that are shown; the result file has all that were kept.
const MOST: usize = 5;

/// What was said or seen when rounds failed, most frequent first. What several
/// replicas said in the same words is one line.
pub(crate) fn write(text: &mut Text, result: &RunResult) {
    let said = together(&result.failures);
    for same in said.iter().take(MOST) {
        let line = format!(
            "{}, {}: {}",
            replicas(&same.replicas),
            same.outcome,
            printable(same.text)
        );
        text.sentence(&format!("  {} x", same.count), Role::Quiet, &line);
    }
    let more: u64 = said.iter().skip(MOST).map(|same| same.count).sum();
    if more > 0 {
        text.line(&format!(
            "    {more} x other, see `failures` in the result file"
        ));
    }
}

/// Rounds that ended alike and with the same words.
struct Same<'a> {
    outcome: Outcome,
    text: &'a str,
    replicas: BTreeSet<usize>,
    count: u64,
}

fn together(failures: &[FailureExample]) -> Vec<Same<'_>> {
    let mut all: Vec<Same<'_>> = Vec::new();
    for failure in failures {
        let known = all
            .iter_mut()
            .find(|same| same.outcome == failure.outcome && same.text == failure.text);
        if let Some(same) = known {
            same.count += failure.count;
            same.replicas.insert(failure.replica);
        } else {
            all.push(Same {
                outcome: failure.outcome,
                text: &failure.text,
                replicas: BTreeSet::from([failure.replica]),
                count: failure.count,
            });
        }
    }
    // Stable, so that equal counts keep the order in which they came.
    all.sort_by_key(|same| std::cmp::Reverse(same.count));
    all
}

fn replicas(replicas: &BTreeSet<usize>) -> String {
    const MOST_NAMED: usize = 4;
    let names: Vec<String> = replicas.iter().map(usize::to_string).collect();
    match names.len() {
        1 => format!("replica {}", names[0]),
        count if count > MOST_NAMED => format!("{count} replicas"),
        _ => format!("replicas {}", names.join(" ")),
    }
}
