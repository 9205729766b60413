use loadgen_measure::{LimitSpan, RunResult};

use super::axis::Scale;
use super::bins::{Bin, bins};
use super::over_time::{look, plot};
use super::plot::{Line, Plot};
use super::unit::Unit;

/// Admitted and refused attempts second by second, with the limit; nothing where none was refused.
pub(crate) fn plot_of(result: &RunResult, most: u64) -> Plot {
    let limits = result.rate_limit.as_ref().map(|rates| &rates.limits);
    let was_refused = result.seconds.iter().any(|second| second.refused > 0);
    let seconds = match was_refused {
        true => &result.seconds[..],
        false => &[],
    };
    let bins = bins(seconds, most);
    let line = |label: &str, n: usize, value: &dyn Fn(&Bin<'_>) -> f64| Line {
        label: label.to_owned(),
        marker_step: 1,
        look: look(n, bins.len()),
        points: bins.iter().map(|bin| (bin.from, value(bin))).collect(),
    };
    let mut lines = vec![
        line("admitted", 0, &|bin| bin.mean(|second| second.ok)),
        line("refused", 2, &|bin| bin.mean(|second| second.refused)),
    ];
    if let Some(limits) = limits.filter(|limits| !limits.is_empty()) {
        let at = |bin: &Bin<'_>| limit_at(limits, bin.from);
        let mut limit = line("limit of all", 1, &at);
        limit.look = limit.look.unmarked();
        lines.push(limit);
    }
    plot(
        result,
        most,
        "admitted and refused attempts over time",
        "Attempts that a rate limit admitted and refused in each second of the run, and the rate that \
         it is meant to admit to all principals together.",
        ("attempts per second", Scale::Linear, Unit::Number),
        lines,
    )
}

/// The limit that held when a second began; not a number where none is known, which breaks the line.
fn limit_at(limits: &[LimitSpan], second: f64) -> f64 {
    let begun = limits.iter().rev().find(|span| span.from_s <= second);
    begun.and_then(|span| span.limit_per_s).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_holds_from_the_second_that_begins_after_its_change() {
        let span = |from_s, limit_per_s| LimitSpan {
            from_s,
            limit_per_s,
        };
        let limits = [
            span(0.0, Some(20.0)),
            span(4.5, Some(40.0)),
            span(8.0, None),
        ];
        for (second, limit) in [(0.0, 20.0), (4.0, 20.0), (5.0, 40.0), (7.0, 40.0)] {
            assert_eq!(limit_at(&limits, second), limit);
        }
        assert!(limit_at(&limits, 8.0).is_nan());
    }
}
