use std::time::Instant;

/// How many times longer one thing takes than another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The median over rounds.
    pub median: f64,
    /// The first quartile over rounds.
    pub low: f64,
    /// The third quartile over rounds.
    pub high: f64,
    /// The median time of the first thing, in nanoseconds.
    pub ns: f64,
}

/// Times `a` and `b` in turn, `rounds` times, the order swapped every round, and compares them round
/// by round, so that a change of the machine's speed between rounds cancels.
///
/// Each is called with a number of repetitions to run and says how many nanoseconds they took: it
/// leaves out its own preparations.
pub fn compare(
    rounds: usize,
    repeats: usize,
    a: &mut dyn FnMut(usize) -> f64,
    b: &mut dyn FnMut(usize) -> f64,
) -> Ratio {
    a(repeats);
    b(repeats);
    let mut ratios = Vec::with_capacity(rounds);
    let mut times = Vec::with_capacity(rounds);
    for round in 0..rounds {
        let (of_a, of_b) = if round % 2 == 0 {
            let of_a = a(repeats);
            (of_a, b(repeats))
        } else {
            let of_b = b(repeats);
            (a(repeats), of_b)
        };
        ratios.push(of_a / of_b);
        times.push(of_a / repeats as f64);
    }
    ratios.sort_by(f64::total_cmp);
    times.sort_by(f64::total_cmp);
    Ratio {
        median: quantile(&ratios, 0.5),
        low: quantile(&ratios, 0.25),
        high: quantile(&ratios, 0.75),
        ns: quantile(&times, 0.5),
    }
}

/// The nearest-rank quantile of sorted values; `NaN` of none.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let rank = (q * sorted.len() as f64).ceil() as usize;
    sorted
        .get(rank.saturating_sub(1))
        .copied()
        .unwrap_or(f64::NAN)
}

/// Nanoseconds that `work` takes.
pub fn time(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_nanos() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_of_the_times_reported() {
        let mut calls = 0;
        let ratio = compare(
            5,
            10,
            &mut |n| {
                calls += 1;
                n as f64 * 30.0
            },
            &mut |n| n as f64 * 20.0,
        );
        assert_eq!(calls, 6, "one call to warm up");
        assert_eq!(
            ratio,
            Ratio {
                median: 1.5,
                low: 1.5,
                high: 1.5,
                ns: 30.0
            }
        );
    }

    #[test]
    fn quantiles_are_nearest_ranks() {
        let sorted = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(
            [0.0, 0.25, 0.5, 0.75, 1.0].map(|q| quantile(&sorted, q)),
            [1.0, 1.0, 2.0, 3.0, 4.0]
        );
        assert!(quantile(&[], 0.5).is_nan());
    }
}
