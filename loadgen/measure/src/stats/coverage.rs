//! Whether intervals hold what they promise: simulated queues whose quantiles are known.

use crate::stats::random::Random;
use crate::stats::seconds::{Second, interval};

const RATE_PER_S: f64 = 1000.0;
const SECONDS: usize = 60;
const RUNS: usize = 100;
/// Values are microseconds.
const PER_S: f64 = 1e6;

#[derive(Clone, Copy)]
enum Model {
    /// One server, constant service.
    Md1 { load: f64 },
    /// One server, exponential service.
    Mm1 { load: f64 },
    /// Answers after 100 us, but nothing at all for 200 ms of every 2 s.
    Stall,
}

impl Model {
    /// A run of [`SECONDS`] under Poisson arrivals, after 5 s that are not recorded.
    fn run(self, random: &mut Random, seconds: usize) -> Vec<Second> {
        let mut values: Vec<Vec<u64>> = vec![Vec::new(); seconds];
        let (mut now, mut free) = (-5.0, -5.0);
        loop {
            now += random.exponential(1.0 / RATE_PER_S);
            let done = match self {
                Self::Md1 { load } => f64::max(free, now) + load / RATE_PER_S,
                Self::Mm1 { load } => f64::max(free, now) + random.exponential(load / RATE_PER_S),
                Self::Stall => {
                    let phase = f64::rem_euclid(now, 2.0);
                    now + f64::max(0.2 - phase, 0.0) + 1e-4
                }
            };
            free = done;
            if now < 0.0 {
                continue;
            }
            match values.get_mut(done as usize) {
                Some(second) => second.push(((done - now) * PER_S) as u64),
                None => return values.into_iter().map(counted).collect(),
            }
        }
    }

    /// The true quantile in seconds: M/M/1 by P(R > t) = exp(-(mu - lambda) t), the stall by
    /// P(R > t) = (0.2 s - t) / 2 s, M/D/1 from one long run.
    fn quantile(self, p: f64) -> f64 {
        match self {
            Self::Mm1 { load } => -(1.0 - p).ln() / (RATE_PER_S / load - RATE_PER_S),
            Self::Stall => f64::max(0.2 - 2.0 * (1.0 - p), 0.0) + 1e-4,
            Self::Md1 { .. } => {
                let long = self.run(&mut Random(77), 2000);
                let mut all: Vec<u64> = long
                    .iter()
                    .flatten()
                    .flat_map(|&(v, n)| std::iter::repeat_n(v, n as usize))
                    .collect();
                all.sort_unstable();
                all[(p * all.len() as f64) as usize] as f64 / PER_S
            }
        }
    }

    /// For each quantile: of [`RUNS`] runs, how many gave an interval, and how many of those held
    /// the truth.
    fn covered(self, quantiles: [f64; 3]) -> [(usize, usize); 3] {
        let truths = quantiles.map(|p| self.quantile(p) * PER_S);
        let mut random = Random(0x5eed);
        let mut counts = [(0, 0); 3];
        for _ in 0..RUNS {
            let run = self.run(&mut random, SECONDS);
            for ((p, truth), (given, held)) in quantiles.iter().zip(truths).zip(&mut counts) {
                if let Some((low, high)) = interval(&run, *p) {
                    *given += 1;
                    // Values are cut to whole microseconds.
                    let around = low as f64..=high as f64 + 1.0;
                    *held += usize::from(around.contains(&truth));
                }
            }
        }
        counts
    }
}

fn counted(mut values: Vec<u64>) -> Second {
    values.sort_unstable();
    let runs = values.chunk_by(|a, b| a == b);
    runs.map(|run| (run[0], run.len() as u64)).collect()
}

/// Nominal is 95 of 100; 90 to 99 is what chance leaves of it in 100 runs.
#[test]
fn intervals_of_queues_hold_the_truth() {
    for (model, name) in [
        (Model::Md1 { load: 0.5 }, "M/D/1 at 0.5"),
        (Model::Md1 { load: 0.7 }, "M/D/1 at 0.7"),
        (Model::Mm1 { load: 0.5 }, "M/M/1 at 0.5"),
        (Model::Mm1 { load: 0.7 }, "M/M/1 at 0.7"),
    ] {
        for (given, held) in model.covered([0.5, 0.9, 0.99]) {
            assert!(
                given >= 95,
                "{name}: {given} of {RUNS} runs gave an interval"
            );
            let share = held as f64 / given as f64;
            assert!((0.9..=0.99).contains(&share), "{name}: {held} of {given}");
        }
    }
}

#[test]
fn intervals_under_a_stall_hold_the_truth() {
    let [(given, held), tails @ ..] = Model::Stall.covered([0.5, 0.95, 0.99]);
    assert_eq!((given, held), (RUNS, RUNS), "the median is one value");
    for (given, held) in tails {
        assert_eq!(given, RUNS);
        assert!((90..=99).contains(&held), "{held}");
    }
}

/// A minute of a busy queue says little about its p99, and more often than not says so.
#[test]
fn where_the_tail_is_a_few_busy_periods_there_is_no_interval() {
    let [_, _, (given, _)] = Model::Mm1 { load: 0.9 }.covered([0.5, 0.9, 0.99]);
    assert!(given <= 10, "{given}");
}
