use http::header::RETRY_AFTER;
use http::{HeaderName, HeaderValue};
use loadgen_seal::UnixSeconds;

use super::{moment, seconds};
use crate::http::reply::Field;
use crate::limit::Allowance;

/// The header fields of a signal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fields {
    pub(super) retry_after: Option<RetryAfter>,
    /// `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10, RFC 9651).
    pub(super) structured: bool,
    /// `RateLimit-Limit`, `-Remaining` and `-Reset`, from drafts before them.
    pub(super) trio: bool,
    /// The same three with `X-` in front.
    pub(super) x_trio: bool,
    /// How the trios tell the reset.
    pub(super) reset: Reset,
    /// The policy's name; visible ASCII without quotes and backslashes.
    pub(super) policy: String,
    /// `RateLimit-Scope`.
    pub(super) scope: Option<HeaderValue>,
}

/// The value of `Retry-After` (RFC 9110, 10.2.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RetryAfter {
    Seconds,
    Date,
    /// The same text whatever the wait is.
    Fixed(HeaderValue),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reset {
    Seconds,
    /// Seconds since 1970.
    Epoch,
}

impl Fields {
    /// Whether a reset is told at all.
    pub(super) const fn has_reset(&self) -> bool {
        self.trio || self.x_trio
    }

    pub(super) const fn has_quota(&self) -> bool {
        self.structured || self.has_reset()
    }

    /// The fields of a refusal.
    pub(super) fn refused(&self, left: &Allowance, now: UnixSeconds) -> Vec<Field> {
        let mut fields = self.quota(left, now);
        let value = match &self.retry_after {
            None => return fields,
            Some(RetryAfter::Seconds) => seconds(left.next).into(),
            Some(RetryAfter::Date) => value(&httpdate::fmt_http_date(system_time(moment(
                now, left.next,
            )))),
            Some(RetryAfter::Fixed(text)) => text.clone(),
        };
        fields.push((RETRY_AFTER, value));
        fields
    }

    /// What tells the quota, in refusals and in admitted replies alike. The quota is the burst and
    /// its window the time that refills it, so that what remains is never more than the quota.
    pub(super) fn quota(&self, left: &Allowance, now: UnixSeconds) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut add = |name: &'static str, value| {
            fields.push((HeaderName::from_static(name), value));
        };
        let wait_s = seconds(left.next);
        if self.structured {
            let Self { policy, .. } = self;
            let window_s = seconds(left.window);
            let (quota, remaining) = (left.limit, left.remaining);
            let allowed = format!("\"{policy}\";q={quota};w={window_s};qu=\"requests\"");
            add("ratelimit-policy", value(&allowed));
            let now_left = format!("\"{policy}\";r={remaining};t={wait_s}");
            add("ratelimit", value(&now_left));
        }
        let reset = match self.reset {
            Reset::Seconds => wait_s,
            Reset::Epoch => moment(now, left.next),
        };
        if self.trio {
            add("ratelimit-limit", left.limit.get().into());
            add("ratelimit-remaining", left.remaining.into());
            add("ratelimit-reset", reset.into());
        }
        if self.x_trio {
            add("x-ratelimit-limit", left.limit.get().into());
            add("x-ratelimit-remaining", left.remaining.into());
            add("x-ratelimit-reset", reset.into());
        }
        if let Some(scope) = &self.scope {
            add("ratelimit-scope", scope.clone());
        }
        fields
    }
}

fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).expect("visible ASCII and spaces")
}

/// Far moments are held back to the last one that an HTTP date can tell.
fn system_time(unix_s: u64) -> std::time::SystemTime {
    const END_OF_9999: u64 = 253_402_300_799;
    std::time::UNIX_EPOCH + std::time::Duration::from_secs(unix_s.min(END_OF_9999))
}
