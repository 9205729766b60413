use std::fs::File;
use std::time::Duration;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use tokio::net::unix::pipe::Receiver;
use tokio::time::{Instant, sleep_until};

/// Waits for moments. Never early; late by what the kernel and the runtime need to wake up.
#[derive(Debug)]
pub struct Timer(Kind);

#[derive(Debug)]
enum Kind {
    /// A kernel timer (timerfd_create(2)): fine, and not subject to the thread's timer slack. Its
    /// descriptor is read like that of a pipe, the runtime's one safe way to watch it.
    Fine(Receiver),
    Coarse,
}

impl Timer {
    /// The finest that this machine has: a kernel timer, or [`Self::coarse`] where there is none.
    /// It does not follow paused time.
    ///
    /// # Panics
    /// Outside a Tokio runtime that has its I/O driver.
    #[must_use]
    pub fn finest() -> Self {
        timerfd_create(
            TimerfdClockId::Monotonic,
            TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC,
        )
        .ok()
        .and_then(|timer| Receiver::from_file_unchecked(File::from(timer)).ok())
        .map_or(Self::coarse(), |timer| Self(Kind::Fine(timer)))
    }

    /// The runtime's own timer, to the next millisecond. It follows paused time.
    #[must_use]
    pub const fn coarse() -> Self {
        Self(Kind::Coarse)
    }

    /// Whether it is a kernel timer.
    #[must_use]
    pub const fn is_fine(&self) -> bool {
        matches!(self.0, Kind::Fine(_))
    }

    /// Returns at `moment`, or at once when it has passed. One task at a time may wait: the kernel
    /// timer holds one moment.
    pub async fn until(&self, moment: Instant) {
        let Kind::Fine(timer) = &self.0 else {
            return sleep_until(moment).await;
        };
        loop {
            let left = moment.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            if arm(timer, left).is_err() || timer.readable().await.is_err() {
                return sleep_until(moment).await;
            }
            // The count of expirations is of no interest; reading it makes the timer unready.
            let _ = timer.try_read(&mut [0; 8]);
        }
    }
}

fn arm(timer: &Receiver, left: Duration) -> rustix::io::Result<()> {
    let spec = Itimerspec {
        it_interval: Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        },
        it_value: Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(left.subsec_nanos()),
        },
    };
    timerfd_settime(timer, TimerfdTimerFlags::empty(), &spec).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_fine_wait_is_never_early() {
        let timer = Timer::finest();
        for micros in [0, 50, 700, 1500] {
            let moment = Instant::now() + Duration::from_micros(micros);
            timer.until(moment).await;
            assert!(Instant::now() >= moment);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_coarse_wait_follows_paused_time() {
        let moment = Instant::now() + Duration::from_secs(3600);
        Timer::coarse().until(moment).await;
        assert!(Instant::now() >= moment);
    }
}
