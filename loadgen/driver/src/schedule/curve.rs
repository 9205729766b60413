use std::sync::Arc;
use std::time::Duration;

/// A stretch of time in which the rate runs in a straight line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    /// How long it lasts.
    pub time: Duration,
    /// Rate at its start, per second; 0 or more and finite.
    pub from_per_s: f64,
    /// Rate at its end, per second; 0 or more and finite.
    pub to_per_s: f64,
}

/// A rate over time, in straight stretches that follow each other: steps, ramps, spikes, pauses.
/// What it answers is exact: the integral of a straight line and its inverse have closed forms.
#[derive(Debug, Clone, PartialEq)]
pub struct RateCurve {
    pieces: Arc<[Piece]>,
    total: f64,
    time: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Piece {
    start: Duration,
    stretch: Stretch,
    /// Integral of the rate up to its start.
    before: f64,
}

impl RateCurve {
    /// The curve of these stretches; there must be at least one.
    #[must_use]
    pub fn new(stretches: &[Stretch]) -> Self {
        let (mut time, mut total) = (Duration::ZERO, 0.0);
        let pieces = stretches.iter().map(|stretch| {
            let piece = Piece {
                start: time,
                stretch: *stretch,
                before: total,
            };
            time += stretch.time;
            let mean = (stretch.from_per_s + stretch.to_per_s) / 2.0;
            total = whole(total + mean * stretch.time.as_secs_f64());
            piece
        });
        Self {
            pieces: pieces.collect(),
            total,
            time,
        }
    }

    /// The same rate all the time.
    #[must_use]
    pub fn constant(rate_per_s: f64, time: Duration) -> Self {
        Self::new(&[Stretch {
            time,
            from_per_s: rate_per_s,
            to_per_s: rate_per_s,
        }])
    }

    /// Integral of the rate over the whole time: how many arrivals it makes.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.total
    }

    /// How long it lasts.
    #[must_use]
    pub fn time(&self) -> Duration {
        self.time
    }

    /// Its stretches, in order.
    pub fn stretches(&self) -> impl ExactSizeIterator<Item = &Stretch> {
        self.pieces.iter().map(|piece| &piece.stretch)
    }

    /// When the integral of the rate has reached `x`, which is 0 or more and below [`Self::total`];
    /// after a pause rather than before it. To the nanosecond below 2^53 ns in one stretch.
    ///
    /// In a stretch that goes from rate r to r + a T in time T the integral after time t is
    /// r t + a t^2 / 2, so it has reached y at t = 2 y / (r + sqrt(r^2 + 2 a y)): the form of the
    /// root that loses no digits and needs no case for a = 0.
    pub(super) fn reaches(&self, x: f64) -> Duration {
        let at = self.pieces.partition_point(|piece| piece.before <= x);
        let Piece {
            start,
            stretch,
            before,
        } = self.pieces[at.max(1) - 1];
        let (r, y) = (stretch.from_per_s, x - before);
        let slope = (stretch.to_per_s - r) / stretch.time.as_secs_f64();
        let below = r + f64::max(r * r + 2.0 * slope * y, 0.0).sqrt();
        let t = if below > 0.0 { 2.0 * y / below } else { 0.0 };
        start + Duration::from_nanos((t * 1e9).round() as u64).min(stretch.time)
    }
}

/// A sum that decimal numbers mean to be whole, as it was meant: within one part in 10^12, so that
/// a rate such as 0.29 over 100 s gives the 29 arrivals of the decimal numbers and not the 28 of
/// their binary images.
fn whole(sum: f64) -> f64 {
    let near = sum.round();
    if (sum - near).abs() <= 1e-12 * sum.max(1.0) {
        near
    } else {
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stretch(seconds: f64, from_per_s: f64, to_per_s: f64) -> Stretch {
        Stretch {
            time: Duration::from_secs_f64(seconds),
            from_per_s,
            to_per_s,
        }
    }

    #[test]
    fn a_ramp_from_nothing_is_a_root_of_time() {
        let ramp = RateCurve::new(&[stretch(10.0, 0.0, 20.0)]);
        assert_eq!(ramp.total(), 100.0);
        // The integral is t^2.
        for (x, s) in [(0.0, 0.0), (1.0, 1.0), (25.0, 5.0), (81.0, 9.0)] {
            assert_eq!(ramp.reaches(x).as_secs_f64(), s);
        }
        let down = RateCurve::new(&[stretch(10.0, 20.0, 0.0)]);
        // What is left at time t is (10 - t)^2.
        for (x, s) in [(0.0, 0.0), (75.0, 5.0), (99.0, 9.0)] {
            assert!((down.reaches(x).as_secs_f64() - s).abs() < 1e-9, "{x}");
        }
    }

    #[test]
    fn nothing_arrives_in_a_pause() {
        let curve = RateCurve::new(&[
            stretch(1.0, 0.0, 0.0),
            stretch(1.0, 10.0, 10.0),
            stretch(5.0, 0.0, 0.0),
            stretch(1.0, 10.0, 10.0),
        ]);
        assert_eq!(curve.total(), 20.0);
        assert_eq!(curve.reaches(0.0), Duration::from_secs(1));
        assert_eq!(curve.reaches(9.0), Duration::from_millis(1900));
        assert_eq!(curve.reaches(10.0), Duration::from_secs(7));
    }

    #[test]
    fn decimal_sums_that_are_whole_stay_whole() {
        let tenths = RateCurve::new(&[stretch(0.1, 10.0, 10.0); 30]);
        assert_eq!(tenths.total(), 30.0);
        assert_eq!(tenths.reaches(7.0), Duration::from_millis(700));
    }

    proptest! {
        #[test]
        fn times_rise_and_the_integral_up_to_them_is_what_was_asked(
            parts in proptest::collection::vec((0.1_f64..100.0, 0.0_f64..1000.0, 0.0_f64..1000.0), 1..6),
            share in 0.0_f64..1.0,
        ) {
            let stretches: Vec<Stretch> =
                parts.iter().map(|&(time, from, to)| stretch(time, from, to)).collect();
            let curve = RateCurve::new(&stretches);
            let x = share * curve.total();
            let at = curve.reaches(x);
            prop_assert!(at <= curve.time());
            prop_assert!(curve.reaches(x / 2.0) <= at);
            // Added up from the other side, by the trapezium up to that time.
            let (mut left, mut sum) = (at.as_secs_f64(), 0.0);
            for one in &stretches {
                let time = one.time.as_secs_f64();
                let part = left.clamp(0.0, time);
                let rate = one.from_per_s + (one.to_per_s - one.from_per_s) * part / time;
                sum += (one.from_per_s + rate) / 2.0 * part;
                left -= part;
            }
            // A nanosecond at the highest rate, and the rounding of sums.
            prop_assert!((sum - x).abs() < 2e-6 + 1e-9 * x, "{sum} for {x}");
        }
    }
}
