use loadgen_measure::{RateLimitResult, RunResult};

use super::text::{Role, Text};
use crate::table::Table;
use crate::units::{or_nothing, percent, three_digits};

/// What a limit admitted against what it is meant to, where one refused or is known.
pub(crate) fn write(text: &mut Text, result: &RunResult) {
    let Some(rates) = &result.rate_limit else {
        return;
    };
    let mode = rates.mode.map_or(String::new(), |mode| {
        format!(" (replicas say: {})", mode.name())
    });
    text.heading(&format!("Limit and admitted rate{mode}"));
    text.sentence("", Role::Quiet, &format!("{}.", rates.sentence()));
    phases(text, rates);
    all(text, rates);
    principals(text, rates);
    cost(text, result, rates);
}

fn phases(text: &mut Text, rates: &RateLimitResult) {
    if rates.phases.is_empty() {
        return;
    }
    let head = [
        "phase",
        "limit/s",
        "admitted/s",
        "refused/s",
        "over limit",
        "fairness",
    ];
    let mut table = Table::new(1, &head);
    for phase in &rates.phases {
        table.row(vec![
            phase.name.clone(),
            or_nothing(phase.limit_per_s, three_digits),
            or_nothing(phase.admitted_per_s, three_digits),
            or_nothing(phase.refused_per_s, three_digits),
            or_nothing(phase.admitted_over_limit, three_digits),
            or_nothing(phase.fairness, |index| format!("{index:.3}")),
        ]);
    }
    text.table(&table);
}

/// The fleet as a whole.
fn all(text: &mut Text, rates: &RateLimitResult) {
    let line = format!(
        "{}/s admitted of a limit of {}/s, {}/s refused",
        or_nothing(rates.admitted_per_s, three_digits),
        or_nothing(rates.limit_per_s, three_digits),
        or_nothing(rates.refused_per_s, three_digits)
    );
    text.sentence("all together:", Role::Quiet, &line);
}

fn principals(text: &mut Text, rates: &RateLimitResult) {
    if rates.principals < 2 {
        return;
    }
    let each = rates.principal_rates.map_or(String::new(), |each| {
        format!(
            ", admitted {}/s to {}/s each",
            three_digits(each.min_per_s),
            three_digits(each.max_per_s)
        )
    });
    let fairness = or_nothing(rates.fairness, |index| format!("{index:.3}"));
    let line = format!("{}{each}; fairness {fairness} (Jain)", rates.principals);
    text.sentence("principals:", Role::Quiet, &line);
}

/// What the limit cost those who met it.
fn cost(text: &mut Text, result: &RunResult, rates: &RateLimitResult) {
    let load = &result.load;
    let good = or_nothing(load.throughput_per_s, three_digits);
    let goodput = match (load.offered_per_s, rates.goodput_share) {
        (Some(offered), Some(share)) => format!(
            "{good} of {} workflows/s ended well ({})",
            three_digits(offered),
            percent(share)
        ),
        _ => format!("{good} workflows/s ended well"),
    };
    let line = format!(
        "{goodput}; {} of attempts wasted; {} of the time of all workflows was waiting ({} s)",
        or_nothing(rates.wasted_share, percent),
        or_nothing(rates.waited_share, percent),
        three_digits(rates.waited_s)
    );
    text.sentence("goodput:", Role::Quiet, &line);
}
