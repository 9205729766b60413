/// A straight line through points by least squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Line {
    pub(crate) at_zero: f64,
    pub(crate) slope: f64,
    /// Standard error of the slope; not a number with two points.
    pub(crate) standard_error: f64,
}

/// The line y = a + b x that leaves the least squares: b = Sxy / Sxx, a = mean y - b mean x, with
/// Sxx = sum (x - mean x)^2 and Sxy = sum (x - mean x)(y - mean y); the standard error of b is
/// sqrt((Syy - b Sxy) / (n - 2) / Sxx) (Montgomery, Peck and Vining, Introduction to Linear Regression
/// Analysis, chapter 2). It takes errors for independent.
///
/// `None` when the points do not differ in x.
pub(crate) fn line(points: &[(f64, f64)]) -> Option<Line> {
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| {
        (x + point.0 / n, y + point.1 / n)
    });
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (px, py) in points {
        let (dx, dy) = (px - x, py - y);
        xx += dx * dx;
        xy += dx * dy;
        yy += dy * dy;
    }
    if xx <= 0.0 {
        return None;
    }
    let slope = xy / xx;
    Some(Line {
        at_zero: y - slope * x,
        slope,
        standard_error: ((yy - slope * xy).max(0.0) / (n - 2.0) / xx).sqrt(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_on_a_line_give_it_without_error() {
        let points: Vec<(f64, f64)> = (1..6)
            .map(|x| (f64::from(x), 3.0 + 2.0 * f64::from(x)))
            .collect();
        let line = line(&points).unwrap();
        assert!((line.at_zero - 3.0).abs() < 1e-9 && (line.slope - 2.0).abs() < 1e-9);
        assert!(line.standard_error < 1e-6, "{line:?}");
    }

    #[test]
    fn the_error_of_a_text_book_is_met() {
        // x 1..5, y 2 4 5 4 5: b = 0.6, residual sum of squares 2.4, s = sqrt(0.8), error sqrt(0.08).
        let points = [(1.0, 2.0), (2.0, 4.0), (3.0, 5.0), (4.0, 4.0), (5.0, 5.0)];
        let line = line(&points).unwrap();
        assert!((line.slope - 0.6).abs() < 1e-9, "{line:?}");
        assert!(
            (line.standard_error - 0.08_f64.sqrt()).abs() < 1e-9,
            "{line:?}"
        );
    }

    #[test]
    fn points_above_each_other_give_none() {
        assert_eq!(line(&[(1.0, 2.0), (1.0, 3.0)]), None);
        assert_eq!(line(&[]), None);
    }
}
