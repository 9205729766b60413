use std::path::Path;
use std::sync::Arc;

use hdrhistogram::serialization::V2DeflateSerializer;

use crate::finished::{Kept, Key, Series};
use crate::spill::{Spill, SpillError};
use crate::{FinishedSeconds, HistogramError, Latency, PackedLatency, Recorder};

/// By how many entries the list grows.
const ROOM_STEP: usize = 256;

/// The seconds of a run that are over: taken out of the recorders of its threads, and compressed
/// where no round waits for it. They are all that a run keeps of its length, a kilobyte or so for
/// each second and round; with a folder to write to, that stands in a file and only a hundred bytes
/// or so stay in memory.
///
/// Writing and reading may wait for the disk: an archive belongs to a thread that sends nothing.
#[derive(Debug, Default)]
pub struct Archive {
    /// By key, rising. There are two of one key when the first one could not be read back.
    kept: Arc<Vec<(Key, Kept)>>,
    spill: Option<Spill>,
    trouble: Option<SpillError>,
}

impl Archive {
    /// From now on keeps seconds in a file without a name in this folder, which vanishes with the
    /// process. Where that fails they stay in memory: see [`Archive::trouble`].
    pub fn spill_to(&mut self, folder: &Path) {
        match Spill::new(folder) {
            Ok(spill) => self.spill = Some(spill),
            Err(error) => self.trouble = Some(error),
        }
    }

    /// Why seconds stay in memory that were to go to a file, told once.
    pub fn trouble(&mut self) -> Option<SpillError> {
        self.trouble.take()
    }

    /// Adds seconds to those that are here.
    pub fn add(&mut self, mut finished: FinishedSeconds) {
        finished.0.sort_by_key(|part| (part.second, part.series));
        let mut serializer = V2DeflateSerializer::new();
        let mut first_round: Option<(usize, Vec<u8>, Kept)> = None;
        for parts in finished
            .0
            .chunk_by(|a, b| (a.second, a.series) == (b.second, b.series))
        {
            let (second, series) = (parts[0].second, parts[0].series);
            let mut latency = Latency::new();
            for part in parts {
                let part = part.latency();
                latency.merge(&part.expect("the recorder wrote these bytes to memory"));
            }
            let place = self.place((second, series));
            let replaces = match self.earlier(place, (second, series)) {
                Some(Ok(earlier)) => {
                    latency.merge(&earlier);
                    true
                }
                // Both are kept, and who reads them says what is wrong with the earlier one.
                Some(Err(_)) | None => false,
            };
            let bytes = latency.to_bytes_with(&mut serializer);
            // Workflows of one round take as long as that: their times are kept once.
            let same = first_round.as_ref().filter(|(of, first, _)| {
                (*of, first) == (second, &bytes) && series == Series::Workflow
            });
            let kept = match same {
                Some((_, _, kept)) => kept.clone(),
                None => Kept::new(self.put(&bytes), &latency),
            };
            if series == Series::Round(0) {
                first_round = Some((second, bytes, kept.clone()));
            }
            // A copy is made only while a recorder has it.
            let all = Arc::make_mut(&mut self.kept);
            if replaces {
                all[place].1 = kept;
            } else {
                if all.len() == all.capacity() {
                    // Not twice the room: that would be most of what a long run adds.
                    all.reserve_exact(ROOM_STEP);
                }
                all.insert(place, ((second, series), kept));
            }
        }
    }

    /// Puts what is here, without copying it, into a recorder that has none of it.
    pub fn lend(&self, recorder: &mut Recorder) {
        recorder.lend(Arc::clone(&self.kept));
    }

    /// Where a key is, or belongs.
    fn place(&self, key: Key) -> usize {
        self.kept.partition_point(|(kept, _)| *kept < key)
    }

    /// What is here of a key that belongs to this place.
    fn earlier(&self, place: usize, key: Key) -> Option<Result<Latency, HistogramError>> {
        let (_, kept) = self.kept.get(place).filter(|(kept, _)| *kept == key)?;
        Some(kept.packed.latency())
    }

    fn put(&mut self, bytes: &[u8]) -> PackedLatency {
        match self.spill.as_mut().map(|spill| spill.put(bytes)) {
            Some(Ok(place)) => return PackedLatency::in_file(place),
            Some(Err(error)) => {
                // It is not tried again: what is in the file already stays there.
                self.spill = None;
                self.trouble = Some(error);
            }
            None => {}
        }
        PackedLatency::from_bytes(bytes)
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

    fn buckets(recorder: &Recorder) -> Vec<(Key, Buckets)> {
        let mut all = Vec::new();
        let unread = recorder.seconds.read(|second, series, buckets| {
            all.push(((second, series), buckets.values().collect()));
        });
        assert_eq!(unread, []);
        all
    }

    /// Archives whose seconds go to memory, to a file, and to one that is full at once.
    fn archives(folder: &Path) -> [Archive; 3] {
        let mut in_file = Archive::default();
        in_file.spill_to(folder);
        let full = Archive {
            spill: Some(Spill::full()),
            ..Archive::default()
        };
        [Archive::default(), in_file, full]
    }

    #[test]
    fn seconds_that_went_through_it_are_those_of_a_recorder_that_kept_them() {
        let folder = tempfile::tempdir().unwrap();
        for (mut archive, [in_memory, troubles]) in
            archives(folder.path())
                .into_iter()
                .zip([[true, false], [false, false], [true, true]])
        {
            let mut whole = Recorder::new(&shape());
            let mut parts = [Recorder::new(&shape()), Recorder::new(&shape())];
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
            assert!(archive.kept.len() >= 4);
            for (_, kept) in archive.kept.iter() {
                assert_eq!(kept.packed.is_in_memory(), in_memory);
            }
            assert_eq!(archive.trouble().is_some(), troubles);
            assert!(archive.trouble().is_none(), "told once");
        }
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
        let folder = tempfile::tempdir().unwrap();
        let mut archive = Archive::default();
        archive.spill_to(folder.path());
        archive.add(seconds.take_finished());
        let [(_, round), (_, workflow)] = &archive.kept[..] else {
            panic!("{archive:?}");
        };
        assert_eq!(format!("{round:?}"), format!("{workflow:?}"), "one place");
    }

    #[test]
    fn a_second_that_cannot_be_read_back_is_named_and_later_ones_stay() {
        let folder = tempfile::tempdir().unwrap();
        let mut archive = Archive::default();
        archive.spill_to(folder.path());
        let mut recorder = Recorder::new(&shape());
        workflow(&mut recorder, 900);
        workflow(&mut recorder, 1900);
        archive.add(recorder.take_finished());
        archive.spill.as_ref().unwrap().damage();
        // One late sample of the same second, and the next one.
        workflow(&mut recorder, 900);
        workflow(&mut recorder, 2900);
        archive.add(recorder.take_finished());
        archive.lend(&mut recorder);
        let mut read = Vec::new();
        let unread = recorder.seconds.read(|second, _, _| read.push(second));
        assert_eq!(read, [0, 1, 2]);
        let [unread] = &unread[..] else {
            panic!("{unread:?}");
        };
        assert_eq!((unread.second, unread.series), (0, Series::Workflow));
        assert!(unread.why.starts_with("the histogram"), "{unread:?}");
    }
}
