use std::sync::Arc;
use std::time::Duration;

use hdrhistogram::serialization::V2Serializer;
use itertools::{Either, Itertools as _};

use crate::buckets::{Buckets, Reader};
use crate::finished::{Finished, FinishedSeconds, Kept, Key, Part, Series};
use crate::{HistogramError, Latency, PackedLatency};

/// What happened in one second of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SecondCounts {
    /// Rounds whose first attempt was sent in it.
    pub(crate) sent: u64,
    /// Rounds that ended in it, well or not.
    pub(crate) done: u64,
    /// Rounds that ended well in it.
    pub(crate) ok: u64,
    /// Rounds of which something was sent and that ended in it, but not by a timeout.
    pub(crate) settled: u64,
    /// Workflows that were due in it and passed over.
    pub(crate) not_started: u64,
    /// Workflows that ended in it, well or not.
    pub(crate) ended: u64,
    /// Attempts that a rate limit refused in it.
    pub(crate) refused: u64,
}

/// A second that could not be read back from where it was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unread {
    pub(crate) second: usize,
    pub(crate) series: Series,
    pub(crate) why: String,
}

/// The per-second series. The second in progress has live histograms, one per round; a finished
/// one is kept as V2 bytes, a few kilobytes for each round, until somebody takes it for an
/// [`Archive`](crate::Archive). The bytes are not compressed here: deflating stops the sending thread
/// for longer than a round takes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seconds {
    counts: Vec<SecondCounts>,
    finished: Vec<Finished>,
    /// What archives have lent, each by key, rising.
    lent: Vec<Arc<Vec<(Key, Kept)>>>,
    live_second: usize,
    live: Vec<Latency>,
    live_workflows: Latency,
}

impl Seconds {
    pub(crate) fn sent(&mut self, at: Duration) {
        self.counts_at(second_of(at)).sent += 1;
    }

    pub(crate) fn settled(&mut self, at: Duration) {
        self.counts_at(second_of(at)).settled += 1;
    }

    pub(crate) fn not_started(&mut self, due: Duration) {
        self.counts_at(second_of(due)).not_started += 1;
    }

    pub(crate) fn refused(&mut self, at: Duration) {
        self.counts_at(second_of(at)).refused += 1;
    }

    pub(crate) fn failed(&mut self, at: Duration) {
        self.counts_at(second_of(at)).done += 1;
    }

    pub(crate) fn ok(&mut self, at: Duration, round: u16, response: Duration) {
        let counts = self.counts_at(second_of(at));
        counts.done += 1;
        counts.ok += 1;
        self.go_to(at);
        let round = usize::from(round);
        if self.live.len() <= round {
            self.live.resize_with(round + 1, Latency::new);
        }
        self.live[round].record(response);
    }

    /// A workflow ended, well or not.
    pub(crate) fn ended(&mut self, at: Duration) {
        self.counts_at(second_of(at)).ended += 1;
    }

    /// A workflow ended well.
    pub(crate) fn workflow(&mut self, at: Duration, response: Duration) {
        self.go_to(at);
        self.live_workflows.record(response);
    }

    fn go_to(&mut self, at: Duration) {
        let second = second_of(at);
        if second != self.live_second {
            self.finish_live();
            self.live_second = second;
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (second, counts) in other.counts.iter().enumerate() {
            let mine = self.counts_at(second);
            mine.sent += counts.sent;
            mine.done += counts.done;
            mine.ok += counts.ok;
            mine.settled += counts.settled;
            mine.not_started += counts.not_started;
            mine.ended += counts.ended;
            mine.refused += counts.refused;
        }
        self.finished.extend_from_slice(&other.finished);
        self.finished.extend(other.live_as_finished());
        self.lent.extend_from_slice(&other.lent);
    }

    pub(crate) fn counts(&self) -> &[SecondCounts] {
        &self.counts
    }

    /// Takes out the seconds that are over.
    pub(crate) fn take_finished(&mut self) -> FinishedSeconds {
        FinishedSeconds(std::mem::take(&mut self.finished))
    }

    /// Puts in seconds that are over, by key, rising.
    pub(crate) fn lend(&mut self, kept: Arc<Vec<(Key, Kept)>>) {
        self.lent.push(kept);
    }

    /// Reads everything once, by (second, series), rising. What is read is shown and let go: all
    /// together would be tens of kilobytes for every second and series. Gives what could not be read.
    pub(crate) fn read(&self, mut see: impl FnMut(usize, Series, &Buckets)) -> Vec<Unread> {
        let mut reader = Reader::new();
        let mut unread = Vec::new();
        let by_key = self.parts(|_| true).chunk_by(|(key, _)| *key);
        for ((second, series), parts) in &by_key {
            let parts: Vec<_> = parts.map(|(_, part)| part).collect();
            let read = match &parts[..] {
                [only] => only
                    .read(&mut reader)
                    .map(|read| see(second, series, &read)),
                parts => {
                    let (mut sum, mut failed) = (Buckets::none(), Ok(()));
                    for part in parts {
                        match part.read(&mut reader) {
                            Ok(read) => sum.add(&read),
                            Err(error) => failed = Err(error),
                        }
                    }
                    if sum.count() > 0 {
                        see(second, series, &sum);
                    }
                    failed
                }
            };
            if let Err(error) = read {
                unread.push(Unread {
                    second,
                    series,
                    why: error.to_string(),
                });
            }
        }
        unread
    }

    /// Those of rounds as they are kept, by (second, round), rising. What cannot be read is left out:
    /// [`Seconds::read`] names it.
    pub(crate) fn rounds(&self) -> impl Iterator<Item = ((usize, u16), Kept)> + '_ {
        let rounds = self.parts(|series| matches!(series, Series::Round(_)));
        let mut rounds = rounds.peekable();
        let chunks = std::iter::from_fn(move || {
            let (key, first) = rounds.next()?;
            let more = std::iter::from_fn(|| rounds.next_if(|(next, _)| *next == key));
            Some((key, together(first, more.map(|(_, part)| part)).ok()))
        });
        chunks.filter_map(|((second, series), kept)| match series {
            Series::Round(round) => Some(((second, round), kept?)),
            Series::Workflow => None,
        })
    }

    /// The series that are wanted, in pieces, by (second, series), rising. What archives have lent is
    /// most of a long run and is not copied.
    fn parts(&self, wanted: impl Fn(Series) -> bool) -> impl Iterator<Item = (Key, Part<'_>)> {
        let live = self
            .live_series()
            .map(|(series, live)| ((self.live_second, series), Part::Live(live)));
        let finished = self
            .finished
            .iter()
            .map(|finished| ((finished.second, finished.series), Part::Finished(finished)));
        let mut own: Vec<_> = live.chain(finished).collect();
        own.sort_by_key(|(key, _)| *key);
        let lent = self.lent.iter().map(|lent| {
            let parts = lent.iter().map(|(key, kept)| (*key, Part::Kept(kept)));
            Either::Right(parts)
        });
        [Either::Left(own.into_iter())]
            .into_iter()
            .chain(lent)
            .kmerge_by(|a, b| a.0 < b.0)
            .filter(move |(key, _)| wanted(key.1))
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
        for live in self.live.iter_mut().chain([&mut self.live_workflows]) {
            live.clear();
        }
    }

    /// The histograms of the second in progress that hold something.
    fn live_series(&self) -> impl Iterator<Item = (Series, &Latency)> {
        let rounds = (0..).map(Series::Round).zip(&self.live);
        rounds
            .chain([(Series::Workflow, &self.live_workflows)])
            .filter(|(_, latency)| !latency.is_empty())
    }

    fn live_as_finished(&self) -> impl Iterator<Item = Finished> + '_ {
        let mut serializer = V2Serializer::new();
        self.live_series().map(move |(series, latency)| Finished {
            second: self.live_second,
            series,
            bytes: Arc::from(latency.to_plain_bytes(&mut serializer)),
        })
    }
}

/// Parts of one second and series as one.
fn together<'a>(
    first: Part<'a>,
    more: impl Iterator<Item = Part<'a>>,
) -> Result<Kept, HistogramError> {
    let mut more = more.peekable();
    if let (Some(kept), None) = (first.kept(), more.peek()) {
        return Ok(kept.clone());
    }
    let mut latency = first.latency()?.into_owned();
    for part in more {
        latency.merge(&*part.latency()?);
    }
    Ok(Kept::new(PackedLatency::of(&latency), &latency))
}

fn second_of(at: Duration) -> usize {
    usize::try_from(at.as_secs()).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn late_samples_land_in_their_own_second() {
        let mut seconds = Seconds::default();
        seconds.ok(Duration::from_millis(500), 0, MS);
        seconds.ok(Duration::from_millis(1500), 0, 2 * MS);
        seconds.ok(Duration::from_millis(900), 0, 3 * MS);
        seconds.failed(Duration::from_millis(1600));
        seconds.workflow(Duration::from_millis(1700), 4 * MS);
        let mut counts = BTreeMap::new();
        let unread = seconds.read(|second, series, buckets| {
            counts.insert((second, series), buckets.count());
        });
        assert_eq!(unread, []);
        assert_eq!(counts[&(0, Series::Round(0))], 2);
        assert_eq!(counts[&(1, Series::Round(0))], 1);
        assert_eq!(counts[&(1, Series::Workflow)], 1);
        let rounds = seconds
            .rounds()
            .map(|(key, kept)| (key, kept.figures.count));
        assert_eq!(rounds.collect::<Vec<_>>(), [((0, 0), 2), ((1, 0), 1)]);
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
        let finished = seconds.finished.iter();
        let bytes: usize = finished.map(|f| f.bytes.len()).sum();
        assert!(bytes < 20_000, "{bytes} bytes for one second");
    }
}
