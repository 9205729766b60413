/// The p-values of several tests, each made so large that comparing it with `alpha` keeps the
/// probability of any false alarm among all of them at `alpha`: Holm's step-down procedure
/// (Scandinavian Journal of Statistics 6, 1979, p. 65). The k-th smallest of n is multiplied by
/// `n - k + 1`, and none is below one that was smaller. The order stays as it was.
pub(crate) fn adjusted(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut highest = 0.0_f64;
    for (place, index) in order.into_iter().enumerate() {
        let tests_left = (p_values.len() - place) as f64;
        highest = highest.max(tests_left * p_values[index]).min(1.0);
        adjusted[index] = highest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_pays_for_all_and_the_others_for_what_is_left() {
        let adjusted = adjusted(&[0.04, 0.01, 0.03, 0.005]);
        let want = [0.06, 0.03, 0.06, 0.02];
        for (found, want) in adjusted.iter().zip(want) {
            assert!((found - want).abs() < 1e-12, "{adjusted:?}");
        }
    }

    #[test]
    fn one_alone_stays_and_none_is_above_one() {
        assert_eq!(adjusted(&[0.3]), [0.3]);
        assert_eq!(adjusted(&[0.9, 0.8]), [1.0, 1.0]);
        assert_eq!(adjusted(&[]), [0.0; 0]);
    }
}
