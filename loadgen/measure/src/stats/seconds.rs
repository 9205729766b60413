//! Intervals of seconds that are all there, for tests.

use crate::stats::{Beside, Pooled, Ranks};

/// Each value of one second with its count, rising.
pub(super) type Second = Vec<(u64, u64)>;

pub(super) fn interval(seconds: &[Second], p: f64) -> Option<(u64, u64)> {
    ranks(seconds, p).map(|ranks| ranks.interval())
}

pub(super) fn ranks(seconds: &[Second], p: f64) -> Option<Ranks> {
    let all = pooled(seconds);
    let x = all.at(p);
    Ranks::of(&all, seconds.iter().map(|second| beside(second, x)), p)
}

pub(super) fn pooled(seconds: &[Second]) -> Pooled {
    let mut values = seconds.concat();
    values.sort_unstable_by_key(|(value, _)| *value);
    values.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        kept.1 += if same { later.1 } else { 0 };
        same
    });
    Pooled::new(values)
}

fn beside(second: &Second, x: u64) -> Beside {
    let half = |value| match u64::cmp(&value, &x) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 1.0,
    };
    Beside {
        count: second.iter().map(|(_, count)| count).sum(),
        above: second
            .iter()
            .map(|&(v, count)| half(v) * count as f64)
            .sum(),
    }
}
