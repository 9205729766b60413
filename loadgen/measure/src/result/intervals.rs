use std::collections::BTreeMap;

use super::figures::QuantileIntervals;
use crate::buckets::{Buckets, Pool};
use crate::finished::Series;
use crate::seconds::{Seconds, Unread};
use crate::stats::{Beside, Pooled, Ranks, ratio_width};

const QUANTILES: [f64; 4] = QuantileIntervals::QUANTILES;

/// 95 % intervals of the quantiles of every series.
pub(crate) type Intervals = BTreeMap<Series, QuantileIntervals>;

/// Half-widths of the 95 % intervals of ln(quantile of a retry over that of round 0), of the quantiles 0.5
/// and 0.99, by round; `None` is all retries together.
pub(crate) type Ratios = BTreeMap<Option<u16>, [Option<f64>; 2]>;

/// The quantiles of [`Ratios`] among those of intervals.
const IN_RATIOS: [usize; 2] = [0, 2];

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
) -> (Intervals, Ratios, Vec<Unread>) {
    let mut pools: BTreeMap<Series, Pool> = BTreeMap::new();
    let mut retries = Pool::default();
    let unread = samples.read(|second, series, buckets| {
        if seconds.binary_search(&second).is_ok() {
            pools.entry(series).or_default().add(buckets);
            if let Series::Round(1..) = series {
                retries.add(buckets);
            }
        }
        see(second, series, buckets);
    });
    let pools = pools.into_iter();
    let mut wholes: BTreeMap<Series, Whole> = pools
        .map(|(series, pool)| (series, Whole::new(&pool, seconds.len())))
        .collect();
    let mut retries = Whole::new(&retries, seconds.len());
    // What cannot be read now could not be read before.
    let _ = samples.read(|second, series, buckets| {
        if let (Ok(place), Some(whole)) = (seconds.binary_search(&second), wholes.get_mut(&series))
        {
            whole.seconds[place] = whole.beside(buckets);
            if let Series::Round(1..) = series {
                retries.add(place, buckets);
            }
        }
    });
    let ratios = ratios(&wholes, &retries);
    let wholes = wholes.into_iter();
    let intervals = wholes.map(|(series, whole)| (series, whole.intervals()));
    (intervals.collect(), ratios, unread)
}

/// Of every retry, and of all together, over round 0.
fn ratios(wholes: &BTreeMap<Series, Whole>, retries: &Whole) -> Ratios {
    let Some(first) = wholes.get(&Series::Round(0)) else {
        return Ratios::new();
    };
    let first = IN_RATIOS.map(|nth| first.ranks(nth));
    let widths = |whole: &Whole| {
        let mut each = IN_RATIOS.into_iter().zip(&first).map(|(nth, first)| {
            let width = |ranks| Some(ratio_width(&ranks, first.as_ref()?, QUANTILES[nth]));
            whole.ranks(nth).and_then(width)
        });
        [each.next().flatten(), each.next().flatten()]
    };
    let rounds = wholes.iter().filter_map(|(series, whole)| match series {
        Series::Round(round @ 1..) => Some((Some(*round), widths(whole))),
        _ => None,
    });
    rounds.chain([(None, widths(retries))]).collect()
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

    /// Adds what a second has to what it has of other series.
    fn add(&mut self, place: usize, second: &Buckets) {
        let more = self.beside(second);
        for (sum, more) in self.seconds[place].iter_mut().zip(more) {
            sum.count += more.count;
            sum.above += more.above;
        }
    }

    fn ranks(&self, nth: usize) -> Option<Ranks> {
        let seconds = self.seconds.iter().map(|second| second[nth]);
        Ranks::of(&self.all, seconds, QUANTILES[nth])
    }

    fn intervals(&self) -> QuantileIntervals {
        let nth = [0, 1, 2, 3];
        QuantileIntervals::new(nth.map(|nth| Some(self.ranks(nth)?.interval())))
    }
}
