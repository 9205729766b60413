use std::collections::BTreeSet;

use loadgen_measure::{FailureExample, Outcome, RunResult};

use super::text::Text;
use crate::units::printable;

/// Different sentences that are shown; the result file has all that were kept.
const MOST: usize = 5;
/// Characters of a sentence that are shown.
const LONGEST: usize = 240;

/// What was said or seen when rounds failed, most frequent first. What several
/// replicas said in the same words is one line.
pub(crate) fn write(text: &mut Text, result: &RunResult) {
    let said = together(&result.failures);
    for same in said.iter().take(MOST) {
        let line = format!(
            "{}, {}: {}",
            replicas(&same.replicas),
            same.outcome,
            printable(&shortened(same.text))
        );
        let start = format!("    {} x ", same.count);
        text.hanging(&start, start.len(), &line);
    }
    let more: u64 = said.iter().skip(MOST).map(|same| same.count).sum();
    if more > 0 {
        text.line(&format!(
            "    {more} x other, see `failures` in the result file"
        ));
    }
}

/// A text of at most [`LONGEST`] characters: its beginning and its end, since the reason of this
/// program stands behind what a server said.
fn shortened(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= LONGEST {
        return text.to_owned();
    }
    let (head, tail) = (&chars[..LONGEST / 2], &chars[chars.len() - LONGEST / 2..]);
    let part = |chars: &[char]| chars.iter().collect::<String>();
    format!("{} ... {}", part(head), part(tail))
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
