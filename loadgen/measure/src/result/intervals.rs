use std::collections::BTreeMap;

use super::figures::QuantileIntervals;
use crate::buckets::{Buckets, Pool};
use crate::finished::Series;
use crate::seconds::{Seconds, Unread};
use crate::stats::{Beside, Pooled, interval};

const QUANTILES: [f64; 4] = QuantileIntervals::QUANTILES;

/// 95 % intervals of the quantiles of every series.
pub(crate) type Intervals = BTreeMap<Series, QuantileIntervals>;

/// All of a series together, and where its quantiles are.
struct Whole {
    all: Pooled,
    quantiles_ns: [u64; 4],
    /// One for each second that is looked at.
    seconds: Vec<[Beside; 4]>,
}

/// The intervals over these seconds, which rise, of every series that has times in them. The seconds
/// are read twice, one after the other: what all of them hold together gives the quantiles, which
/// each one is then held against. `see` is shown everything in the first pass. Gives what could not be
/// read beside them.
pub(crate) fn intervals(
    samples: &Seconds,
    seconds: &[usize],
    mut see: impl FnMut(usize, Series, &Buckets),
) -> (Intervals, Vec<Unread>) {
    let mut pools: BTreeMap<Series, Pool> = BTreeMap::new();
    let unread = samples.read(|second, series, buckets| {
        if seconds.binary_search(&second).is_ok() {
            pools.entry(series).or_default().add(buckets);
        }
        see(second, series, buckets);
    });
    let pools = pools.into_iter();
    let mut wholes: BTreeMap<Series, Whole> = pools
        .map(|(series, pool)| (series, Whole::new(&pool, seconds.len())))
        .collect();
    // What cannot be read now could not be read before.
    let _ = samples.read(|second, series, buckets| {
        if let (Ok(place), Some(whole)) = (seconds.binary_search(&second), wholes.get_mut(&series))
        {
            whole.seconds[place] = whole.beside(buckets);
        }
    });
    let wholes = wholes.into_iter();
    let intervals = wholes.map(|(series, whole)| (series, whole.intervals()));
    (intervals.collect(), unread)
}

impl Whole {
    fn new(pool: &Pool, seconds: usize) -> Self {
        let all = Pooled::new(pool.values());
        Self {
            quantiles_ns: QUANTILES.map(|p| all.at(p)),
            all,
            seconds: vec![[Beside::default(); 4]; seconds],
        }
    }

    fn beside(&self, second: &Buckets) -> [Beside; 4] {
        self.quantiles_ns.map(|ns| Beside {
            count: second.count(),
            above: second.above(ns),
        })
    }

    fn intervals(&self) -> QuantileIntervals {
        let mut nth = 0;
        QuantileIntervals::new(QUANTILES.map(|p| {
            let seconds = self.seconds.iter().map(|second| second[nth]);
            let interval = interval(&self.all, seconds, p);
            nth += 1;
            interval
        }))
    }
}
