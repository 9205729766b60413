use super::compare::AgainstBase;
use super::figure::Figure;
use super::{BackendsResult, TurnRun};

/// What can be said about the contenders, and what cannot.
pub(super) fn findings(result: &BackendsResult) -> Vec<String> {
    let mut findings = Vec::new();
    for (contender, facts) in result.facts.contenders.iter().enumerate() {
        if let Some(why) = &facts.failed {
            findings.push(format!("{} was left out: {why}", result.name(contender)));
        }
    }
    let left_out = result.runs.iter().filter(|run| !run.counts());
    let left_out: Vec<&TurnRun> = left_out.collect();
    if let Some(first) = left_out.first() {
        let reason = first.reasons.first().map_or("it was cut short", |r| r);
        findings.push(format!(
            "{} of {} runs count for nothing, as that of {} in turn {}: {reason}",
            left_out.len(),
            result.runs.len(),
            result.name(first.contender),
            first.turn + 1
        ));
    }
    let Some(base) = result.base else {
        findings.push("no run counts, so there is nothing to compare".to_owned());
        return findings;
    };
    if result.figures.is_empty() {
        findings.push("no server said what opening and sealing took (Server-Timing)".to_owned());
        return findings;
    }
    let others = (0..result.facts.contenders.len()).filter(|&contender| contender != base);
    let others: Vec<usize> = others.filter(|&one| result.counted(one) > 0).collect();
    let fewest = others.iter().chain([&base]).map(|&one| result.counted(one));
    if others.is_empty() {
        findings.push(format!("only {} ran", result.name(base)));
    } else if fewest.min() < Some(result.turns_needed) {
        findings.push(format!(
            "nothing is ranked: to tell {} contenders apart takes at least {} turns each",
            others.len() + 1,
            result.turns_needed
        ));
    } else {
        findings.extend(others.iter().filter_map(|&one| sentence(result, one, base)));
    }
    findings
}

/// How a contender stands to the base, in what the server says and in what the client sees.
fn sentence(result: &BackendsResult, contender: usize, base: usize) -> Option<String> {
    let against = |figure| {
        let figure = result.figure(figure)?;
        figure.contender(contender)?.against_base.as_ref()
    };
    let server = against(Figure::OpenAndSealP50)?;
    let round = against(Figure::ServiceP50)?;
    let (name, base) = (result.name(contender), result.name(base));
    let sealing = times(server);
    let whole = times(round);
    Some(match (server.told_apart, round.told_apart) {
        (true, false) => format!(
            "{name} against {base}: opening and sealing take {sealing}, but the whole round does not \
             show it: {whole} is inside the noise"
        ),
        (true, true) => format!(
            "{name} against {base}: opening and sealing take {sealing}, and the whole round takes {whole}"
        ),
        (false, false) => format!(
            "{name} and {base} are not told apart: opening and sealing take {sealing}, the whole round \
             {whole}"
        ),
        (false, true) => format!(
            "{name} against {base}: the whole round takes {whole}, which opening and sealing do not \
             explain: {sealing} is inside the noise"
        ),
    })
}

fn times(against: &AgainstBase) -> String {
    match against.interval {
        Some((low, high)) => format!("{:.3} times as long ({low:.3} to {high:.3})", against.ratio),
        None => format!("{:.3} times as long", against.ratio),
    }
}
