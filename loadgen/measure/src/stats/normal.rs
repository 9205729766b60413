/// The quantile of the standard normal distribution, for p within 0 and 1: Wichura's algorithm AS 241,
/// the shorter one (PPND7, about 7 digits; Applied Statistics 37, 1988, p. 477).
pub(super) fn quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        let above = [
            3.387_132_717_9,
            50.434_271_938,
            159.291_132_02,
            59.109_374_720,
        ];
        let below = [1.0, 17.895_169_469, 78.757_757_664, 67.187_563_600];
        return q * polynomial(r, &above) / polynomial(r, &below);
    }
    let r = (-p.min(1.0 - p).ln()).sqrt();
    let tail = if r <= 5.0 {
        let above = [
            1.423_437_277_7,
            2.756_815_390_0,
            1.306_728_481_6,
            0.170_238_211_03,
        ];
        let below = [1.0, 0.737_001_642_50, 0.120_211_329_75];
        polynomial(r - 1.6, &above) / polynomial(r - 1.6, &below)
    } else {
        let above = [
            6.657_905_115_0,
            3.081_226_386_0,
            0.428_682_943_37,
            0.017_337_203_997,
        ];
        let below = [1.0, 0.241_978_942_25, 0.012_258_202_635];
        polynomial(r - 5.0, &above) / polynomial(r - 5.0, &below)
    };
    tail.copysign(q)
}

/// From the constant term upwards.
fn polynomial(x: f64, terms: &[f64]) -> f64 {
    terms.iter().rev().fold(0.0, |sum, term| sum * x + term)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabled_values_are_met() {
        for (p, want) in [
            (0.5, 0.0),
            (0.75, 0.674_489_75),
            (0.9, 1.281_551_57),
            (0.95, 1.644_853_63),
            (0.975, 1.959_963_98),
            (0.9995, 3.290_526_73),
            (1e-10, -6.361_340_90),
            (1e-15, -7.941_345_33),
        ] {
            let got = quantile(p);
            assert!((got - want).abs() < 2e-6, "{p}: {got}");
            assert!((quantile(1.0 - p) + got).abs() < 1e-2, "{p}");
        }
    }
}
