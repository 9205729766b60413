use super::student;

/// Share of comparisons of equal things in which any figure may be told apart by chance.
const FALSE_ALARMS: f64 = 0.05;

/// The level of an interval that is one of so many which are judged together, so that all of them hold
/// the truth in 95 of 100 cases (Bonferroni): 0.95 for one.
pub(crate) fn level(many: usize) -> f64 {
    1.0 - FALSE_ALARMS / many.max(1) as f64
}

/// How many times as wide an interval of that level is as the one of 95 %. The interval must be one of
/// Student's t with at least `df` degrees of freedom, 9 or more: the fewer, the more it widens, so that
/// nothing is lost but some width where there are more.
pub(crate) fn widening(many: usize, df: f64) -> f64 {
    let outside = (1.0 - level(many)) / 2.0;
    student::quantile(1.0 - outside, df) / student::t975(df)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_intervals_are_wider_than_one() {
        assert_eq!(level(0), 0.95);
        assert_eq!(level(10), 0.995);
        assert!((widening(1, 19.0) - 1.0).abs() < 1e-6);
        // t(0.9975, 19) is 3.174, t(0.975, 19) is 2.093.
        assert!((widening(10, 19.0) - 3.174 / 2.093).abs() < 0.01);
        assert!(widening(10, 30.0) < widening(10, 19.0));
    }
}
