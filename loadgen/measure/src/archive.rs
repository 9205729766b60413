use std::collections::BTreeMap;

use crate::finished::{Bytes, Finished, Series};
use crate::{FinishedSeconds, PackedLatency, Recorder};

/// The seconds of a run that are over: taken out of the recorders of its threads, and compressed
/// where no round waits for it. They are all that a run keeps of its length, a kilobyte or so for
/// each second and round.
#[derive(Debug, Default)]
pub struct Archive(BTreeMap<(usize, Series), PackedLatency>);

impl Archive {
    /// Adds seconds to those that are here.
    pub fn add(&mut self, finished: FinishedSeconds) {
        for part in finished.0 {
            let mut latency = part.latency();
            let key = (part.second, part.series);
            if let Some(kept) = self.0.get(&key) {
                let kept = kept.latency().expect("the bytes were written here");
                latency.merge(&kept);
            }
            let packed = PackedLatency::of(&latency);
            // Workflows of one round take as long as that: their times are kept once.
            let round = self.0.get(&(part.second, Series::Round(0)));
            let same = round.filter(|round| **round == packed).cloned();
            self.0.insert(key, same.unwrap_or(packed));
        }
    }

    /// Puts what is here, without copying it, into a recorder that has none of it.
    pub fn lend(&self, recorder: &mut Recorder) {
        let all = self.0.iter();
        recorder.add_finished(all.map(|(&(second, series), packed)| Finished {
            second,
            series,
            bytes: Bytes::Compressed(packed.clone()),
        }));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{Outcome, Shape, WorkflowSample};

    fn shape() -> Shape {
        Shape {
            kinds: vec!["k".to_owned()],
            replicas: vec!["r".to_owned()],
        }
    }

    fn workflow(recorder: &mut Recorder, at_ms: u64) {
        recorder.workflow(&WorkflowSample {
            kind: 0,
            outcome: Outcome::Ok,
            rounds: 1,
            intended: Duration::from_millis(at_ms - at_ms % 40),
            started: Duration::from_millis(at_ms - at_ms % 40),
            done: Duration::from_millis(at_ms),
            think: Duration::ZERO,
        });
    }

    type Buckets = Vec<(u64, u64)>;

    fn buckets(recorder: &Recorder) -> Vec<((usize, Series), Buckets)> {
        let all = recorder.seconds.responses();
        all.map(|(key, latency)| (key, latency.buckets().collect()))
            .collect()
    }

    #[test]
    fn seconds_that_went_through_it_are_those_of_a_recorder_that_kept_them() {
        let mut whole = Recorder::new(&shape());
        let mut parts = [Recorder::new(&shape()), Recorder::new(&shape())];
        let mut archive = Archive::default();
        for at_ms in (1..5000).step_by(7) {
            // Every thirteenth comes a second late.
            let at_ms = if at_ms % 13 == 0 { at_ms + 1000 } else { at_ms };
            workflow(&mut whole, at_ms);
            workflow(&mut parts[usize::from(at_ms % 3 == 0)], at_ms);
            if at_ms % 11 == 0 {
                for part in &mut parts {
                    archive.add(part.take_finished());
                }
            }
        }
        let [mut sum, other] = parts;
        sum.merge(&other);
        assert_ne!(buckets(&sum), buckets(&whole), "some are in the archive");
        archive.lend(&mut sum);
        assert_eq!(buckets(&sum), buckets(&whole));
    }

    #[test]
    fn times_of_workflows_of_one_round_are_kept_once() {
        let mut seconds = crate::seconds::Seconds::default();
        for step in 1..500_u64 {
            let (at, time) = (Duration::from_millis(step), Duration::from_micros(step));
            seconds.ok(at, 0, time);
            seconds.workflow(at, time);
        }
        seconds.workflow(Duration::from_secs(1), Duration::from_secs(1));
        let mut archive = Archive::default();
        archive.add(seconds.take_finished());
        let kept: Vec<_> = archive
            .0
            .values()
            .map(|packed| packed.bytes().as_ptr())
            .collect();
        assert_eq!(kept.len(), 2);
        assert_eq!(kept[0], kept[1]);
    }
}
