use std::time::Duration;

use serde::Deserialize;

use crate::faults::millis::MAX_MS;

/// A pause that comes back: nothing is processed for `length` in every `period`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Wire")]
pub(crate) struct Stall {
    length: Duration,
    period: Duration,
    /// From the start moment to the first pause.
    offset: Duration,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    for_ms: u64,
    every_ms: u64,
    #[serde(default)]
    offset_ms: u64,
}

impl Stall {
    /// What is left of the pause that lies over the moment `elapsed` after the start, if one does.
    /// Pauses hold their first moment and not their last.
    pub(crate) fn left(&self, elapsed: Duration) -> Option<Duration> {
        let since_first = elapsed.checked_sub(self.offset)?.as_nanos();
        let into = since_first % self.period.as_nanos();
        let left = self.length.as_nanos().checked_sub(into)?;
        // At most `length`, which came from 64 bits of milliseconds within an hour.
        let left = Duration::from_nanos(u64::try_from(left).ok()?);
        (!left.is_zero()).then_some(left)
    }
}

impl TryFrom<Wire> for Stall {
    type Error = String;

    fn try_from(wire: Wire) -> Result<Self, String> {
        let Wire {
            for_ms,
            every_ms,
            offset_ms,
        } = wire;
        if for_ms == 0 || for_ms >= every_ms {
            return Err("for_ms must be at least 1 and less than every_ms".to_owned());
        }
        if every_ms > MAX_MS || offset_ms > MAX_MS {
            return Err(format!("every_ms and offset_ms must be at most {MAX_MS}"));
        }
        Ok(Self {
            length: Duration::from_millis(for_ms),
            period: Duration::from_millis(every_ms),
            offset: Duration::from_millis(offset_ms),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stall(json: &str) -> Stall {
        serde_json::from_str(json).unwrap()
    }

    fn left_ms(stall: Stall, elapsed_ms: u64) -> Option<u128> {
        let left = stall.left(Duration::from_millis(elapsed_ms));
        left.map(|left| left.as_millis())
    }

    #[test]
    fn pauses_begin_with_the_start_and_come_back_each_period() {
        let stall = stall(r#"{"for_ms":200,"every_ms":2000}"#);
        for period in [0, 2000, 600_000] {
            assert_eq!(left_ms(stall, period), Some(200));
            assert_eq!(left_ms(stall, period + 150), Some(50));
            assert_eq!(left_ms(stall, period + 200), None);
            assert_eq!(left_ms(stall, period + 1999), None);
        }
    }

    #[test]
    fn an_offset_puts_the_first_pause_off() {
        let stall = stall(r#"{"for_ms":10,"every_ms":100,"offset_ms":250}"#);
        assert_eq!(left_ms(stall, 0), None);
        assert_eq!(left_ms(stall, 155), None);
        assert_eq!(left_ms(stall, 255), Some(5));
        assert_eq!(left_ms(stall, 355), Some(5));
    }

    #[test]
    fn the_paused_share_of_a_period_is_what_was_asked_for() {
        let stall = stall(r#"{"for_ms":200,"every_ms":2000}"#);
        let paused = (0..20_000).filter(|&ms| left_ms(stall, ms).is_some());
        assert_eq!(paused.count(), 2000);
    }

    #[test]
    fn a_pause_without_an_end_is_refused() {
        for bad in [
            r#"{"for_ms":2000,"every_ms":2000}"#,
            r#"{"for_ms":0,"every_ms":2000}"#,
            r#"{"for_ms":1,"every_ms":3600001}"#,
            r#"{"for_ms":1}"#,
        ] {
            assert!(serde_json::from_str::<Stall>(bad).is_err(), "{bad}");
        }
    }
}
