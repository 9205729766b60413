use std::cell::RefCell;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use hdrhistogram::serialization::Serializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use hdrhistogram::{Counter, Histogram};
use jiff::Timestamp;

use super::run::RunResult;
use super::store::{SaveError, save_with};
use crate::HistogramError;
use crate::buckets::Reader;

/// Why a histogram log could not be made.
#[derive(Debug, thiserror::Error)]
pub enum HlogError {
    /// A stored histogram of a second is damaged.
    #[error("seconds[{second}], round {round}: {source}")]
    Histogram {
        /// The second.
        second: u64,
        /// The round.
        round: u16,
        /// What is wrong with it.
        source: HistogramError,
    },
    /// The start of the run is not a time.
    #[error("clock.started_at is not an RFC 3339 time: {0}")]
    Start(String),
    /// The log could not be put together.
    #[error("the histogram log could not be written: {0}")]
    Write(String),
}

impl RunResult {
    /// Writes the response times of successful rounds in HdrHistogram's log format 1.3: one line per
    /// second and round, tagged `round0`, `round1` and so on. Values are nanoseconds; the
    /// `Interval_Max` column is in milliseconds.
    ///
    /// # Errors
    /// When a stored histogram or the start time is damaged, or `out` takes no more.
    pub fn write_hlog(&self, out: &mut impl Write) -> Result<(), HlogError> {
        let start: Timestamp = self
            .clock
            .started_at
            .parse()
            .map_err(|_| HlogError::Start(self.clock.started_at.clone()))?;
        let since_epoch = Duration::try_from(start.as_duration())
            .map_err(|_| HlogError::Start(self.clock.started_at.clone()))?;
        let start = SystemTime::UNIX_EPOCH + since_epoch;
        // A line break would end the comment.
        let name = self.scenario.name.replace(char::is_control, " ");
        let write = |error: &dyn std::fmt::Display| HlogError::Write(error.to_string());
        let stored = RefCell::default();
        let mut serializer = AsStored(&stored);
        let mut log = IntervalLogWriterBuilder::new()
            .add_comment("[Histogram log format version 1.3]")
            .add_comment(&format!("[Scenario: {name}]"))
            .add_comment("[Values: response time of successful rounds in nanoseconds]")
            .with_base_time(start)
            .with_start_time(start)
            .with_max_value_divisor(1e6)
            .begin_log_with(out, &mut serializer)
            .map_err(|error| write(&error))?;
        let mut reader = Reader::new();
        // The log asks for a histogram, and of that only for its maximum.
        let mut longest = Histogram::<u64>::new(3).map_err(|error| write(&error))?;
        for second in &self.seconds {
            for round in &second.rounds {
                let damaged = |source| HlogError::Histogram {
                    second: second.second,
                    round: round.round,
                    source,
                };
                let buckets = reader.packed(&round.histogram).map_err(damaged)?;
                longest.reset();
                if let Some((ns, _)) = buckets.values().last() {
                    longest.record(ns).map_err(|error| write(&error))?;
                }
                let read = round.histogram.read_into(&mut stored.borrow_mut());
                read.map_err(|error| damaged(error.into()))?;
                let tag = format!("round{}", round.round);
                let since_start = Duration::from_secs(second.second);
                let length = Duration::from_secs(1);
                log.write_histogram(&longest, since_start, length, Tag::new(&tag))
                    .map_err(|error| write(&error))?;
            }
        }
        Ok(())
    }

    /// Writes it as a file, wholly or not at all: see [`RunResult::write_hlog`].
    ///
    /// # Errors
    /// As [`RunResult::write_hlog`], and when the folder is missing, not writable or full.
    pub fn save_hlog(&self, path: &Path) -> Result<(), SaveError> {
        save_with(path, |file| self.write_hlog(file).map_err(io::Error::other))
    }
}

/// Writes the bytes that are stored, whatever the histogram: packing it once more would take longer
/// than all else.
struct AsStored<'a>(&'a RefCell<Vec<u8>>);

impl Serializer for AsStored<'_> {
    type SerializeError = io::Error;

    fn serialize<T: Counter, W: Write>(
        &mut self,
        _: &Histogram<T>,
        writer: &mut W,
    ) -> io::Result<usize> {
        let bytes = self.0.borrow();
        writer.write_all(&bytes)?;
        Ok(bytes.len())
    }
}
