use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use redis::{RedisError, Script};
use sha2::{Digest as _, Sha256};

use crate::limit::{Admission, Allowance, Quota, Ticks};
use crate::redis_link::{RedisLink, WhenDown};

/// The limit that all replicas keep together: one cell per key in Redis, changed by a script, which
/// Redis runs as one step.
pub(super) struct Shared {
    redis: Arc<RedisLink>,
    script: Script,
    audience: String,
    quota: Quota,
    ticks: Option<Ticks>,
}

impl Shared {
    /// How long a cell outlives its use under a given clock: Redis expires cells by its own, which
    /// goes on when the given one stands still.
    const KEPT_UNDER_TICKS: Duration = Duration::from_secs(3600);

    pub(super) fn new(
        redis: Arc<RedisLink>,
        audience: &str,
        quota: Quota,
        ticks: Option<Ticks>,
    ) -> Self {
        Self {
            redis,
            script: Script::new(include_str!("gcra.lua")),
            audience: audience.to_owned(),
            quota,
            ticks,
        }
    }

    /// # Errors
    /// When Redis gave no answer.
    pub(super) async fn check(
        &self,
        principal: Option<&str>,
        item: Option<(&str, &str)>,
    ) -> Result<Admission, RedisError> {
        let mut call = self.script.key(self.cell(principal, item));
        call.arg(nanos(self.quota.interval()))
            .arg(nanos(self.quota.window()));
        match &self.ticks {
            None => {
                call.arg(0);
            }
            Some(ticks) => {
                let now = ticks.now();
                let kept_ms = u64::try_from(Self::KEPT_UNDER_TICKS.as_millis());
                call.arg(kept_ms.expect("an hour"))
                    .arg(now.as_secs())
                    .arg(now.subsec_nanos());
            }
        }
        let answer = self.redis.ask(async |redis| call.invoke_async(redis).await);
        let (admitted, debt_ns): (bool, u64) = answer.await?;
        let left = self.left(debt_ns);
        Ok(if admitted {
            Admission::Admitted(Some(left))
        } else {
            Admission::Limited(left)
        })
    }

    pub(super) fn when_down(&self) -> WhenDown {
        self.redis.when_down()
    }

    /// The name of a key's cell. A principal may be a secret and of any length, so it is digested;
    /// lengths keep the parts apart.
    fn cell(&self, principal: Option<&str>, item: Option<(&str, &str)>) -> String {
        let mut digest = Sha256::new();
        let (method, name) = item.unzip();
        for part in [Some(&*self.audience), principal, method, name] {
            // One more than the length, so that nothing and the empty text differ.
            let length = part.map_or(0, |text| text.len() as u64 + 1);
            digest.update(length.to_be_bytes());
            digest.update(part.unwrap_or_default());
        }
        let mut name = "loadgen:limit:".to_owned();
        for byte in &digest.finalize()[..16] {
            write!(name, "{byte:02x}").expect("text takes text");
        }
        name
    }

    fn left(&self, debt_ns: u64) -> Allowance {
        let interval_ns = nanos(self.quota.interval());
        let room_ns = nanos(self.quota.window()).saturating_sub(debt_ns);
        let remaining = u32::try_from(room_ns / interval_ns).expect("a burst at most");
        let next_ns = interval_ns - room_ns % interval_ns;
        Allowance::of(self.quota, remaining, Duration::from_nanos(next_ns))
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).expect("a quota's times are at most 30 days")
}
