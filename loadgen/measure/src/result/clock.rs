use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When the run was and how long. Durations come from the monotonic clock, stamps from the wall
/// clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunClock {
    /// Wall-clock start, RFC 3339 in UTC.
    pub started_at: String,
    /// Wall-clock end, RFC 3339 in UTC.
    pub ended_at: String,
    /// From start to end including the drain, in seconds.
    pub duration_s: f64,
    /// From start to the last planned send (or the interruption), in seconds: what rates are
    /// over.
    pub load_s: f64,
    /// Wall-clock duration less monotonic duration, in seconds.
    pub wall_less_monotonic_s: f64,
    /// Whether the two clocks disagree by more than 1 s (a clock step, or a suspended machine).
    pub clocks_disagree: bool,
}

impl RunClock {
    /// From the wall clock at both ends and the two monotonic durations. A stamp outside the
    /// years -9999 to 9999 is written as the nearest one that can be.
    pub fn new(
        started_at: SystemTime,
        ended_at: SystemTime,
        duration: Duration,
        load: Duration,
    ) -> Self {
        let wall_s = match ended_at.duration_since(started_at) {
            Ok(forward) => forward.as_secs_f64(),
            Err(backward) => -backward.duration().as_secs_f64(),
        };
        let wall_less_monotonic_s = wall_s - duration.as_secs_f64();
        Self {
            started_at: stamp(started_at),
            ended_at: stamp(ended_at),
            duration_s: duration.as_secs_f64(),
            load_s: load.as_secs_f64(),
            wall_less_monotonic_s,
            clocks_disagree: wall_less_monotonic_s.abs() > 1.0,
        }
    }
}

fn stamp(time: SystemTime) -> String {
    let timestamp = Timestamp::try_from(time).unwrap_or(if time < SystemTime::UNIX_EPOCH {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    });
    timestamp.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_step_is_flagged_and_leaves_durations_alone() {
        let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let ten = Duration::from_secs(10);
        let good = RunClock::new(start, start + ten, ten, ten);
        assert_eq!(good.started_at, "2027-01-15T08:00:00Z");
        assert!(!good.clocks_disagree);
        let stepped = RunClock::new(start, start + ten - Duration::from_secs(3600), ten, ten);
        assert!(stepped.clocks_disagree);
        assert_eq!(stepped.wall_less_monotonic_s, -3600.0);
        assert_eq!(stepped.duration_s, 10.0);
    }
}
