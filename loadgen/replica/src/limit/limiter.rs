use std::sync::Arc;

use crate::limit::local::Local;
use crate::limit::shared::Shared;
use crate::limit::tally::Tally;
use crate::limit::{
    Admission, LimitConfig, LimitCounters, LimitMode, LimitScope, Quota, QuotaError, Signal, Ticks,
};
use crate::redis_link::{RedisLink, WhenDown};

/// Decides whether a request may be served, and counts what it decided.
pub(crate) struct Limiter {
    keeper: Keeper,
    scope: LimitScope,
    signal: Signal,
    tally: Tally,
}

enum Keeper {
    Local(Local),
    Shared(Shared),
}

impl Limiter {
    /// The limiter of one replica. `audience` tells fleets that use one Redis apart; `named` says
    /// that principals are names from a table, which may be shown.
    ///
    /// # Errors
    /// When the quota cannot be kept, or a shared one has no Redis.
    pub(crate) fn new(
        config: LimitConfig,
        audience: &str,
        named: bool,
        redis: Option<&Arc<RedisLink>>,
    ) -> Result<Self, LimitError> {
        let quota: Quota = config.quota()?;
        let keeper = match config.mode {
            LimitMode::Local | LimitMode::Divided { .. } => {
                let ticks = config.ticks.unwrap_or_else(Ticks::system);
                Keeper::Local(Local::new(quota, ticks, Local::ROOM))
            }
            LimitMode::Shared => {
                let redis = Arc::clone(redis.ok_or(LimitError::NoRedis)?);
                Keeper::Shared(Shared::new(redis, audience, quota, config.ticks))
            }
        };
        Ok(Self {
            keeper,
            scope: config.scope,
            signal: config.signal,
            tally: Tally::new(named),
        })
    }

    /// Judges one request of `principal` for what `method` and `name` name. Waits only for Redis.
    pub(crate) async fn admit(
        &self,
        principal: Option<&str>,
        method: &str,
        name: &str,
    ) -> Admission {
        let item = match self.scope {
            LimitScope::Principal => None,
            LimitScope::PrincipalAndItem => Some((method, name)),
        };
        let admission = match &self.keeper {
            Keeper::Local(local) => local.check(principal, item),
            // Boxed, so that replicas without Redis do not carry its future in every request's.
            Keeper::Shared(shared) => match Box::pin(shared.check(principal, item)).await {
                Ok(admission) => admission,
                Err(_) => match shared.when_down() {
                    WhenDown::Open => Admission::Admitted(None),
                    WhenDown::Closed => Admission::Unavailable,
                },
            },
        };
        self.tally.count(principal, &admission);
        admission
    }

    /// How its refusals look.
    pub(crate) const fn signal(&self) -> &Signal {
        &self.signal
    }

    pub(crate) fn counters(&self) -> LimitCounters {
        self.tally.read()
    }
}

/// A limiter that cannot work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// Rate, burst and fleet size do not go together.
    #[error(transparent)]
    Quota(#[from] QuotaError),
    /// A shared limit is kept in Redis.
    #[error("a shared limit needs the URL of a Redis")]
    NoRedis,
}
