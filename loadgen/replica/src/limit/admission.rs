use std::num::NonZeroU32;
use std::time::Duration;

use crate::limit::Quota;

/// What the limiter says to one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    /// Serve it. Without an allowance when Redis could not be asked and requests are then served.
    Admitted(Option<Allowance>),
    /// Refuse it.
    Limited(Allowance),
    /// Redis could not be asked, and requests are then refused.
    Unavailable,
}

/// What is left of a quota after a request was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Allowance {
    /// The burst, in requests.
    pub(crate) limit: NonZeroU32,
    /// The time that refills a whole burst.
    pub(crate) window: Duration,
    /// Requests that may follow at once; 0 in a refusal.
    pub(crate) remaining: u32,
    /// The time until one more request may follow: after a refusal how long to wait, after an
    /// admission at most this long.
    pub(crate) next: Duration,
}

impl Allowance {
    pub(crate) const fn of(quota: Quota, remaining: u32, next: Duration) -> Self {
        Self {
            limit: quota.burst(),
            window: quota.window(),
            remaining,
            next,
        }
    }
}
