use loadgen_measure::{AgainstBase, BackendsResult};

use crate::summary::{Role, Text};
use crate::table::Table;
use crate::units::{NOTHING, counted, or_nothing, range_ns, time_ns};

pub(super) fn write(text: &mut Text, result: &BackendsResult) {
    head(text, result);
    figures(text, result);
    ranks(text, result);
    text.heading("What this says");
    for finding in &result.findings {
        text.sentence("-", Role::Quiet, finding);
    }
}

fn head(text: &mut Text, result: &BackendsResult) {
    let facts = &result.facts;
    let turns = result.runs.iter().map(|run| run.turn + 1).max();
    let ended = match (facts.interrupted, facts.partial) {
        (true, _) => ", interrupted",
        (false, true) => ", still going on",
        (false, false) => "",
    };
    let mut algorithms: Vec<&str> = facts.contenders.iter().map(|c| &*c.algorithm).collect();
    algorithms.dedup();
    text.line(&format!(
        "{}: {} of {} in {}{ended}",
        facts.scenario.name,
        counted(facts.contenders.len() as u64, "contender"),
        algorithms.join(", "),
        counted(turns.unwrap_or(0), "turn")
    ));
    text.sentence("", Role::Quiet, &facts.environment.fingerprint);
}

/// A block of rows for each figure, a row for each contender that has it.
fn figures(text: &mut Text, result: &BackendsResult) {
    let Some(base) = result.base else {
        return;
    };
    text.heading(&format!(
        "Medians over turns, and times the base ({}); intervals are of 95 %, each by itself",
        result.name(base)
    ));
    let head = [
        "",
        "",
        "turns",
        "median",
        "interval",
        "times base",
        "interval",
    ];
    let mut table = Table::new(2, &head);
    for figure in &result.figures {
        let mut name = figure.figure.name();
        for one in &figure.contenders {
            let against = one.against_base.as_ref();
            table.row(vec![
                std::mem::take(&mut name).to_owned(),
                result.name(one.contender),
                one.turns.to_string(),
                time_ns(one.median_ns),
                or_nothing(one.interval_95_ns, |(low, high)| {
                    range_ns(low.round() as u64, high.round() as u64)
                }),
                match against {
                    Some(against) => ratio(against),
                    None if one.contender == base => "base".to_owned(),
                    None => NOTHING.to_owned(),
                },
                match against {
                    Some(against) => or_nothing(against.interval_95, |(low, high)| {
                        format!("{low:.3}-{high:.3}")
                    }),
                    None => String::new(),
                },
            ]);
        }
    }
    text.table(&table);
    let level = format!(
        "~: not told apart from the base. That takes {} turns and an interval of {:.1} % that leaves out 1: \
         95 % widened for the number of pairs.",
        result.turns_needed,
        100.0 * result.level
    );
    text.sentence("", Role::Quiet, &level);
}

fn ratio(against: &AgainstBase) -> String {
    let mark = if against.told_apart { "" } else { "~" };
    format!("{mark}{:.3}", against.ratio)
}

fn ranks(text: &mut Text, result: &BackendsResult) {
    text.heading("Order, fastest first");
    for figure in &result.figures {
        let line = match &figure.ranks[..] {
            [] => continue,
            [one] if one.len() == 1 => result.name(one[0]),
            [_] => "not ranked: the intervals tell no one from all others".to_owned(),
            groups => in_order(result, groups),
        };
        text.sentence(&format!("{}:", figure.figure.name()), Role::Quiet, &line);
    }
}

fn in_order(result: &BackendsResult, groups: &[Vec<usize>]) -> String {
    let group = |members: &Vec<usize>| {
        let names: Vec<String> = members.iter().map(|one| result.name(*one)).collect();
        match names.len() {
            1 => names.join(""),
            _ => format!("{} (not told apart)", names.join(" and ")),
        }
    };
    let groups: Vec<String> = groups.iter().map(group).collect();
    groups.join(", then ")
}
