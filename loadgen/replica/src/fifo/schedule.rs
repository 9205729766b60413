use std::time::Duration;

use rand::SeedableRng as _;
use rand::rngs::Xoshiro256PlusPlus;

use super::Fifo;

/// When requests finish, as a pure function of when they arrive. Moments are offsets from a common
/// start.
#[derive(Debug)]
pub(super) struct Schedule {
    fifo: Fifo,
    rng: Xoshiro256PlusPlus,
    /// When the server has served everybody who came.
    free_at: Duration,
}

/// The queue is so long that one more would wait longer than [`Schedule::WAIT_MAX`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl Schedule {
    /// The longest that anybody waits for their turn.
    pub(super) const WAIT_MAX: Duration = Duration::from_secs(60);

    pub(super) fn new(fifo: Fifo) -> Self {
        Self {
            fifo,
            rng: Xoshiro256PlusPlus::seed_from_u64(fifo.seed),
            free_at: Duration::ZERO,
        }
    }

    /// When the request that arrives at `arrival`, not before those before it, finishes. One that is
    /// turned away takes no service time.
    pub(super) fn admit(&mut self, arrival: Duration) -> Result<Duration, Full> {
        let begins = self.free_at.max(arrival);
        if begins - arrival > Self::WAIT_MAX {
            return Err(Full);
        }
        self.free_at = begins + self.fifo.service.draw(&mut self.rng);
        Ok(self.free_at)
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;

    use super::*;
    use crate::fifo::ServiceTime;

    const MS: Duration = Duration::from_millis(1);
    const ARRIVALS: usize = 100_000;

    fn schedule(service: ServiceTime) -> Schedule {
        Schedule::new(Fifo { service, seed: 7 })
    }

    /// Response times in means of the service time, of Poisson arrivals at `load`.
    fn responses(service: ServiceTime, load: f64) -> Vec<f64> {
        let mut schedule = schedule(service);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
        let mut arrival_s = 0.0;
        (0..ARRIVALS)
            .map(|_| {
                arrival_s += -f64::ln_1p(-rng.random::<f64>()) * MS.as_secs_f64() / load;
                let arrival = Duration::from_secs_f64(arrival_s);
                let finish = schedule.admit(arrival).expect("a short queue");
                (finish - arrival).as_secs_f64() / MS.as_secs_f64()
            })
            .collect()
    }

    /// The truth must lie in the interval around the mean of 20 batch means (t with 19 degrees of
    /// freedom at 99.9 %; a batch is many times longer than the queue's memory), and the interval
    /// must be narrower than `within` of the truth, or it would say little.
    fn assert_mean(what: &str, values: &[f64], truth: f64, within: f64) {
        let batches: Vec<f64> = values
            .chunks(values.len() / 20)
            .map(|batch| batch.iter().sum::<f64>() / batch.len() as f64)
            .collect();
        let n = batches.len() as f64;
        let mean = batches.iter().sum::<f64>() / n;
        let variance = batches.iter().map(|b| (b - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let half = 3.883 * (variance / n).sqrt();
        assert!(
            (mean - truth).abs() <= half,
            "{what}: {mean} +- {half} against {truth}"
        );
        assert!(half < within * truth, "{what}: {mean} +- {half}");
    }

    #[test]
    fn constant_service_waits_as_pollaczek_and_khinchine_say() {
        for load in [0.5, 0.8, 0.9] {
            // E[S] = 1, E[S^2] = 1.
            let truth = 1.0 + load / (2.0 * (1.0 - load));
            let measured = responses(ServiceTime::Const(MS), load);
            assert_mean(&format!("M/D/1 at {load}"), &measured, truth, 0.35);
        }
    }

    #[test]
    fn exponential_service_has_the_whole_distribution_of_m_m_1() {
        for load in [0.5, 0.8, 0.9] {
            let measured = responses(ServiceTime::Exp(MS), load);
            // E[S] = 1, E[S^2] = 2, so the mean is 1 / (1 - load).
            let truth = 1.0 / (1.0 - load);
            assert_mean(&format!("M/M/1 at {load}"), &measured, truth, 0.35);
            for above in [0.8, 0.5, 0.2] {
                let t = -f64::ln(above) / (1.0 - load);
                let shares: Vec<f64> = measured
                    .iter()
                    .map(|r| f64::from(u8::from(*r > t)))
                    .collect();
                assert_mean(&format!("P(R > {t}) at {load}"), &shares, above, 0.5);
            }
        }
    }

    #[test]
    fn an_idle_server_begins_at_once_and_a_busy_one_in_turn() {
        let mut schedule = schedule(ServiceTime::Const(3 * MS));
        let finish: Vec<_> = [1, 2, 3, 20]
            .into_iter()
            .map(|ms| schedule.admit(ms * MS).unwrap())
            .collect();
        assert_eq!(finish, [4 * MS, 7 * MS, 10 * MS, 23 * MS]);
    }

    #[test]
    fn a_seed_gives_the_same_times_again_and_another_seed_others() {
        let times = |seed| {
            let service = ServiceTime::Exp(MS);
            let mut schedule = Schedule::new(Fifo { service, seed });
            [(); 5].map(|()| schedule.admit(Duration::ZERO).unwrap())
        };
        assert_eq!(times(1), times(1));
        assert_ne!(times(1), times(2));
    }

    #[test]
    fn a_wait_above_the_longest_is_turned_away_and_takes_no_time() {
        let mut schedule = schedule(ServiceTime::Const(Duration::from_secs(1)));
        for taken in 1..=61 {
            assert_eq!(
                schedule.admit(Duration::ZERO),
                Ok(Duration::from_secs(taken))
            );
        }
        for _ in 0..2 {
            assert_eq!(schedule.admit(Duration::ZERO), Err(Full));
        }
        assert_eq!(
            schedule.admit(Duration::from_secs(1)),
            Ok(Duration::from_secs(62))
        );
    }
}
