/// Jain's index of n shares x: (sum x)^2 / (n sum x^2), which is 1 when all are the same and 1/n when
/// one has all (R. Jain, D. Chiu, W. Hawe, "A Quantitative Measure of Fairness and Discrimination for
/// Resource Allocation in Shared Computer Systems", DEC-TR-301, 1984). `None` for fewer than two
/// shares, and when there is nothing to share.
pub(in crate::result) fn jain(shares: &[u64]) -> Option<f64> {
    let sum: f64 = shares.iter().map(|&x| x as f64).sum();
    let squares: f64 = shares.iter().map(|&x| (x as f64).powi(2)).sum();
    (shares.len() > 1 && squares > 0.0).then(|| sum * sum / (shares.len() as f64 * squares))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_one_for_equals_and_falls_to_the_share_of_one_who_has_all() {
        assert_eq!(jain(&[7, 7, 7]), Some(1.0));
        assert_eq!(jain(&[0, 0, 9, 0]), Some(0.25));
        // The paper's reading: k of n who have the same, and the others nothing, give k/n.
        assert_eq!(jain(&[5, 0, 5, 0, 0]), Some(0.4));
        assert_eq!(jain(&[1, 2, 3]), Some(36.0 / 42.0));
        assert_eq!((jain(&[4]), jain(&[0, 0]), jain(&[])), (None, None, None));
    }
}
