use super::change::Draft;
use super::obstacle::ok;
use super::side::failures;
use crate::stats::{excess_variance, mean};
use crate::{Judgement, RunResult};

/// The throughput of both runs. Its ratio is judged by the rounds that ended well in each second: with o
/// those of one second and O their mean, y_s = o_s(B) / O(B) - o_s(A) / O(A) is what second s adds to the
/// logarithm of the ratio (the delta method), and the interval is that of the mean of y from blocks of
/// seconds. Both runs have the same plan, so what a second has because the plan says so is in neither.
pub(super) fn throughput(a: &RunResult, b: &RunResult) -> Draft {
    let values = |result: &RunResult| {
        let value = result.load.throughput_per_s;
        value.filter(|value| value.is_finite() && *value >= 0.0)
    };
    let series = |result: &RunResult| {
        let seconds = measured(result);
        let ok = seconds.map(|second| ok_in(result, second) as f64);
        ok.collect::<Vec<f64>>()
    };
    let half = || {
        let (a, b) = (shares(&series(a))?, shares(&series(b))?);
        let moved: Vec<f64> = a.iter().zip(&b).map(|(a, b)| b - a).collect();
        mean(&moved)?.1
    };
    let sure = match (ok(a), ok(b)) {
        (1.., 0) => Some(Judgement::Regressed),
        (0, 1..) => Some(Judgement::Improved),
        _ => None,
    };
    Draft::with(values(a), values(b), half()).sure(sure)
}

/// The share of ended workflows that did not end well. Where anything failed, its ratio is estimated as
/// (x + 1/2) / (n + 1/2) of B over that of A, which exists also where x, the failures of one side, are 0;
/// its logarithm has the variance 1/(x + 1/2) - 1/(n + 1/2), summed over both (Walter, Biometrika 62, 1975,
/// p. 371). Failures come in heaps, so each side's variance is multiplied by how much more than
/// independent ones the failed rounds of its seconds vary.
pub(super) fn failed(a: &RunResult, b: &RunResult) -> Draft {
    let share = |[failed, ended]: [f64; 2]| (ended > 0.0).then(|| failed / ended);
    let of_a = failures(&a.all.workflows);
    let of_b = failures(&b.all.workflows);
    let draft = Draft::with(share(of_a), share(of_b), None);
    let (Some(heaps_a), Some(heaps_b)) = (heaps(a), heaps(b)) else {
        return draft;
    };
    if of_a[0] + of_b[0] == 0.0 || of_a[1] == 0.0 || of_b[1] == 0.0 {
        return draft;
    }
    let ln = |[failed, ended]: [f64; 2]| ((failed + 0.5) / (ended + 0.5)).ln();
    let variance = |[failed, ended]: [f64; 2], heaps: f64| {
        heaps * (1.0 / (failed + 0.5) - 1.0 / (ended + 0.5))
    };
    let deviation = (variance(of_a, heaps_a) + variance(of_b, heaps_b)).sqrt();
    draft.estimated(ln(of_b) - ln(of_a), 1.959_964 * deviation)
}

/// How many times as much the failed rounds of measured seconds vary as independent ones would, at
/// least 1; `None` with fewer than 20 such seconds.
fn heaps(result: &RunResult) -> Option<f64> {
    let seconds: Vec<(f64, f64)> = measured(result)
        .map(|second| match result.seconds.get(second) {
            Some(second) => (second.failed as f64, second.done as f64),
            None => (0.0, 0.0),
        })
        .collect();
    let sum = |of: fn(&(f64, f64)) -> f64| seconds.iter().map(of).sum::<f64>();
    let (failed, done) = (sum(|second| second.0), sum(|second| second.1));
    let share = if done > 0.0 { failed / done } else { 0.0 };
    let excess: Vec<f64> = seconds.iter().map(|(f, d)| f - share * d).collect();
    let variance = excess_variance(&excess)?;
    let alone = done * share * (1.0 - share);
    let heaps = if alone > 0.0 { variance / alone } else { 1.0 };
    Some(heaps.max(1.0))
}

/// Each value over the mean of all; `None` where that is 0.
fn shares(series: &[f64]) -> Option<Vec<f64>> {
    let mean = series.iter().sum::<f64>() / series.len() as f64;
    (mean > 0.0).then(|| series.iter().map(|value| value / mean).collect())
}

/// Whole seconds in which only headline load was, as positions in the list of seconds.
fn measured(result: &RunResult) -> impl Iterator<Item = usize> {
    let known = result.seconds.len();
    let load_s = result.clock.load_s;
    let spans: Vec<(f64, f64)> = if result.phases.is_empty() {
        vec![(0.0, load_s)]
    } else {
        let phases = result.phases.iter();
        let kept = phases.filter(|phase| !phase.warmup || result.warmup_only);
        kept.map(|phase| (phase.from_s, phase.to_s.min(load_s)))
            .collect()
    };
    let spans = spans.into_iter();
    spans.flat_map(move |(from, to)| from.ceil() as usize..(to.floor() as usize).min(known))
}

fn ok_in(result: &RunResult, second: usize) -> u64 {
    result.seconds.get(second).map_or(0, |second| second.ok)
}
