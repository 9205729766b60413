//! What is true of a server with a known fault, by formula. Times in seconds, rates per second.

/// A pause that comes back: nothing is answered for `length_s` in every `period_s`.
///
/// Arrivals that do not depend on the server fall uniformly into the period. The share
/// `length_s / period_s` of them meets the pause and waits for what is left of it, which is uniform
/// too. With s and T for the two, for 0 <= t < s:
///
/// `P(R > t) = (s - t) / T`, so the p-quantile is `max(0, s - (1 - p) T)` and the mean `s^2 / (2 T)`.
///
/// This is response time, from when a request was due. A tool that waits for the reply before it
/// sends again, and counts from there, sees one long time per pause and connection (*coordinated
/// omission*; G. Tene, wrk2, README). What the server itself takes is not in it, nor the time in
/// which it works off those who waited.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pause {
    pub(super) length_s: f64,
    pub(super) period_s: f64,
}

impl Pause {
    pub(super) fn quantile_s(self, p: f64) -> f64 {
        (self.length_s - (1.0 - p) * self.period_s).max(0.0)
    }

    pub(super) fn mean_s(self) -> f64 {
        self.length_s * self.length_s / (2.0 * self.period_s)
    }
}

/// A queue that is offered more than it can serve: arrival n (from 0) is due at `n / rate` and is
/// served as the (n+1)-th, at `(n + 1) / capacity`. Its response time is the difference: it grows
/// linearly, by `rate / capacity - 1` seconds a second.
#[derive(Debug, Clone, Copy)]
pub(super) struct Overload {
    pub(super) rate_per_s: f64,
    pub(super) capacity_per_s: f64,
    pub(super) arrivals: u64,
}

impl Overload {
    fn response_s(self, n: f64) -> f64 {
        (n + 1.0) / self.capacity_per_s - n / self.rate_per_s
    }

    /// Response times grow with n, so the p-quantile is that of arrival number `p N - 1`.
    pub(super) fn quantile_s(self, p: f64) -> f64 {
        let rank = (p * self.arrivals as f64).ceil().max(1.0);
        self.response_s(rank - 1.0)
    }

    pub(super) fn mean_s(self) -> f64 {
        self.response_s((self.arrivals as f64 - 1.0) / 2.0)
    }
}

/// Mean response time of M/D/1 at this load, in service times: `1 + load / (2 (1 - load))`
/// (Pollaczek-Khinchine; Kleinrock, Queueing Systems 1, 1975, section 5.6, with E\[S^2\] = E\[S\]^2).
pub(super) fn md1_mean(load: f64) -> f64 {
    1.0 + load / (2.0 * (1.0 - load))
}

/// The p-quantile of response time of M/M/1 at this load, in mean service times: from
/// `P(R > t) = exp(-(1 - load) t)` (the same, section 3.2).
pub(super) fn mm1_quantile(load: f64, p: f64) -> f64 {
    -(1.0 - p).ln() / (1.0 - load)
}

/// The mean of the same distribution.
pub(super) fn mm1_mean(load: f64) -> f64 {
    1.0 / (1.0 - load)
}

/// The p-quantile of values in order: the smallest of which the share p is not above it.
pub(super) fn quantile_of(sorted: &[f64], p: f64) -> f64 {
    let rank = (p * sorted.len() as f64).ceil().max(1.0) as usize;
    sorted[rank.min(sorted.len()) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f64, right: f64) {
        assert!((left - right).abs() < 1e-9, "{left} {right}");
    }

    #[test]
    fn a_pause_of_a_tenth_is_known_by_its_quantiles() {
        let pause = Pause {
            length_s: 0.2,
            period_s: 2.0,
        };
        for (p, s) in [
            (0.5, 0.0),
            (0.9, 0.0),
            (0.95, 0.1),
            (0.99, 0.18),
            (0.999, 0.198),
        ] {
            close(pause.quantile_s(p), s);
        }
        close(pause.mean_s(), 0.01);
    }

    #[test]
    fn the_formula_of_a_pause_is_what_counting_gives() {
        let pause = Pause {
            length_s: 0.2,
            period_s: 2.0,
        };
        let mut left: Vec<f64> = (0..20_000)
            .map(|n| (0.2 - f64::from(n) / 10_000.0).max(0.0))
            .collect();
        left.sort_by(f64::total_cmp);
        for p in [0.91, 0.95, 0.99, 0.999] {
            assert!((quantile_of(&left, p) - pause.quantile_s(p)).abs() < 2e-4);
        }
        let mean = left.iter().sum::<f64>() / left.len() as f64;
        assert!((mean - pause.mean_s()).abs() < 1e-4, "{mean}");
    }

    #[test]
    fn an_overload_of_two_grows_by_a_second_a_second() {
        let twice = Overload {
            rate_per_s: 400.0,
            capacity_per_s: 200.0,
            arrivals: 1600,
        };
        let mut all: Vec<f64> = (0..1600).map(|n| twice.response_s(f64::from(n))).collect();
        close(all[0], 0.005);
        close(all[400] - all[0], 1.0);
        close(twice.mean_s(), all.iter().sum::<f64>() / 1600.0);
        all.sort_by(f64::total_cmp);
        for p in [0.001, 0.5, 0.9, 1.0] {
            close(twice.quantile_s(p), quantile_of(&all, p));
        }
    }

    #[test]
    fn queues_are_those_of_the_books() {
        close(md1_mean(0.5), 1.5);
        close(md1_mean(0.9), 5.5);
        close(mm1_mean(0.9), 10.0);
        close(mm1_quantile(0.5, 0.5), 2.0 * std::f64::consts::LN_2);
    }
}
