use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use loadgen_seal::UnixSeconds;

/// The wall clock that decides when a state expires, in milliseconds. It is an argument so that tests, and replicas
/// that are meant to be skewed, can say what time it is.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> u64 + Send + Sync>);

impl Clock {
    /// The machine's own clock.
    pub fn system() -> Self {
        Self::from_ms(|| {
            let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
            since_1970.map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX))
        })
    }

    /// A clock that reads `now` each time.
    pub fn from_fn(now: impl Fn() -> UnixSeconds + Send + Sync + 'static) -> Self {
        Self::from_ms(move || now().0.saturating_mul(1000))
    }

    /// A clock that reads `now_ms`, milliseconds since 1970, each time.
    pub fn from_ms(now_ms: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(now_ms))
    }

    pub(crate) fn now(&self) -> UnixSeconds {
        UnixSeconds(self.now_ms() / 1000)
    }

    pub(crate) fn now_ms(&self) -> u64 {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now_ms())
    }
}
