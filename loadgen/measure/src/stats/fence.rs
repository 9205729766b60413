/// Fewest past changes that a fence can be made of.
const PAST_MIN: usize = 8;

/// From which share on a change of a count is more than what its past shows: the third quartile and three
/// interquartile ranges of the relative changes `|x_i / x_(i-1) - 1|` from each value to the next. `None`
/// with fewer than 8 changes.
///
/// For series that hardly vary, instruction counts above all, where repeating a measurement gains
/// nothing (the rule of rustc-perf). Quartiles lie between values as in Hyndman and Fan's type 7.
pub fn change_fence(series: &[f64]) -> Option<f64> {
    let changes = series
        .windows(2)
        .map(|pair| (pair[1] / pair[0] - 1.0).abs());
    let mut changes: Vec<f64> = changes.filter(|change| change.is_finite()).collect();
    if changes.len() < PAST_MIN {
        return None;
    }
    changes.sort_unstable_by(f64::total_cmp);
    let quartile = |share: f64| {
        let place = share * (changes.len() - 1) as f64;
        let low = place.floor() as usize;
        let high = (low + 1).min(changes.len() - 1);
        changes[low] + (place - low as f64) * (changes[high] - changes[low])
    };
    let (first, third) = (quartile(0.25), quartile(0.75));
    Some(third + 3.0 * (third - first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fence_is_made_of_the_past_changes() {
        // Changes of 1, 2, .. 9 %: quartiles 3 and 7 %.
        let mut series = vec![100.0];
        for percent in 1..=9 {
            series.push(series[series.len() - 1] * (1.0 + f64::from(percent) / 100.0));
        }
        let fence = change_fence(&series).unwrap();
        assert!((fence - 0.19).abs() < 1e-9, "{fence}");
    }

    #[test]
    fn a_short_past_has_none_and_an_even_one_has_0() {
        assert_eq!(change_fence(&[7.0; 8]), None);
        assert_eq!(change_fence(&[7.0; 9]), Some(0.0));
        assert_eq!(change_fence(&[0.0; 30]), None, "no share of nothing");
    }
}
