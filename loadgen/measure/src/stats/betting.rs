/// Shares of the wealth that are staked, each by a gambler of its own.
const STAKES: [f64; 4] = [0.2, 0.4, 0.6, 0.8];

/// What gamblers own who began with 1 and bet on every sign of a series to be positive: evidence
/// against "a positive sign is at most as likely as a negative one, whatever came before".
///
/// Each stakes the same share `l` of what it owns and ends with the product of `1 + l s`, where `s` is the
/// sign: 1, -1, or 0 for a tie, which nobody wins and nobody loses. Under the hypothesis such a product
/// does not grow in the mean, and so neither does the mean over the gamblers. Ville's inequality then says
/// that it *ever* reaches `1 / alpha` with a probability of at most `alpha`: one may look after every sign
/// and stop when one likes. (Ville, Etude critique de la notion de collectif, 1939; Shafer and others,
/// Statistical Science 26, 2011, p. 84; Ramdas and others, Statistical Science 38, 2023, p. 576.) Small
/// stakes find small leans in long series, large ones finish sooner where the signs agree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wealth([f64; STAKES.len()]);

impl Wealth {
    pub(crate) const fn new() -> Self {
        Self([1.0; STAKES.len()])
    }

    /// Bets on this value to be above 0. One that is no number counts as a tie.
    pub(crate) fn bet(&mut self, value: f64) {
        let sign = if value > 0.0 {
            1.0
        } else if value < 0.0 {
            -1.0
        } else {
            0.0
        };
        for (owned, stake) in self.0.iter_mut().zip(STAKES) {
            // Stays a number, however long the series is.
            *owned = (*owned * (1.0 + stake * sign)).min(f64::MAX / STAKES.len() as f64);
        }
    }

    /// The mean over the gamblers.
    pub(crate) fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / STAKES.len() as f64
    }
}

/// How many signs, all positive, bring the wealth to this.
pub(crate) fn unanimous(wealth: f64) -> usize {
    let mut owned = Wealth::new();
    (1..10_000)
        .find(|_| {
            owned.bet(1.0);
            owned.mean() >= wealth
        })
        .unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seven_equal_signs_decide_at_five_percent() {
        assert_eq!(unanimous(1.0 / 0.05), 7);
        assert_eq!(unanimous(12.0 / 0.05), 12);
        let mut wealth = Wealth::new();
        (0..7).for_each(|_| wealth.bet(0.001));
        // The four products by hand.
        let by_hand: f64 = [1.2_f64, 1.4, 1.6, 1.8].iter().map(|f| f.powi(7)).sum();
        assert!((wealth.mean() - by_hand / 4.0).abs() < 1e-9);
    }

    #[test]
    fn a_tie_wins_nothing_and_loses_nothing() {
        let mut wealth = Wealth::new();
        for value in [0.0, -0.0, f64::NAN] {
            wealth.bet(value);
        }
        assert_eq!(wealth.mean(), 1.0);
    }

    #[test]
    fn a_fair_series_keeps_the_mean_at_one() {
        // Over all 2^10 series of signs, equally likely.
        let all = (0..1_u32 << 10).map(|series| {
            let mut wealth = Wealth::new();
            (0..10).for_each(|n| wealth.bet(if series >> n & 1 == 1 { 1.0 } else { -1.0 }));
            wealth.mean()
        });
        let mean = all.sum::<f64>() / f64::from(1 << 10);
        assert!((mean - 1.0).abs() < 1e-9, "{mean}");
    }

    #[test]
    fn no_series_is_too_long() {
        let mut wealth = Wealth::new();
        (0..5000).for_each(|_| wealth.bet(1.0));
        assert!(wealth.mean().is_finite());
        (0..50_000).for_each(|_| wealth.bet(-1.0));
        assert!(wealth.mean() >= 0.0);
    }
}
