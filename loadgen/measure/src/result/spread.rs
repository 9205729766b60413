use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ratio::Ratio;
use crate::paired::{PairedSecond, PairedTally};
use crate::stats::mean;

/// What the retries of two kinds cost that differ only in which replicas their rounds go to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpreadComparison {
    /// The kinds.
    pub kinds: [String; 2],
    /// Their spreads; the first is the sticky one, where one is.
    pub spreads: [String; 2],
    /// Seconds in which both had successful retries.
    pub seconds: u64,
    /// Service time of retries of the first over the second: the geometric mean, over these seconds,
    /// of the ratio of the geometric means in a second. What disturbs both in a second is not in it.
    pub service: Ratio,
}

/// Every pair that has something to compare, over these seconds.
pub(crate) fn comparisons(
    tally: &PairedTally,
    names: &[String],
    seconds: &[usize],
) -> Vec<SpreadComparison> {
    let pairs = tally.pairs().iter();
    pairs
        .filter_map(|pair| {
            let retries = |kind: usize, second: usize| tally.second(kind, second).retry.mean();
            let [one, other] = pair.kinds;
            let differences = seconds
                .iter()
                .filter_map(|second| Some(retries(one, *second)? - retries(other, *second)?));
            let differences: Vec<f64> = differences.collect();
            let (ln, half) = mean(&differences)?;
            Some(SpreadComparison {
                kinds: pair.kinds.map(|kind| names[kind].clone()),
                spreads: pair.spreads.map(str::to_owned),
                seconds: differences.len() as u64,
                service: Ratio::from_ln(ln, half),
            })
        })
        .collect()
}

/// Retries of all compared kinds over their first rounds, paired by second.
pub(crate) fn retry_over_first(tally: &PairedTally, seconds: &[usize]) -> Option<Ratio> {
    let differences = seconds.iter().filter_map(|second| {
        let PairedSecond { first, retry } = tally.together(*second);
        Some(retry.mean()? - first.mean()?)
    });
    let (ln, half) = mean(&differences.collect::<Vec<_>>())?;
    Some(Ratio::from_ln(ln, half))
}

impl SpreadComparison {
    /// In words, as in `sticky spread would save 0.3 % (-0.5 to 1.1 %): within the noise`.
    pub(crate) fn in_words(&self) -> String {
        let percent = |ratio: f64| 100.0 * (1.0 - ratio);
        let saved = percent(self.service.ratio);
        let [one, other] = &self.spreads;
        let (verb, sign) = if saved < 0.0 {
            ("cost", -1.0)
        } else {
            ("save", 1.0)
        };
        let amount = sign * saved;
        let Some((low, high)) = self.service.interval_95 else {
            return format!(
                "{one} instead of {other} spread would {verb} {amount:.1} %, with no interval: fewer \
                 than 20 seconds had both"
            );
        };
        let mut ends = [sign * percent(high), sign * percent(low)];
        ends.sort_by(f64::total_cmp);
        let noise = match self.service.is_within_noise() {
            Some(true) => ": within the noise",
            _ => "",
        };
        format!(
            "{one} instead of {other} spread would {verb} {amount:.1} % of a retry ({:.1} to {:.1} \
             %){noise}",
            ends[0], ends[1]
        )
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::KindPair;

    fn comparison(ratio: f64, interval_95: Option<(f64, f64)>) -> SpreadComparison {
        SpreadComparison {
            kinds: ["a".to_owned(), "b".to_owned()],
            spreads: ["sticky".to_owned(), "random".to_owned()],
            seconds: 20,
            service: Ratio { ratio, interval_95 },
        }
    }

    #[test]
    fn the_sentence_says_what_would_change_and_how_sure_that_is() {
        for (ratio, interval, want) in [
            (
                0.997,
                Some((0.989, 1.005)),
                "would save 0.3 % of a retry (-0.5 to 1.1 %): within the noise",
            ),
            (
                0.9,
                Some((0.88, 0.92)),
                "would save 10.0 % of a retry (8.0 to 12.0 %)",
            ),
            (
                1.05,
                Some((1.03, 1.07)),
                "would cost 5.0 % of a retry (3.0 to 7.0 %)",
            ),
            (
                0.9,
                None,
                "would save 10.0 %, with no interval: fewer than 20 seconds had both",
            ),
        ] {
            let said = comparison(ratio, interval).in_words();
            assert_eq!(said, format!("sticky instead of random spread {want}"));
        }
    }

    #[test]
    fn what_slows_both_down_is_in_no_comparison() {
        let pair = KindPair {
            kinds: [0, 1],
            spreads: ["sticky", "random"],
        };
        let mut tally = PairedTally::new(&[pair], 2);
        for second in 0..30_u64 {
            let at = Duration::from_secs(second);
            // Up to ten times as slow in some seconds; random takes 25 % longer, retries twice as long.
            let slow = 1 + second * 7 % 10;
            for (kind, first_us) in [(0, 400), (1, 500)] {
                for (round, times) in [(0, 1), (1, 2), (2, 2)] {
                    tally.ok(
                        kind,
                        round,
                        at,
                        Duration::from_micros(slow * first_us * times),
                    );
                }
            }
        }
        let names = ["a".to_owned(), "b".to_owned()];
        let seconds: Vec<usize> = (0..30).collect();
        let found = comparisons(&tally, &names, &seconds);
        assert_eq!((found.len(), found[0].seconds), (1, 30));
        let near = |ratio: Ratio, want: f64| {
            let (low, high) = ratio.interval_95.unwrap();
            (ratio.ratio - want).abs() < 1e-9 && high - low < 1e-9
        };
        assert!(near(found[0].service, 0.8), "{found:?}");
        let retry = retry_over_first(&tally, &seconds).unwrap();
        assert!(near(retry, 2.0), "{retry:?}");
        // Seconds that are no headline are left out.
        assert_eq!(comparisons(&tally, &names, &seconds[..7])[0].seconds, 7);
        assert!(comparisons(&tally, &names, &[]).is_empty());
    }
}
