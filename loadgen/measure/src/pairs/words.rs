use super::figure::PairedFigure;
use super::rule::Look;
use super::side::{Side, SideKind, SideRun};
use super::{PairsEnd, PairsResult};
use crate::{Better, Judgement};

/// What can be said of the pairs, and what cannot.
pub(super) fn findings(result: &PairsResult) -> Vec<String> {
    let mut findings = Vec::new();
    let facts = &result.facts;
    left_out(result, &mut findings);
    if result.figures.is_empty() {
        findings.push("no pair counts, so there is nothing to judge".to_owned());
        return findings;
    }
    if facts.rule.look == Look::Once && (result.pairs as u64) < facts.pairs_asked.unwrap_or(0) {
        findings.push(format!(
            "nothing is judged: the one look is at {} pairs, and {} are there",
            facts.pairs_asked.unwrap_or(0),
            result.pairs
        ));
    } else {
        findings.extend(result.figures.iter().map(|one| sentence(result, one)));
    }
    if !result.not_there.is_empty() {
        findings.push(format!(
            "not judged, since the runs do not have it: {}",
            result.not_there.join(", ")
        ));
    }
    let (a, b) = (result.missed(Side::A), result.missed(Side::B));
    if a + b > 0 {
        findings.push(format!(
            "thresholds of the scenario were missed in {a} runs of a and {b} of b"
        ));
    }
    if facts.a == facts.b {
        findings.push("both sides are the same: this is a trial of the gate itself".to_owned());
    }
    match facts.b.kind {
        SideKind::Program => findings.push(
            "each program drove its own load: what differs may be the servers or the load generators"
                .to_owned(),
        ),
        SideKind::Targets => findings.push(
            "the targets were not started anew between runs: what differs may be these processes and \
             not what they were built from"
                .to_owned(),
        ),
        SideKind::Fleet | SideKind::Server => {}
    }
    findings
}

fn left_out(result: &PairsResult, findings: &mut Vec<String>) {
    let bad: Vec<&SideRun> = result.runs.iter().filter(|run| !run.counts()).collect();
    let Some(first) = bad.first() else {
        return;
    };
    let reason = first.reasons.first().map_or("it was cut short", |r| r);
    let of = |side| bad.iter().filter(|run| run.side == side).count();
    findings.push(format!(
        "{} of {} runs count for nothing ({} of a, {} of b), and {} of {} pairs are left out; the first \
         was of {} in turn {}: {reason}",
        bad.len(),
        result.runs.len(),
        of(Side::A),
        of(Side::B),
        result.left_out,
        result.left_out + result.pairs,
        first.side.name(),
        first.turn + 1
    ));
    if result.facts.ended == Some(PairsEnd::Failed) {
        findings.push("that is why it ended".to_owned());
    }
}

/// What is said of one figure.
fn sentence(result: &PairsResult, figure: &PairedFigure) -> String {
    let name = &figure.name;
    let Some(change) = &figure.change else {
        return format!("{name}: no pair has it any more");
    };
    let interval = change.interval_95_fixed_n;
    let interval = interval.map_or_else(String::new, |(low, high)| {
        format!(" ({low:.3} to {high:.3})")
    });
    let ratio = format!("b has {:.3} times that of a{interval}", change.ratio);
    let smallest = 100.0 * result.facts.rule.min_change;
    let after = match (result.facts.rule.look, figure.decided_after) {
        (Look::AfterEachPair, Some(pairs)) => format!(" after {pairs} pairs"),
        _ => String::new(),
    };
    if figure.withheld {
        return format!(
            "{name}: no judgement, since one side against itself was called {}: this machine is not \
             fit for it now; {ratio}",
            figure.control.judgement
        );
    }
    match figure.judgement {
        Judgement::Regressed | Judgement::Improved => {
            let better = match figure.better {
                Better::Lower => "less",
                Better::Higher => "more",
            };
            format!(
                "{name}: {}{after}: {ratio}; {better} is better",
                figure.judgement
            )
        }
        Judgement::Equal => {
            format!("{name}: equal within {smallest:.3} %, which is proved{after}: {ratio}")
        }
        Judgement::Undecided => {
            let seen = match figure.smallest_change_seen {
                Some(change) => {
                    format!("a change of {:.1} % would have been called", 100.0 * change)
                }
                None => {
                    let fewest = result.facts.rule.fewest_pairs(result.figures.len());
                    format!("no change is called before {fewest} pairs")
                }
            };
            format!("{name}: undecided: {ratio}; {seen}")
        }
    }
}
