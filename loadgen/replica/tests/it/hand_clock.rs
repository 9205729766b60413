use std::sync::mpsc;
use std::time::Duration;

use tokio::task::{spawn_blocking, yield_now};

/// A Tokio clock that moves only by hand. One that is merely paused jumps to the next timer
/// whenever a test waits for a socket.
pub(crate) struct HandClock {
    /// Tokio's clock does not jump while blocking work is under way, which this is until it is
    /// dropped.
    _busy: mpsc::Sender<()>,
}

impl HandClock {
    /// Stops the clock of the current runtime, which has to be a single-threaded one.
    pub(crate) fn stop() -> Self {
        let (busy, idle) = mpsc::channel::<()>();
        spawn_blocking(move || idle.recv());
        tokio::time::pause();
        Self { _busy: busy }
    }

    /// Moves on in steps of at most a second, and lets everybody act after each.
    pub(crate) async fn advance(&self, by: Duration) {
        let mut rest = by;
        while !rest.is_zero() {
            let step = rest.min(Duration::from_secs(1));
            tokio::time::advance(step).await;
            settle().await;
            rest -= step;
        }
    }
}

/// Lets every task of this thread do what it can do now.
pub(crate) async fn settle() {
    // The runtime looks at timers and sockets after every 61 tasks.
    for _ in 0..200 {
        yield_now().await;
    }
}
