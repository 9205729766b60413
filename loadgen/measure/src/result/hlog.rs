use std::time::{Duration, SystemTime};

use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use jiff::Timestamp;

use super::run::RunResult;
use crate::HistogramError;

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
    /// The response times of successful rounds in HdrHistogram's log format 1.3: one line per
    /// second and round, tagged `round0`, `round1` and so on. Values are nanoseconds; the
    /// `Interval_Max` column is in milliseconds.
    ///
    /// # Errors
    /// When a stored histogram or the start time is damaged.
    pub fn hlog(&self) -> Result<String, HlogError> {
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
        let mut text = Vec::new();
        let mut serializer = V2DeflateSerializer::new();
        let mut log = IntervalLogWriterBuilder::new()
            .add_comment("[Histogram log format version 1.3]")
            .add_comment(&format!("[Scenario: {name}]"))
            .add_comment("[Values: response time of successful rounds in nanoseconds]")
            .with_base_time(start)
            .with_start_time(start)
            .with_max_value_divisor(1e6)
            .begin_log_with(&mut text, &mut serializer)
            .map_err(|error| write(&error))?;
        for second in &self.seconds {
            for round in &second.rounds {
                let latency = round
                    .histogram
                    .latency()
                    .map_err(|source| HlogError::Histogram {
                        second: second.second,
                        round: round.round,
                        source,
                    })?;
                let tag = format!("round{}", round.round);
                let since_start = Duration::from_secs(second.second);
                let length = Duration::from_secs(1);
                log.write_histogram(latency.histogram(), since_start, length, Tag::new(&tag))
                    .map_err(|error| write(&error))?;
            }
        }
        String::from_utf8(text).map_err(|error| write(&error))
    }
}
