use serde::Serialize;

use super::welch;

/// Points of a window in which changes are looked for.
const WINDOW: usize = 50;
/// Fewest points on either side of a change.
const SIDE_MIN: usize = 3;
/// A change stays if Welch's test finds its sides this unlikely to be the same.
const P_MAX: f64 = 0.001;
/// While windows are split weaker changes are let through, since a change that is still to be found spoils
/// the sides of this one.
const P_MAX_FIRST: f64 = 10.0 * P_MAX;
/// A change stays if it is at least this share of the mean before it.
const CHANGE_MIN: f64 = 0.02;

/// Where a series changes its level.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ChangePoint {
    /// Position of the first value of the new level.
    pub index: usize,
    /// Mean from the change before it, or the start, to it.
    pub before: f64,
    /// Mean from it to the change after it, or the end.
    pub after: f64,
    /// Probability of such a difference between values of one level (Welch's t-test, two-sided).
    pub p_value: f64,
}

impl ChangePoint {
    /// The new level over the old one, less 1; `None` after a level of 0.
    pub fn change(&self) -> Option<f64> {
        let change = (self.after - self.before) / self.before.abs();
        change.is_finite().then_some(change)
    }

    fn between(series: &[f64], from: usize, index: usize, to: usize) -> Self {
        let (before, after) = (&series[from..index], &series[index..to]);
        Self {
            index,
            before: mean(before),
            after: mean(after),
            p_value: welch::p_value(before, after),
        }
    }

    /// How large it is for a reader, as a share; what rises from 0 is larger than any share.
    fn size(&self) -> f64 {
        self.change().map_or(f64::INFINITY, f64::abs)
    }
}

/// The points at which a series changes its level, rising. The same series has the same ones whenever
/// they are looked for: nothing is drawn at random.
///
/// E-divisive (Matteson and James, "A nonparametric approach for multiple change point analysis of
/// multivariate data", Journal of the American Statistical Association 109, 2014) with the energy
/// distance of exponent 1: a stretch is split at the point that makes
///
/// `Q = (2/(n+m)) sum |x_i - y_j| - (nm/(n+m)) (mean |x_i - x_k| + mean |y_j - y_l|)`
///
/// largest, with the means over all pairs of different values, `n` values `x` before and `m` values `y`
/// after it. As in Hunter (Fleming et al., ICPE 2023;
/// Apache Otava) it is done in windows that overlap, with Welch's test in place of permutations: a
/// window is split while p < 0.01, then the weakest change is taken out and the sides of its
/// neighbours are joined, until p < 0.001 and the level changes by 2 % at each.
///
/// The split that is tested is the best of many, so p says less than it seems to: of series of 100 values
/// without any change about one in ten shows one (simulated). Either side needs 3 values, so a change shows when it has lasted 3 of them. A series with a value
/// that is not finite has no points.
pub fn change_points(series: &[f64]) -> Vec<ChangePoint> {
    if !series.iter().all(|value| value.is_finite()) {
        return Vec::new();
    }
    let mut found = candidates(series);
    loop {
        let points = points(series, &found);
        let weakest = |key: fn(&ChangePoint) -> f64| {
            let positions = points.iter().enumerate();
            positions.max_by(|(_, a), (_, b)| key(a).total_cmp(&key(b)))
        };
        let unlikely = weakest(|point| point.p_value).filter(|(_, point)| point.p_value >= P_MAX);
        let small = || weakest(|point| -point.size()).filter(|(_, p)| p.size() < CHANGE_MIN);
        let Some((position, _)) = unlikely.or_else(small) else {
            return points;
        };
        found.remove(position);
    }
}

/// Each change with the levels between its neighbours.
fn points(series: &[f64], found: &[usize]) -> Vec<ChangePoint> {
    (0..found.len())
        .map(|at| {
            let from = at.checked_sub(1).map_or(0, |before| found[before]);
            let to = found.get(at + 1).copied().unwrap_or(series.len());
            ChangePoint::between(series, from, found[at], to)
        })
        .collect()
}

/// Where windows split, rising. The next window begins at the last change of this one, or half a
/// window on.
fn candidates(series: &[f64]) -> Vec<usize> {
    let (mut found, mut start) = (Vec::new(), 0);
    while start < series.len() {
        let end = (start + WINDOW).min(series.len());
        let mut here = Vec::new();
        split(series, start, end, &mut here);
        here.sort_unstable();
        let last = here.last().copied().unwrap_or(0);
        // A window that overlaps may find the change of the one before a little beside it.
        here.retain(|index| found.iter().all(|old| index.abs_diff(*old) >= SIDE_MIN));
        found.extend(here);
        if end == series.len() {
            break;
        }
        start = last.max(start + WINDOW / 2);
    }
    found.sort_unstable();
    found
}

fn split(series: &[f64], from: usize, to: usize, found: &mut Vec<usize>) {
    let Some(index) = best_split(&series[from..to]) else {
        return;
    };
    let index = from + index;
    if welch::p_value(&series[from..index], &series[index..to]) < P_MAX_FIRST {
        found.push(index);
        split(series, from, index, found);
        split(series, index, to, found);
    }
}

/// The split with the largest Q; `None` where there is no room for one, or every value is the same.
fn best_split(series: &[f64]) -> Option<usize> {
    let n = series.len();
    // Sums of |x_i - x_k| over all pairs on the left, on the right, and across.
    let distance = |i: usize, k: usize| (series[i] - series[k]).abs();
    let to_all = |i: usize| (0..n).map(|k| distance(i, k)).sum::<f64>();
    let mut right = (0..n).map(to_all).sum::<f64>() / 2.0;
    let (mut left, mut across) = (0.0, 0.0);
    let mut best = (0.0, None);
    for moved in 0..n {
        // One value goes from the right to the left.
        let to_left: f64 = (0..moved).map(|k| distance(moved, k)).sum();
        let to_right: f64 = (moved + 1..n).map(|k| distance(moved, k)).sum();
        left += to_left;
        right -= to_right;
        across += to_right - to_left;
        let (x, y) = (moved + 1, n - moved - 1);
        if x < SIDE_MIN || y < SIDE_MIN {
            continue;
        }
        let (x, y) = (x as f64, y as f64);
        let within = left / (x * (x - 1.0) / 2.0) + right / (y * (y - 1.0) / 2.0);
        let q = (2.0 * across - x * y * within) / (x + y);
        // What is left of equal values by rounding is no difference.
        if q > best.0 + 1e-9 * across {
            best = (q, Some(moved + 1));
        }
    }
    best.1
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;

    /// A level of 100 with noise of a standard deviation of `noise` per cent, times what `level` says
    /// of the position.
    fn series(seed: u64, count: usize, noise: f64, level: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut random = Random(seed);
        let mut normal = || (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
        let value = |at| level(at) * (100.0 + noise * normal());
        (0..count).map(value).collect()
    }

    fn indices(series: &[f64]) -> Vec<usize> {
        change_points(series).iter().map(|p| p.index).collect()
    }

    #[test]
    fn a_planted_step_is_found_within_a_few_points() {
        let mut found = 0;
        for seed in 1..=20 {
            let at = 20 + usize::try_from(3 * seed).unwrap();
            let step = |position| if position < at { 1.0 } else { 1.1 };
            let points = change_points(&series(seed, 120, 2.0, step));
            let near = |p: &&ChangePoint| p.index.abs_diff(at) <= 2;
            let hit = points.iter().find(near);
            found += usize::from(hit.is_some_and(|p| (p.change().unwrap() - 0.1).abs() < 0.03));
        }
        assert!(found >= 19, "{found} of 20");
    }

    #[test]
    fn a_series_without_a_step_has_hardly_any() {
        // The split is the best of many, so p < 0.001 is no promise of one in a thousand.
        let series = (1..=100).map(|seed| indices(&series(seed, 100, 3.0, |_| 1.0)));
        let with = series.filter(|points| !points.is_empty()).count();
        assert!(with <= 12, "{with} of 100");
    }

    #[test]
    fn every_one_of_several_steps_is_found() {
        // A rise, half of it given back, and a fall below the first level, over several windows.
        let level = |at| match at {
            0..40 => 1.0,
            40..75 => 1.3,
            75..130 => 1.15,
            _ => 0.9,
        };
        for seed in 1..=10 {
            let found = indices(&series(seed, 170, 2.0, level));
            let near = |at: usize| found.iter().any(|index| index.abs_diff(at) <= 2);
            assert!([40, 75, 130].into_iter().all(near), "{seed}: {found:?}");
            assert!(found.len() <= 4, "{seed}: {found:?}");
        }
    }

    #[test]
    fn a_hump_in_one_window_has_two_ends() {
        let level = |at| if (20..30).contains(&at) { 1.5 } else { 1.0 };
        for seed in 1..=10 {
            let found = indices(&series(seed, 50, 2.0, level));
            let both = found.contains(&20) && found.contains(&30);
            assert!(both && found.len() <= 3, "{seed}: {found:?}");
        }
    }

    #[test]
    fn a_single_outlier_is_no_new_level() {
        let level = |at| if at == 25 { 4.0 } else { 1.0 };
        for seed in 1..=10 {
            assert_eq!(indices(&series(seed, 50, 2.0, level)), [0; 0], "{seed}");
        }
    }

    #[test]
    fn a_change_too_small_to_matter_is_left_out() {
        let step = |by: f64| move |at| if at < 30 { 1.0 } else { by };
        assert_eq!(indices(&series(1, 60, 0.01, step(1.015))), [0; 0]);
        assert_eq!(indices(&series(1, 60, 0.01, step(1.03))), [30]);
    }

    #[test]
    fn series_without_noise_are_no_trouble() {
        assert_eq!(indices(&[5.0; 60]), [0; 0]);
        let exact: Vec<f64> = (0..60).map(|at| if at < 30 { 0.0 } else { 7.0 }).collect();
        let points = change_points(&exact);
        assert_eq!((points.len(), points[0].index), (1, 30));
        assert_eq!((points[0].change(), points[0].p_value), (None, 0.0));
    }

    #[test]
    fn what_is_too_short_or_not_finite_has_none() {
        for short in [&[][..], &[1.0], &[1.0, 1.0, 9.0, 9.0, 9.0]] {
            assert_eq!(indices(short), [0; 0]);
        }
        let mut broken = series(1, 60, 1.0, |at| if at < 30 { 1.0 } else { 2.0 });
        assert_eq!(indices(&broken), [30]);
        broken[3] = f64::NAN;
        assert_eq!(indices(&broken), [0; 0]);
    }
}
