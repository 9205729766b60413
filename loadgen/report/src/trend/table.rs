use loadgen_measure::Trend;

use super::{commit, percent};
use crate::compare::role;
use crate::summary::{Role, Text};
use crate::table::Table;
use crate::units::{counted, six_digits};

/// Values that are shown: the newest.
const SHOWN: usize = 30;

pub(super) fn write(text: &mut Text, trend: &Trend) {
    let of = trend.scenario.as_ref();
    let of = of.map_or_else(String::new, |scenario| format!(" of {scenario}"));
    text.heading(&format!(
        "{}{of}: {}",
        trend.name,
        counted(trend.points.len() as u64, "value")
    ));
    text.sentence("", Role::Quiet, &trend.machine);
    let hidden = trend.points.len().saturating_sub(SHOWN);
    if hidden > 0 {
        let note = format!("the newest {SHOWN}; {hidden} older ones are not shown");
        text.sentence("", Role::Quiet, &note);
    }
    let mut table = Table::new(3, &["run", "measured", "commit", "value", "change"]);
    for (index, point) in trend.points.iter().enumerate().skip(hidden) {
        let change = trend.changes.iter().find(|change| change.index == index);
        let change = change.map(|change| percent(change.change()));
        let jump = trend.jumps.iter().find(|jump| jump.index == index);
        let change = change.or_else(|| jump.map(|jump| percent(Some(jump.change))));
        table.row(vec![
            point.id.to_string(),
            point.at.chars().take(10).collect(),
            commit(point),
            six_digits(point.value),
            change.unwrap_or_default(),
        ]);
    }
    text.table(&table);
    changes(text, trend);
}

fn changes(text: &mut Text, trend: &Trend) {
    text.heading("Changes");
    for change in &trend.changes {
        let point = &trend.points[change.index];
        let sentence = format!(
            "at {} (run {}): {}, {}, from {} to {} (Welch's test: p = {:.1e})",
            commit(point),
            point.id,
            trend.judgement(change.after - change.before),
            percent(change.change()),
            six_digits(change.before),
            six_digits(change.after),
            change.p_value
        );
        text.sentence(
            "-",
            role(trend.judgement(change.after - change.before)),
            &sentence,
        );
    }
    for jump in &trend.jumps {
        let point = &trend.points[jump.index];
        let sentence = format!(
            "at {} (count {}): {}, {}, more than the {:.2} % that its past explains",
            commit(point),
            point.id,
            trend.judgement(jump.change),
            percent(Some(jump.change)),
            100.0 * jump.fence
        );
        text.sentence("-", role(trend.judgement(jump.change)), &sentence);
    }
    if trend.changes.is_empty() && trend.jumps.is_empty() {
        text.sentence("", Role::Quiet, "none that these values show");
    }
}
