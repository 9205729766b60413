//! The 40 ms trap: a server that writes a reply in two segments with Nagle's algorithm on (RFC 896)
//! holds the second one back until the first is acknowledged, and the client's kernel delays that
//! acknowledgement by 40 ms on a connection that has been in use (RFC 1122, 4.2.3.2; Linux
//! `TCP_DELACK_MIN`). A new connection acknowledges at once, so its requests are spared.

use super::findings::{Finding, FindingCode};
use crate::{Latency, Outcome, Recorder};

/// Where the delayed acknowledgement shows, in nanoseconds: 40 ms, a tick before, some work after.
const BAND: (u64, u64) = (38_000_000, 50_000_000);
/// As wide as the band, at both sides of it and a little apart.
const BELOW: (u64, u64) = (24_000_000, 36_000_000);
const ABOVE: (u64, u64) = (52_000_000, 64_000_000);
/// Least share of the samples that is a mode.
const LEAST_SHARE: f64 = 0.02;
/// Fewer samples in the band prove nothing.
const LEAST_COUNT: u64 = 20;
/// A mode holds so many times what the bands beside it hold.
const STANDS_OUT: u64 = 4;
/// Half of the replies must come before this, or 40 ms are simply what the server takes.
const MEDIAN_NS: u64 = 20_000_000;
/// Samples on fresh connections that should be in the band, were these no different, before their
/// absence or presence counts: with 5 expected, none comes up in 1 of 148 cases (Poisson).
const TELLING: f64 = 5.0;

/// Names the trap, once, if the service times of any round show it.
pub(crate) fn findings(samples: &Recorder) -> Option<Finding> {
    let kinds = samples.parts.iter().flat_map(|part| &part.kinds);
    let rounds = kinds.flat_map(|kind| &kind.rounds);
    let share = rounds
        .filter_map(|round| {
            let all = round.outcomes.service(Outcome::Ok)?;
            share(all, round.fresh.as_deref())
        })
        .max_by(f64::total_cmp)?;
    Some(Finding::new(
        FindingCode::DelayedAck,
        format!(
            "delayed ACK meets Nagle: {:.0} % of the replies on kept-alive connections took 38 to \
             50 ms and few took nearly as long: set TCP_NODELAY on the server",
            100.0 * share
        ),
    ))
}

/// The share of the samples on kept-alive connections that stand in a mode at 38 to 50 ms which
/// fresh connections do not have; `None` where there is no such mode. `fresh` is the part of `all`
/// that came over new connections.
fn share(all: &Latency, fresh: Option<&Latency>) -> Option<f64> {
    let kept = |range| within(all, range).saturating_sub(fresh.map_or(0, |f| within(f, range)));
    let count = all.count() - fresh.map_or(0, Latency::count);
    let band = kept(BAND);
    let share = band as f64 / count.max(1) as f64;
    let mode = band >= LEAST_COUNT
        && share >= LEAST_SHARE
        && band >= STANDS_OUT * kept(BELOW).max(kept(ABOVE))
        && all.quantile_ns(0.5)? < MEDIAN_NS;
    let spared = fresh.is_none_or(|fresh| {
        let expected = share * fresh.count() as f64;
        expected < TELLING || (within(fresh, BAND) as f64) < expected / 2.0
    });
    (mode && spared).then_some(share)
}

fn within(latency: &Latency, (from, to): (u64, u64)) -> u64 {
    latency
        .buckets()
        .filter(|(ns, _)| (from..=to).contains(ns))
        .map(|(_, count)| count)
        .sum()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{RngExt, SeedableRng};
    use rand_distr::{Distribution, Exp, LogNormal, Normal};

    use super::*;

    /// `count` samples of `draw`, in milliseconds.
    fn drawn(count: u32, mut draw: impl FnMut(&mut Xoshiro256PlusPlus) -> f64) -> Latency {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
        let mut latency = Latency::new();
        for _ in 0..count {
            latency.record(Duration::from_secs_f64(draw(&mut rng).max(0.01) / 1e3));
        }
        latency
    }

    /// A calm server of 1.5 ms whose replies are late with this probability.
    fn trapped(late: f64) -> impl FnMut(&mut Xoshiro256PlusPlus) -> f64 {
        let calm = LogNormal::new(0.4, 0.3).unwrap();
        move |rng| {
            let delay = if rng.random::<f64>() < late {
                40.0 + 4.0 * rng.random::<f64>()
            } else {
                0.0
            };
            calm.sample(rng) + delay
        }
    }

    #[test]
    fn a_planted_mode_is_found_with_its_share() {
        for late in [0.025, 0.11, 0.17, 0.4] {
            let found = share(&drawn(20_000, trapped(late)), None).unwrap();
            assert!((found - late).abs() < 0.01, "{late}: {found}");
        }
    }

    #[test]
    fn too_few_late_replies_are_no_mode() {
        assert_eq!(share(&drawn(20_000, trapped(0.0)), None), None);
        assert_eq!(share(&drawn(20_000, trapped(0.012)), None), None);
        assert_eq!(share(&drawn(100, trapped(0.15)), None), None, "15 samples");
    }

    #[test]
    fn fresh_connections_that_show_it_too_acquit_the_server() {
        let spared = drawn(2_000, trapped(0.0));
        let mut all = drawn(18_000, trapped(0.15));
        all.merge(&spared);
        assert!(share(&all, Some(&spared)).is_some());

        let late_too = drawn(2_000, trapped(0.15));
        let mut all = drawn(18_000, trapped(0.15));
        all.merge(&late_too);
        assert_eq!(share(&all, Some(&late_too)), None);
        assert_eq!(share(&late_too, Some(&late_too)), None, "one per request");
    }

    #[test]
    fn a_few_fresh_connections_prove_nothing_either_way() {
        let few = drawn(32, trapped(0.0));
        let mut all = drawn(18_000, trapped(0.1));
        all.merge(&few);
        assert!(share(&all, Some(&few)).is_some());
    }

    #[test]
    fn broad_distributions_do_not_trigger() {
        let exponential = |mean: f64| {
            let law = Exp::new(1.0 / mean).unwrap();
            drawn(20_000, move |rng| law.sample(rng))
        };
        let normal = |mean: f64, sd: f64| {
            let law = Normal::new(mean, sd).unwrap();
            drawn(20_000, move |rng| law.sample(rng))
        };
        let heavy = LogNormal::new(1.0, 1.6).unwrap();
        for broad in [
            exponential(5.0),
            exponential(15.0),
            exponential(44.0),
            normal(44.0, 2.0),
            normal(44.0, 12.0),
            normal(10.0, 14.0),
            drawn(20_000, move |rng| heavy.sample(rng)),
            drawn(20_000, |rng| 100.0 * rng.random::<f64>()),
            drawn(20_000, |rng| 200.0 * rng.random::<f64>().powi(4)),
        ] {
            assert_eq!(share(&broad, None), None);
        }
    }

    #[test]
    fn other_modes_do_not_trigger() {
        let with_mode = |at: f64| {
            drawn(20_000, move |rng| {
                let late = rng.random::<f64>() < 0.1;
                1.0 + rng.random::<f64>() + if late { at } else { 0.0 }
            })
        };
        for at in [10.0, 28.0, 55.0, 100.0, 200.0] {
            assert_eq!(share(&with_mode(at), None), None, "{at} ms");
        }
        assert!(share(&with_mode(40.0), None).is_some());
    }
}
