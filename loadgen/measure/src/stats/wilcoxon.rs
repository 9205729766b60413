use super::normal;

/// Values up to which the distribution of the rank sum is counted out; beyond, it is taken as normal.
const EXACT_UP_TO: usize = 60;

/// The probability that values drawn around 0, as likely on one side as on the other, have a sum of
/// signed ranks as high as these: the one-sided signed-rank test (Wilcoxon, Biometrics Bulletin 1,
/// 1945, p. 80). A small one says that the values are above 0.
///
/// Values of exactly 0 are left out before the ranking, as Wilcoxon has it; equal sizes share the mean
/// of their ranks, and the distribution is that of the ranks as they are, counted out over all signs up
/// to 60 values. Beyond, it is normal with mean `S/2` and variance `sum r^2 / 4` for ranks `r` of sum `S`, with a
/// correction for continuity. 1 where no value is left.
pub(crate) fn above_zero(values: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| *v != 0.0).collect();
    if sorted.iter().any(|value| value.is_nan()) {
        return 1.0;
    }
    sorted.sort_unstable_by(|a, b| a.abs().total_cmp(&b.abs()));
    let ranks = doubled_ranks(&sorted);
    let positive: u64 = ranks
        .iter()
        .zip(&sorted)
        .filter(|(_, value)| **value > 0.0)
        .map(|(rank, _)| rank)
        .sum();
    match ranks.len() {
        0 => 1.0,
        n if n <= EXACT_UP_TO => counted_out(&ranks, positive),
        _ => approximate(&ranks, positive),
    }
}

/// Twice the rank of each of these values, which rise in size: whole numbers, also where ranks are
/// shared.
fn doubled_ranks(sorted: &[f64]) -> Vec<u64> {
    let mut ranks = Vec::with_capacity(sorted.len());
    while ranks.len() < sorted.len() {
        let first = ranks.len();
        let size = sorted[first].abs();
        let equal = sorted[first..]
            .iter()
            .take_while(|v| v.abs() == size)
            .count();
        // Ranks first + 1 to first + equal have the mean first + (equal + 1) / 2.
        ranks.resize(first + equal, (2 * first + equal + 1) as u64);
    }
    ranks
}

/// Share of all ways to choose signs in which the sum of the positive ranks is at least this.
fn counted_out(ranks: &[u64], least: u64) -> f64 {
    let total: u64 = ranks.iter().sum();
    let mut ways = vec![0.0_f64; total as usize + 1];
    ways[0] = 1.0;
    for rank in ranks {
        for sum in (*rank as usize..ways.len()).rev() {
            ways[sum] += ways[sum - *rank as usize];
        }
    }
    let at_least: f64 = ways[least as usize..].iter().sum();
    at_least / 2_f64.powi(ranks.len() as i32)
}

fn approximate(ranks: &[u64], least: u64) -> f64 {
    let total: f64 = ranks.iter().map(|rank| *rank as f64).sum();
    let squares: f64 = ranks.iter().map(|rank| (*rank as f64).powi(2)).sum();
    // Doubled ranks: a step of 1 is 2 of them.
    let z = (least as f64 - 1.0 - total / 2.0) / (squares.sqrt() / 2.0);
    normal::above(z)
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;

    fn close(found: f64, want: f64, within: f64) {
        assert!((found - want).abs() < within, "{found} is not {want}");
    }

    #[test]
    fn tabled_probabilities_are_met() {
        // All ways to choose the signs of 1, 2, 3: six have a sum of at least 3 or the other way round.
        close(above_zero(&[1.0, 2.0, 3.0]), 1.0 / 8.0, 1e-12);
        close(above_zero(&[-1.0, 2.0, 3.0]), 2.0 / 8.0, 1e-12);
        close(above_zero(&[-1.0, -2.0, -3.0]), 1.0, 1e-12);
        // n = 10: the tables have 0.0244 for a lower sum of 8 and 0.0420 for one of 10.
        let mut ten: Vec<f64> = (1..=10).map(f64::from).collect();
        // Negative ranks of sum 8: 1 + 7.
        ten[0] = -1.0;
        ten[6] = -7.0;
        close(above_zero(&ten), 0.0244, 5e-5);
        ten[1] = -2.0;
        close(above_zero(&ten), 0.0420, 5e-5);
    }

    #[test]
    fn shared_ranks_are_counted_as_they_are() {
        // Ranks 1.5, 1.5, 3: of eight sums only 6 is at least 6, two more reach 4.5.
        close(above_zero(&[1.0, 1.0, 2.0]), 1.0 / 8.0, 1e-12);
        close(above_zero(&[-1.0, 1.0, 2.0]), 3.0 / 8.0, 1e-12);
        // All alike: the sign test.
        close(above_zero(&[1.0, 1.0, 1.0, -1.0]), 5.0 / 16.0, 1e-12);
    }

    #[test]
    fn zeros_are_left_out() {
        let with = [0.0, 1.0, -0.0, 2.0, 3.0];
        close(above_zero(&with), 1.0 / 8.0, 1e-12);
        assert_eq!(above_zero(&[0.0; 9]), 1.0);
        assert_eq!(above_zero(&[]), 1.0);
    }

    #[test]
    fn both_ways_of_counting_meet() {
        let mut random = Random(11);
        for _ in 0..20 {
            let values: Vec<f64> = (0..60).map(|_| random.uniform() - 0.42).collect();
            let mut sorted = values.clone();
            sorted.sort_unstable_by(|a, b| a.abs().total_cmp(&b.abs()));
            let ranks = doubled_ranks(&sorted);
            let signed = ranks.iter().zip(&sorted).filter(|(_, v)| **v > 0.0);
            let positive = signed.map(|(rank, _)| rank).sum();
            close(approximate(&ranks, positive), above_zero(&values), 0.005);
        }
    }
}
