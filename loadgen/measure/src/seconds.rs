use std::collections::BTreeMap;
use std::time::Duration;

use hdrhistogram::serialization::V2Serializer;

use crate::Latency;

/// What happened in one second of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SecondCounts {
    /// Rounds whose first attempt was sent in it.
    pub(crate) sent: u64,
    /// Rounds that ended in it, well or not.
    pub(crate) done: u64,
    /// Rounds that ended well in it.
    pub(crate) ok: u64,
}

/// The per-second series. The second in progress has live histograms, one per round; a finished
/// one is kept as V2 bytes, a few kilobytes for each round, so that a run of ten minutes at ten
/// thousand rounds per second stays around ten megabytes. The bytes are not compressed here:
/// deflating stops the sending thread for longer than a round takes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seconds {
    counts: Vec<SecondCounts>,
    finished: Vec<Finished>,
    live_second: usize,
    live: Vec<Latency>,
}

/// Response times of successful rounds of one second; several may exist for one second and round
/// (from several threads, or from samples that came late) and are added when read.
#[derive(Debug, Clone)]
struct Finished {
    second: usize,
    round: u16,
    bytes: Box<[u8]>,
}

/// Some of the response times of one second and round.
enum Part<'a> {
    Live(&'a Latency),
    Finished(&'a [u8]),
}

impl Part<'_> {
    fn add_to(&self, together: &mut Latency) {
        match self {
            Self::Live(live) => together.merge(live),
            Self::Finished(bytes) => together.merge(
                &Latency::from_bytes(bytes).expect("the bytes were written by this recorder"),
            ),
        }
    }
}

impl Seconds {
    pub(crate) fn sent(&mut self, at: Duration) {
        self.counts_at(second_of(at)).sent += 1;
    }

    pub(crate) fn failed(&mut self, at: Duration) {
        self.counts_at(second_of(at)).done += 1;
    }

    pub(crate) fn ok(&mut self, at: Duration, round: u16, response: Duration) {
        let second = second_of(at);
        let counts = self.counts_at(second);
        counts.done += 1;
        counts.ok += 1;
        if second != self.live_second {
            self.finish_live();
            self.live_second = second;
        }
        let round = usize::from(round);
        if self.live.len() <= round {
            self.live.resize_with(round + 1, Latency::new);
        }
        self.live[round].record(response);
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (second, counts) in other.counts.iter().enumerate() {
            let mine = self.counts_at(second);
            mine.sent += counts.sent;
            mine.done += counts.done;
            mine.ok += counts.ok;
        }
        self.finished.extend_from_slice(&other.finished);
        self.finished.extend(other.live_as_finished());
    }

    pub(crate) fn counts(&self) -> &[SecondCounts] {
        &self.counts
    }

    /// Response times of successful rounds by (second, round), rising. Each is made as it is asked
    /// for: all together would be a hundred kilobytes for every second and round.
    pub(crate) fn responses(&self) -> impl Iterator<Item = ((usize, u16), Latency)> + '_ {
        let mut parts: BTreeMap<(usize, u16), Vec<Part<'_>>> = BTreeMap::new();
        for (index, live) in self.live.iter().enumerate().filter(|(_, l)| !l.is_empty()) {
            let key = (self.live_second, as_round(index));
            parts.entry(key).or_default().push(Part::Live(live));
        }
        for finished in &self.finished {
            let key = (finished.second, finished.round);
            let part = Part::Finished(&finished.bytes);
            parts.entry(key).or_default().push(part);
        }
        parts.into_iter().map(|(key, parts)| {
            let mut together = Latency::new();
            for part in parts {
                part.add_to(&mut together);
            }
            (key, together)
        })
    }

    fn counts_at(&mut self, second: usize) -> &mut SecondCounts {
        if self.counts.len() <= second {
            self.counts.resize(second + 1, SecondCounts::default());
        }
        &mut self.counts[second]
    }

    fn finish_live(&mut self) {
        let finished: Vec<Finished> = self.live_as_finished().collect();
        self.finished.extend(finished);
        for live in &mut self.live {
            live.clear();
        }
    }

    fn live_as_finished(&self) -> impl Iterator<Item = Finished> + '_ {
        let live = self.live.iter().enumerate().filter(|(_, l)| !l.is_empty());
        let mut serializer = V2Serializer::new();
        live.map(move |(index, latency)| Finished {
            second: self.live_second,
            round: as_round(index),
            bytes: latency.to_plain_bytes(&mut serializer).into_boxed_slice(),
        })
    }
}

fn second_of(at: Duration) -> usize {
    usize::try_from(at.as_secs()).unwrap_or(usize::MAX)
}

fn as_round(index: usize) -> u16 {
    u16::try_from(index).expect("rounds are numbered with 16 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn late_samples_land_in_their_own_second() {
        let mut seconds = Seconds::default();
        seconds.ok(Duration::from_millis(500), 0, MS);
        seconds.ok(Duration::from_millis(1500), 0, 2 * MS);
        seconds.ok(Duration::from_millis(900), 0, 3 * MS);
        seconds.failed(Duration::from_millis(1600));
        let responses: BTreeMap<_, _> = seconds.responses().collect();
        assert_eq!(responses[&(0, 0)].count(), 2);
        assert_eq!(responses[&(1, 0)].count(), 1);
        assert_eq!(seconds.counts()[1].done, 2);
        assert_eq!(seconds.counts()[1].ok, 1);
    }

    #[test]
    fn a_busy_second_takes_little_memory() {
        let mut seconds = Seconds::default();
        // A spread wider than real: 10 000 times over two decades, evenly in their logarithm.
        for step in 0..10_000_u32 {
            let time = MS.mul_f64(10_f64.powf(f64::from(step) / 5000.0));
            seconds.ok(Duration::from_millis(100), 0, time);
        }
        seconds.finish_live();
        let bytes: usize = seconds.finished.iter().map(|f| f.bytes.len()).sum();
        assert!(bytes < 20_000, "{bytes} bytes for one second");
    }
}
