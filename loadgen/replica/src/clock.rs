use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use loadgen_seal::UnixSeconds;

/// The wall clock that decides when a state expires. It is an argument so that tests, and replicas
/// that are meant to be skewed, can say what time it is.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> UnixSeconds + Send + Sync>);

impl Clock {
    /// The machine's own clock.
    pub fn system() -> Self {
        Self::from_fn(|| UnixSeconds::from(SystemTime::now()))
    }

    /// A clock that reads `now` each time.
    pub fn from_fn(now: impl Fn() -> UnixSeconds + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    pub(crate) fn now(&self) -> UnixSeconds {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now().0)
    }
}
