use loadgen_measure::{LatencyFigures, RunResult, ThrottleResult};

use super::text::{Role, Text};
use crate::table::Table;
use crate::units::{or_nothing, three_digits, time_ns};

/// Rate limits and new attempts, where there were any or the scenario names a limit.
pub(crate) fn write(text: &mut Text, result: &RunResult) {
    let Some(throttle) = &result.throttle else {
        return;
    };
    if throttle.refused + throttle.new_attempts == 0 && throttle.limit_per_s.is_none() {
        return;
    }
    let limited = throttle.refused > 0 || throttle.limit_per_s.is_some();
    let counts = format!(
        "{} new attempts, {} attempts wasted",
        throttle.new_attempts, throttle.wasted_attempts
    );
    text.heading(&match limited {
        true => format!(
            "Rate limits: {} attempts refused, {counts}",
            throttle.refused
        ),
        false => format!("New attempts, none after a rate limit: {counts}"),
    });
    signals(text, throttle);
    waits(text, throttle);
    attempts(text, throttle);
    if limited {
        rates(text, throttle);
    }
}

fn signals(text: &mut Text, throttle: &ThrottleResult) {
    if throttle.signals.is_empty() {
        return;
    }
    let head = ["said by", "replica", "count", "told a wait", "guessed"];
    let mut table = Table::new(1, &head);
    for signal in &throttle.signals {
        table.row(vec![
            signal.signal.to_string(),
            signal.replica.to_string(),
            signal.count.to_string(),
            signal.told_a_wait.to_string(),
            signal.guessed.to_string(),
        ]);
    }
    text.table(&table);
}

fn waits(text: &mut Text, throttle: &ThrottleResult) {
    let times = |figures: &LatencyFigures| {
        format!(
            "p50 {}, p99 {}, max {}",
            time_ns(figures.p50_ns as f64),
            time_ns(figures.p99_ns as f64),
            time_ns(figures.max_ns as f64)
        )
    };
    if let Some(waited) = &throttle.waited {
        let line = format!("{}; in response times, in no service time", times(waited));
        text.sentence("waited:", Role::Quiet, &line);
    }
    if let Some(told) = &throttle.told {
        text.sentence("waits told:", Role::Quiet, &times(told));
    }
    for (count, what) in [
        (throttle.clipped_waits, "waits too long to be taken"),
        (throttle.unreadable_waits, "waits that cannot be read"),
        (
            throttle.budget_refusals,
            "attempts that the retry budget did not allow",
        ),
    ] {
        if count > 0 {
            text.sentence("!", Role::Warning, &format!("{what}: {count}"));
        }
    }
    if let Some(recovery) = &throttle.recovery {
        let line = format!("{} from refusing to admitting again", times(recovery));
        text.sentence("recovery:", Role::Quiet, &line);
    }
}

fn attempts(text: &mut Text, throttle: &ThrottleResult) {
    let attempts: Vec<String> = throttle
        .rounds_by_attempts
        .iter()
        .map(|(attempts, rounds)| format!("{rounds} took {attempts}"))
        .collect();
    if !attempts.is_empty() {
        let burst = throttle.burst_factor.map(three_digits);
        let burst = burst.map(|factor| {
            format!("; the busiest 100 ms had {factor} times its even share of new ones")
        });
        let line = attempts.join(", ") + &burst.unwrap_or_default();
        text.sentence("attempts of rounds:", Role::Quiet, &line);
    }
}

fn rates(text: &mut Text, throttle: &ThrottleResult) {
    let when = match throttle.refused {
        0 => "and none was refused",
        _ => "from the first refusal on",
    };
    let mut line = format!(
        "{} rounds/s ended well {when}",
        or_nothing(throttle.admitted_per_s, three_digits)
    );
    if let (Some(limit), Some(ratio)) = (throttle.limit_per_s, throttle.admitted_over_limit) {
        line += &format!(
            ", {} times the limit of {}/s",
            three_digits(ratio),
            three_digits(limit)
        );
    }
    text.sentence("admitted:", Role::Quiet, &line);
}
