/// The order in which so many contenders are run in a turn.
///
/// Every second turn has the order of the one before backwards, so that over both each contender is
/// run at the same mean time and what drifts in a straight line cancels (ABBA). Then the next one
/// begins, so that over twice as many turns as contenders each has been at every place equally often.
pub(super) fn order(turn: u64, contenders: usize) -> Vec<usize> {
    let pair = usize::try_from(turn / 2 % contenders.max(1) as u64).unwrap_or(0);
    let mut order: Vec<usize> = (0..contenders).map(|n| (n + pair) % contenders).collect();
    if turn % 2 == 1 {
        order.reverse();
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_are_run_there_and_back() {
        let orders: Vec<_> = (0..4).map(|turn| order(turn, 2)).collect();
        assert_eq!(orders, [[0, 1], [1, 0], [1, 0], [0, 1]]);
    }

    #[test]
    fn a_drift_in_a_straight_line_meets_all_alike() {
        for contenders in 1..=6_usize {
            let mut sums = vec![0; contenders];
            for turn in 0..2 * contenders as u64 {
                for (place, contender) in order(turn, contenders).into_iter().enumerate() {
                    sums[contender] += usize::try_from(turn).unwrap() * contenders + place;
                }
                if turn % 2 == 1 {
                    assert!(sums.iter().all(|sum| *sum == sums[0]), "{sums:?}");
                }
            }
        }
    }
}
