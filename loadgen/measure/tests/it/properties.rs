use std::time::Duration;

use loadgen_measure::Latency;
use proptest::collection::vec;
use proptest::prelude::*;

fn latency(times: &[u64]) -> Latency {
    let mut latency = Latency::new();
    for &ns in times {
        latency.record(Duration::from_nanos(ns));
    }
    latency
}

/// Times over the whole range, past the bound of one hour too.
fn times() -> impl Strategy<Value = Vec<u64>> {
    let time = (0_u32..44, any::<u64>()).prop_map(|(bits, value)| value & ((1 << bits) - 1));
    vec(time, 0..300)
}

fn figures(latency: &Latency) -> (u64, u64, u64, Option<u64>, Option<u64>) {
    (
        latency.count(),
        latency.clipped(),
        latency.sum_ns(),
        latency.min_ns(),
        latency.max_ns(),
    )
}

const QUANTILES: [f64; 11] = [
    0.0, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999, 1.0,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn merged_histograms_equal_one_histogram(left in times(), right in times()) {
        let mut merged = latency(&left);
        merged.merge(&latency(&right));
        let one = latency(&[left, right].concat());
        prop_assert_eq!(figures(&merged), figures(&one));
        prop_assert!(merged.buckets().eq(one.buckets()));
        for quantile in QUANTILES {
            prop_assert_eq!(merged.quantile_ns(quantile), one.quantile_ns(quantile));
        }
    }

    #[test]
    fn stored_histograms_come_back(times in times()) {
        // Above the bound the exact ends, which are not in a stored histogram, say more than it does.
        let times: Vec<u64> = times.into_iter().filter(|ns| *ns <= 3_600_000_000_000).collect();
        let before = latency(&times);
        let after = Latency::from_base64(&before.to_base64()).unwrap();
        prop_assert!(before.buckets().eq(after.buckets()));
        prop_assert_eq!(before.count(), after.count());
        for quantile in [0.01, 0.5, 0.999] {
            let (before, after) = (before.quantile_ns(quantile), after.quantile_ns(quantile));
            let close = |(b, a): (u64, u64)| b.abs_diff(a) <= b / 1000;
            prop_assert!(before.zip(after).map_or(before == after, close));
        }
    }

    #[test]
    fn quantiles_never_fall_and_stay_within_the_exact_ends(times in times()) {
        let latency = latency(&times);
        let mut last = latency.min_ns();
        for quantile in QUANTILES {
            let value = latency.quantile_ns(quantile);
            prop_assert!(value >= last && value <= latency.max_ns());
            last = value;
        }
    }

    #[test]
    fn quantiles_are_true_to_3_digits(times in vec(1_u64..3_600_000_000_000, 1..300)) {
        let latency = latency(&times);
        let mut sorted = times;
        sorted.sort_unstable();
        for quantile in [0.5, 0.9, 0.99, 0.999] {
            let rank = (quantile * sorted.len() as f64).ceil() as usize;
            let truth = sorted[rank.max(1) - 1] as f64;
            let value = latency.quantile_ns(quantile).unwrap() as f64;
            prop_assert!((value - truth).abs() <= truth / 1000.0, "{value} for {truth}");
        }
    }
}

/// Every time counts, and adding threads up loses nothing: the p99 of four threads, one of which stalls
/// 18 ms in 1 of 100 calls, is that of the sorted list.
#[test]
fn a_stall_of_one_thread_is_in_the_tail_as_it_is_in_the_list() {
    let mut list = Vec::new();
    let mut merged = Latency::new();
    for thread in 0..4_u64 {
        let times: Vec<u64> = (0..10_000_u64)
            .map(|n| match (thread, n % 100) {
                (0, 50) => 18_000_000 + n,
                _ => 800_000 + 37 * (n * 7919 % 10_000) + 1000 * thread,
            })
            .collect();
        merged.merge(&latency(&times));
        list.extend(times);
    }
    list.sort_unstable();
    for quantile in [0.5, 0.99, 0.9975, 0.999] {
        let truth = list[(quantile * list.len() as f64).ceil() as usize - 1];
        let value = merged.quantile_ns(quantile).unwrap();
        assert!(
            value.abs_diff(truth) <= truth / 1000,
            "{quantile}: {value} for {truth}"
        );
    }
    assert!(merged.quantile_ns(0.999).unwrap() > 17_900_000);
}
