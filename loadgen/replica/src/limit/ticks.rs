use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The clock that refills quotas: the time since some fixed moment, which replicas that share a
/// limit must agree on. It is an argument so that tests can stop the refill.
#[derive(Clone)]
pub struct Ticks(Arc<dyn Fn() -> Duration + Send + Sync>);

impl Ticks {
    /// This process's own monotonic clock.
    pub fn system() -> Self {
        let start = Instant::now();
        Self::from_fn(move || start.elapsed())
    }

    /// A clock that reads `now` each time.
    pub fn from_fn(now: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    pub(crate) fn now(&self) -> Duration {
        (self.0)()
    }
}

impl governor::clock::Clock for Ticks {
    type Instant = Duration;

    fn now(&self) -> Duration {
        (self.0)()
    }
}

impl fmt::Debug for Ticks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ticks({:?})", self.now())
    }
}
