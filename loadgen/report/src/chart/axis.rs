/// How values become heights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    /// From 0.
    Linear,
    /// From just below the lowest value, so that small changes show.
    Close,
    /// By the logarithm: for values above 0 only.
    Log,
}

impl Scale {
    /// Position of a value; `None` when it has none on this axis.
    pub(crate) fn place(self, value: f64) -> Option<f64> {
        let place = match self {
            Self::Linear | Self::Close => value,
            Self::Log if value > 0.0 => value.log10(),
            Self::Log => return None,
        };
        place.is_finite().then_some(place)
    }

    /// A range for places from `low` to `high`, never empty.
    pub(crate) fn range(self, low: f64, high: f64) -> (f64, f64) {
        match self {
            Self::Linear => (low.min(0.0), if high > 0.0 { high * 1.05 } else { 1.0 }),
            Self::Close => {
                let room = match high - low {
                    span if span > 0.0 => 0.1 * span,
                    _ => (0.05 * high.abs()).max(0.5),
                };
                (low - room, high + room)
            }
            Self::Log => {
                let missing = (0.7 - (high - low)).max(0.0) / 2.0;
                (low - missing - 0.05, high + missing + 0.05)
            }
        }
    }

    /// Round values within a range of places, as (place, value).
    pub(crate) fn ticks(self, (low, high): (f64, f64)) -> Vec<(f64, f64)> {
        match self {
            Self::Linear | Self::Close => linear_ticks(low, high, 6)
                .into_iter()
                .map(|value| (value, value))
                .collect(),
            Self::Log => log_ticks(low, high),
        }
    }
}

/// Multiples of 1, 2 or 5 times a power of ten: about `wanted` of them in the range.
pub(crate) fn linear_ticks(low: f64, high: f64, wanted: u32) -> Vec<f64> {
    let rough = (high - low) / f64::from(wanted);
    if !rough.is_finite() || rough <= 0.0 {
        return Vec::new();
    }
    let power = 10_f64.powf(rough.log10().floor());
    let factors = [1.0, 2.0, 5.0, 10.0];
    let factor = factors.into_iter().find(|f| f * power >= rough);
    let step = factor.unwrap_or(10.0) * power;
    let first = (low / step).ceil();
    (0..=4 * wanted)
        .map(|n| (first + f64::from(n)) * step)
        .take_while(|value| *value <= high)
        .collect()
}

/// 1, 2 and 5 in each decade; only 1 when more than three decades are shown.
fn log_ticks(low: f64, high: f64) -> Vec<(f64, f64)> {
    let factors: &[f64] = if high - low > 3.0 {
        &[1.0]
    } else {
        &[1.0, 2.0, 5.0]
    };
    // Values are nanoseconds as 64-bit numbers: 20 decades at most.
    (-1_i32..=20)
        .flat_map(|decade| factors.iter().map(move |f| f * 10_f64.powi(decade)))
        .map(|value| (value.log10(), value))
        .filter(|(place, _)| (low..=high).contains(place))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(linear_ticks(0.0, 10.5, 6), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(linear_ticks(1.0, 1.0, 6), [0.0; 0]);
        let values: Vec<f64> = Scale::Log
            .ticks((2.9, 4.1))
            .into_iter()
            .map(|(_, value)| value)
            .collect();
        assert_eq!(values, [1000.0, 2000.0, 5000.0, 10_000.0]);
    }

    #[test]
    fn what_has_no_place_gets_none() {
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Scale::Log.place(value), None);
        }
        assert_eq!(Scale::Linear.place(f64::NAN), None);
        assert_eq!(Scale::Linear.place(0.0), Some(0.0));
    }

    #[test]
    fn ranges_are_never_empty() {
        for (low, high) in [(0.0, 0.0), (5.0, 5.0)] {
            for scale in [Scale::Linear, Scale::Close, Scale::Log] {
                let (from, to) = scale.range(low, high);
                assert!(from < to && scale.ticks((from, to)).len() > 1);
            }
        }
    }
}
